#!/usr/bin/env bash
# Fails when make generate would change or add a file: what is committed must be
# what the schema, the examples and the templates say.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
"$here/generate.sh"

git diff --exit-code -- docs examples || {
  echo 'generated files are stale: run make generate and commit the result' >&2
  exit 1
}
untracked=$(git ls-files --others --exclude-standard -- docs examples)
if [[ -n $untracked ]]; then
  printf 'generated files are not committed:\n%s\n' "$untracked" >&2
  exit 1
fi

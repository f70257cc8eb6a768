#!/usr/bin/env bash
# Checks the style of everything written by hand: Go code with the pinned
# golangci-lint (formatting included), shell scripts with shellcheck.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
"$here/require.sh" lint

shellcheck .ci/run internal/tools/*.sh examples/*/*.sh examples/pipelines/*/*.sh
go tool -modfile=internal/tools/go.mod golangci-lint run ./...

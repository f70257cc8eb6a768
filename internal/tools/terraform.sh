#!/usr/bin/env bash
# Prints the path of a Terraform or OpenTofu that is new enough: the one named
# by TF_ACC_TERRAFORM_PATH, else terraform or tofu from PATH, else an OpenTofu
# built once from the pinned module beside this script and kept in the user's
# cache. Everything but the path goes to standard error.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly minimum=1.8
export CHECKPOINT_DISABLE=1
unset TF_CLI_CONFIG_FILE # may name a file that does not exist

# version_of PROGRAM prints e.g. 1.11.4.
version_of() {
  "$1" version -json 2>/dev/null | sed -n 's/.*"terraform_version": *"\([0-9.]*\).*/\1/p'
}

# new_enough VERSION
new_enough() {
  [[ -n $1 && $(printf '%s\n%s\n' "$minimum" "$1" | sort -V | head -n 1) == "$minimum" ]]
}

find_installed() {
  local name path version
  for name in "${TF_ACC_TERRAFORM_PATH:-}" terraform tofu; do
    path=$(command -v "$name" 2>/dev/null) || continue
    version=$(version_of "$path")
    if new_enough "$version"; then
      echo "$path"
      return
    fi
    echo "passing over $path: version ${version:-unknown} is older than $minimum" >&2
  done
  return 1
}

build_tofu() {
  local version cache binary
  version=$(cd "$here/tofu" && go list -m -f '{{.Version}}' github.com/opentofu/opentofu)
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/terraform-provider-tenant/opentofu-$version
  binary=$cache/tofu
  if [[ ! -x $binary ]]; then
    echo "no terraform or tofu on PATH: building OpenTofu $version once, which takes some minutes" >&2
    mkdir -p "$cache"
    # Built aside and moved, so that an interrupted build leaves no half binary.
    (cd "$here/tofu" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X github.com/opentofu/opentofu/version.dev=no" \
      -o "$binary.$$" github.com/opentofu/opentofu/cmd/tofu) >&2
    mv "$binary.$$" "$binary"
  fi
  echo "$binary"
}

if [[ -n ${TF_ACC_TERRAFORM_PATH:-} && ! -x $TF_ACC_TERRAFORM_PATH ]]; then
  echo "TF_ACC_TERRAFORM_PATH names $TF_ACC_TERRAFORM_PATH, which is no program: correct or unset it" >&2
  exit 1
fi
find_installed || build_tofu

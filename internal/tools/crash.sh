#!/usr/bin/env bash
# Kills the provider, terraform and the servers at every boundary, and prints a
# table of what that did. The variables are in GNUmakefile.
#
#   crash.sh [GO-TEST-ARGUMENT...]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$here/require.sh" test
# In the package's folder go test prints as it goes, and not only failures.
cd "$here/../crash"

# Samples mostly wait, for leases of killed providers among others.
samples=$(($(nproc) * 3))
((samples <= 24)) || samples=24

export TF_ACC=1 CRASH="${CRASH:-both}"
# Relative to where make was called.
[[ -z ${CRASH_TABLE:-} || $CRASH_TABLE == /* ]] || export CRASH_TABLE="$OLDPWD/$CRASH_TABLE"
exec "$here/with-terraform.sh" go test -count=1 -parallel "$samples" -timeout 0 \
  -run '^TestC57_ACrashAnywhere' "$@"

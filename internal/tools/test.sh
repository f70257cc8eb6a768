#!/usr/bin/env bash
# Runs tests against real servers, which the tests start themselves. What is
# missing is installed or named; nothing is skipped.
#
#   test.sh [GO-TEST-ARGUMENT...]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
"$here/require.sh" test

# Each package starts servers of its own, so more packages at a time than this
# cost memory and time-outs rather than save time.
packages=$(nproc)
((packages <= 4)) || packages=4

# -count=1: a cached result says nothing about servers outside the test binary.
export TF_ACC=1
exec "$here/with-terraform.sh" go test -count=1 -p "$packages" -timeout 20m "$@" ./...

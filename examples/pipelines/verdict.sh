#!/usr/bin/env bash
# Tells a drift verdict by its file and not by anybody's exit code, which
# wrappers change and timeouts swallow.
#
#   verdict.sh FILE
#
# Exits 0 only for a complete verdict without drift: 2 for drift or an
# unhealthy tenant, 1 for a verdict that is missing, incomplete or of a version
# this script does not know. Needs jq.
set -euo pipefail

file=${1:?usage: verdict.sh FILE}
if ! [[ -s $file ]]; then
  echo "no verdict in $file: the look did not take place" >&2
  exit 1
fi
if ! version=$(jq -er '.schema_version' "$file") || [[ $version != 1 ]]; then
  echo "$file is no verdict of version 1" >&2
  exit 1
fi
jq -r '.tenants[] | .tenant as $t | ((.drifts // [])[] | "\($t): \([.object, .field] | map(select(. != null)) | join(".")) \(.severity): \(.reason)"),
  ((.unhealthy // [])[] | "\($t): unhealthy: \(.)"), ((.unread // [])[] | "\($t): unread: \(.)")' "$file"
if [[ $(jq -r '.counts.drifts + .counts.unhealthy' "$file") != 0 ]]; then
  exit 2
fi
if [[ $(jq -r '.complete' "$file") != true ]]; then
  echo "the verdict is incomplete: it does not say that there is no drift" >&2
  exit 1
fi

#!/usr/bin/env bash
# The check of a run task in the post-plan stage: it judges the plan's JSON,
# which HCP Terraform offers at plan_json_api_url, and answers the callback
# (developer.hashicorp.com/terraform/cloud-docs/api-docs/run-tasks/run-tasks-integration).
# Drift health assessments run a plan of their own and can be judged the same way.
#
#   run-task.sh < payload.json
#
# Needs curl, jq, terraform-provider-tenant and verdict.sh beside it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/payload.json"
token=$(jq -er .access_token "$work/payload.json")
callback=$(jq -er .task_result_callback_url "$work/payload.json")

# answer STATUS MESSAGE: tells the run. The token goes by a file, so that no
# list of processes shows it.
printf 'header = "Authorization: Bearer %s"\n' "$token" >"$work/curlrc"
answer() {
  jq -n --arg status "$1" --arg message "$2" \
    '{data: {type: "task-results", attributes: {status: $status, message: $message}}}' >"$work/answer.json"
  curl -fsS -K "$work/curlrc" -X PATCH -H 'Content-Type: application/vnd.api+json' --data "@$work/answer.json" "$callback" >/dev/null
}

plan=$(jq -er .plan_json_api_url "$work/payload.json") || plan=
if [[ -z $plan ]] || ! curl -fsSL -K "$work/curlrc" "$plan" -o "$work/plan.json"; then
  answer failed "The plan could not be read."
  exit 1
fi
terraform-provider-tenant drift --plan "$work/plan.json" --out "$work/verdict.json" >"$work/table.txt" 2>&1 || true # the verdict decides
if "$here/verdict.sh" "$work/verdict.json" >"$work/lines.txt" 2>&1; then
  answer passed "No drift."
  exit 0
fi
answer failed "$(head -c 900 "$work/lines.txt")"
exit 1

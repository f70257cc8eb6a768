#!/usr/bin/env bash
# The failure story, to watch: the DNS answer is lost, the provider is killed,
# another apply goes on, the record is deleted by hand and comes back. There is
# exactly one of each object all the time. Ends with an error if any step does
# not show what it should.
#
#   run.sh [PROVIDER-BINARY]
#
# Needs terraform or tofu, curl and pgrep. No root, no account, no server.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
provider=$(realpath "${1:-$here/../../bin/terraform-provider-tenant}")
terraform=${TF_ACC_TERRAFORM_PATH:-$(command -v terraform || command -v tofu || true)}
folder=$(mktemp -d)
sandbox=

clear_up() {
  [[ -z $sandbox ]] || kill "$sandbox" 2>/dev/null || true
  rm -rf "$folder"
}
trap clear_up EXIT

fail() {
  printf '\nThe story went wrong: %s\n' "$*" >&2
  exit 1
}

step() { printf '\n━━ %s\n' "$*"; }
good() { printf '✓ %s\n' "$*"; }

# run COMMAND... : shows a command and keeps what it says in last.txt.
run() {
  printf '$ %s\n' "$(basename "$1") ${*:2}"
  "$@" >last.txt 2>&1
}

# shows WORDS : prints the lines of last.txt that say so; there must be one.
shows() { grep -F -- "$1" last.txt | sed 's/^/  /' || fail "the output does not say \"$1\": $(cat last.txt)"; }

# admin METHOD PATH [BODY] : calls the sandbox's admin endpoint.
admin() { curl -sS --fail-with-body -X "$1" "$url$2" ${3:+--data "$3"}; }

# objects RECORDS : there is one of each object, and as many DNS records.
objects() {
  local have
  have=$(admin GET /objects)
  for kind in keycloak/organization stripe/customer stripe/subscription; do
    [[ $have == *"\"$kind\":1"* ]] || fail "there is not exactly one $kind: $have"
  done
  case $1 in
    0) [[ $have != *'"powerdns/rrset"'* ]] || fail "there is a DNS record: $have" ;;
    *) [[ $have == *"\"powerdns/rrset\":$1"* ]] || fail "there are not $1 DNS records: $have" ;;
  esac
  good "1 organization, 1 customer, 1 subscription, $1 DNS record(s)"
}

# wait_for SECONDS COMMAND... : until the command succeeds.
wait_for() {
  local tries=$(($1 * 10))
  until "${@:2}"; do
    ((tries-- > 0)) || return 1
    sleep 0.1
  done
}

sandbox_up() { url=$(awk '$1 == "admin" { print $2 }' sandbox.txt) && [[ -n $url ]]; }
dns_hangs() { [[ $(admin GET /requests) == *'"fault":"timeout_after"'* ]]; }
untainted() { ! "$terraform" show -json | grep -q '"tainted":true' || fail "a resource is tainted"; }

[[ -x $provider ]] || fail "$provider is not built; run make build first"
[[ -n $terraform ]] || fail "neither terraform nor tofu is on PATH"

cd "$folder"
cp "$here/main.tf" .
cat >terraform.rc <<RC
provider_installation {
  dev_overrides {
    "tenantplane/tenant" = "$(dirname "$provider")"
  }
  direct {}
}
RC
export TF_CLI_CONFIG_FILE=$folder/terraform.rc TF_IN_AUTOMATION=1 TF_CLI_ARGS=-no-color CHECKPOINT_DISABLE=1

step "The sandbox, with a fault that waits for the first DNS change: done, but never answered"
"$provider" sandbox serve --listen 127.0.0.1:0 >sandbox.txt 2>&1 &
sandbox=$!
wait_for 10 sandbox_up || fail "the sandbox does not start: $(cat sandbox.txt)"
admin POST /faults '{"system": "powerdns", "method": "PATCH", "effect": "timeout_after"}' >/dev/null
good "admin endpoint $url"

step "Apply, and kill -9 the provider while it waits for DNS"
printf '$ %s apply -auto-approve &\n' "$(basename "$terraform")"
"$terraform" apply -auto-approve >apply.txt 2>&1 &
apply=$!
wait_for 60 dns_hangs || fail "DNS was not asked: $(cat apply.txt)"
victim=$(pgrep -P "$apply" -f "$provider") || fail "no provider process runs below terraform"
printf '$ kill -9 %s\n' "$victim"
kill -9 "$victim"
if wait "$apply"; then fail "terraform did not notice: $(cat apply.txt)"; fi
objects 1
run "$provider" status acme
shows billing.customer
if grep -q domain.record last.txt; then fail "the record cannot be in the ledger yet: $(cat last.txt)"; fi
good "the record exists, and the ledger knows only that it was to be made"
untainted

step "Apply again: it waits until the dead process's lease ends, some seconds, and goes on"
run "$terraform" apply -auto-approve || fail "$(cat last.txt)"
shows "Apply complete!"
objects 1
run "$provider" status acme
shows "domain.record"
grep -q 'ready  generation 1 of 1' last.txt || fail "the tenant is not ready: $(cat last.txt)"
good "the lost answer was made good: the record was found and adopted, not made twice"
untainted

step "Somebody deletes the DNS record by hand; the next plan shows it"
admin DELETE /powerdns/example.com./acme.example.com./CNAME
objects 0
code=0
run "$terraform" plan -detailed-exitcode || code=$?
((code == 2)) || fail "the plan ended with $code: $(cat last.txt)"
shows "# tenant.acme will be updated in-place"
shows "1 to change, 0 to destroy"

step "Apply: the record comes back, in its second life"
run "$terraform" apply -auto-approve || fail "$(cat last.txt)"
shows "1 changed, 0 destroyed"
objects 1
run "$provider" status acme
shows domain.record
grep -Eq 'domain\.record .*\| +2 \|' last.txt || fail "the record is not in epoch 2: $(cat last.txt)"
untainted
run "$terraform" plan -detailed-exitcode || fail "the plan is not empty: $(cat last.txt)"
shows "No changes."

printf '\nOne of each object at every step, nothing tainted, nothing lost.\n'

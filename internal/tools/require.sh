#!/usr/bin/env bash
# Makes sure that the programs a task needs are here.
#
#   require.sh lint|test
#
# As root on Debian it installs what is missing and starts no service. Anyone
# else is told exactly what is missing and how to get it, and it fails.
set -euo pipefail

# Packages that are missing, and why each is wanted.
missing=()
reasons=()

# want PACKAGE REASON CHECK...: notes the Debian package unless CHECK succeeds.
want() {
  local package=$1 reason=$2
  shift 2
  if ! "$@" >/dev/null 2>&1; then
    missing+=("$package")
    reasons+=("$reason")
  fi
}

# has_program NAME: on PATH, or where Debian hides system programs.
has_program() {
  PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin" command -v "$1"
}

# Debian keeps PostgreSQL's server programs off PATH.
has_postgres() {
  has_program postgres || compgen -G '/usr/lib/postgresql/*/bin/postgres'
}

# pdns_server exits with an error after it listed its modules.
has_pdns_sqlite() {
  local modules
  modules=$(PATH="$PATH:/usr/sbin" pdns_server --list-modules 2>&1 || true)
  [[ $modules == *gsqlite3* ]]
}

check() {
  missing=() reasons=()
  case $1 in
  lint)
    want git 'compares generated files' has_program git
    want shellcheck 'checks the shell scripts' has_program shellcheck
    ;;
  test)
    want ca-certificates 'lets Go download modules' test -d /etc/ssl/certs
    want postgresql 'the PostgreSQL server the tests start' has_postgres
    want jq 'reads verdicts in the example pipelines' has_program jq
    want pgbouncer 'the connection pooler the tests put before PostgreSQL' has_program pgbouncer
    want pdns-server 'the PowerDNS server the tests start' has_program pdns_server
    want pdns-backend-sqlite3 "PowerDNS' SQLite backend" has_pdns_sqlite
    ;;
  *)
    echo "require.sh: unknown task $1: want lint or test" >&2
    exit 2
    ;;
  esac
}

report() {
  echo "missing, and needed for make $1:" >&2
  local i
  for i in "${!missing[@]}"; do
    printf '  %-22s %s\n' "${missing[i]}" "${reasons[i]}" >&2
  done
  echo "On Debian or Ubuntu: sudo apt-get install --no-install-recommends ${missing[*]}" >&2
  echo 'Elsewhere: install the programs of the same name and put them on PATH.' >&2
}

# Two files tell the packages, while they are installed, to start no service
# and to make no database cluster. A policy that is already there (containers
# have one) does the same and stays.
readonly policy=/usr/sbin/policy-rc.d
readonly no_cluster=/etc/postgresql-common/createcluster.d/terraform-provider-tenant.conf
written=()
forbid_services() {
  trap 'rm -f "${written[@]}"' EXIT
  if [[ ! -e $policy ]]; then
    written+=("$policy")
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  written+=("$no_cluster")
  mkdir -p "$(dirname "$no_cluster")"
  echo 'create_main_cluster = false' >"$no_cluster"
}

# The packages also enable their services for the next boot: the tests start
# servers of their own, so nobody asked for that.
disable_services() {
  command -v systemctl >/dev/null || return 0
  local package
  for package in "${missing[@]}"; do
    case $package in
    postgresql) systemctl disable postgresql.service >/dev/null 2>&1 || true ;;
    pgbouncer) systemctl disable pgbouncer.service >/dev/null 2>&1 || true ;;
    pdns-server) systemctl disable pdns.service >/dev/null 2>&1 || true ;;
    esac
  done
}

# quietly COMMAND...: shows what the command said only if it fails.
quietly() {
  local said
  said=$(DEBIAN_FRONTEND=noninteractive "$@" 2>&1) && return
  printf '%s failed:\n%s\n' "$*" "$said" >&2
  exit 1
}

install_missing() {
  echo "installing ${missing[*]}" >&2
  forbid_services
  quietly apt-get update -qq
  quietly apt-get install -y -qq --no-install-recommends "${missing[@]}"
  disable_services
}

task=${1:-}
check "$task"
if ((${#missing[@]} > 0)) && [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
  install_missing
  check "$task"
fi
if ((${#missing[@]} > 0)); then
  report "$task"
  exit 1
fi

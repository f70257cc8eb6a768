#!/usr/bin/env bash
# Writes docs/ from the provider's schema, examples/ and templates/, and formats
# the examples. Works without a network: the schema comes from the provider just
# built, through a development override.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
root=$PWD
terraform=$("$here/terraform.sh")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# tfplugindocs looks for the provider under this address, whatever the real one
# is; nothing is fetched from there.
readonly address=registry.terraform.io/hashicorp/tenant

CGO_ENABLED=0 go build -o "$scratch/bin/terraform-provider-tenant" .

cat >"$scratch/cli.tfrc" <<EOF
provider_installation {
  dev_overrides {
    "$address" = "$scratch/bin"
  }
}
EOF
mkdir "$scratch/config"
cat >"$scratch/config/main.tf" <<EOF
terraform {
  required_providers {
    tenant = {
      source = "$address"
    }
  }
}
EOF

export CHECKPOINT_DISABLE=1
TF_CLI_CONFIG_FILE=$scratch/cli.tfrc "$terraform" -chdir="$scratch/config" providers schema -json >"$scratch/schema.json"
unset TF_CLI_CONFIG_FILE

"$terraform" fmt -recursive examples
go tool -modfile=internal/tools/go.mod tfplugindocs generate \
  --provider-dir "$root" \
  --provider-name tenant \
  --providers-schema "$scratch/schema.json"

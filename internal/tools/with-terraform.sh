#!/usr/bin/env bash
# Runs a command with the environment that terraform-plugin-testing needs to
# find Terraform or OpenTofu without any network.
#
#   with-terraform.sh COMMAND [ARGUMENT...]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TF_ACC_TERRAFORM_PATH=$("$here/terraform.sh")
export TF_ACC_TERRAFORM_PATH
export CHECKPOINT_DISABLE=1 # no call home for updates
unset TF_CLI_CONFIG_FILE    # may name a file that does not exist

version=$("$TF_ACC_TERRAFORM_PATH" version)
echo "${version%%$'\n'*} ($TF_ACC_TERRAFORM_PATH)" >&2

# OpenTofu resolves a provider without a source to its own registry's address.
# It is a name only: in tests the provider is served by the test binary.
if [[ $version == OpenTofu* ]]; then
  export TF_ACC_PROVIDER_HOST=registry.opentofu.org
  export TF_ACC_PROVIDER_NAMESPACE=hashicorp
fi

exec "$@"

# Three tenants of two customers in two regions. The sandbox stands in for every
# backend: no account, no server. Replace it with your own, one by one.
terraform {
  required_providers {
    tenant = {
      source = "tenantplane/tenant"
    }
  }
}

provider "tenant" {
  sandbox = {}
}

locals {
  tenants = {
    northstar-us = { name = "Northstar Health Group (US)", region = "us-east", plan = "pro", seats = 100, domain = "northstar.example" }
    northstar-eu = { name = "Northstar Health Group (EU)", region = "eu-west", plan = "pro", seats = 40, domain = "eu.northstar.example" }
    acme         = { name = "Acme Robotics", region = "us-east", plan = "starter", seats = 5, domain = "acme.example" }
  }
}

resource "tenant" "customer" {
  for_each = local.tenants

  tenant_id    = each.key
  display_name = each.value.name
  region       = each.value.region

  identity = { domains = [each.value.domain] }
  billing  = { plan = each.value.plan, email = "ap@${each.value.domain}", seats = each.value.seats }
  database = { isolation = "schema", seed = ["${path.module}/roles.sql"] }
  storage  = { versioning = true }
  domain   = { hostname = "${each.key}.example.com", target = "edge.${each.value.region}.example.net" }

  deletion = { data = "archive", retention_days = 30 }
}

# A tenant never fails once anything of it exists. This gate does, and what
# must not go on without a tenant depends on it.
resource "tenant_ready" "customer" {
  for_each  = local.tenants
  tenant_id = tenant.customer[each.key].tenant_id
}

output "status" {
  value = { for id, t in tenant.customer : id => t.status }
}

# One tenant on the sandbox. run.sh lets its apply die half-way.
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

resource "tenant" "acme" {
  tenant_id    = "acme"
  display_name = "Acme Robotics"
  region       = "us-east"

  identity = { domains = ["acme.example"] }
  billing  = { plan = "pro", email = "ap@acme.example", seats = 5 }
  database = { isolation = "schema" }
  storage  = { versioning = true }
  domain   = { hostname = "acme.example.com", target = "edge.us-east.example.net" }

  deletion = { data = "delete" }
}

resource "tenant_ready" "acme" {
  tenant_id = tenant.acme.tenant_id
}

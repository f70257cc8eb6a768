resource "tenant" "northstar_us" {
  tenant_id    = "northstar-us"
  display_name = "Northstar Health Group (US)"
  region       = "us-east"

  identity = { domains = ["northstar.example"] }
  billing  = { plan = "pro", email = "ap@northstar.example", seats = 100 }
  database = { isolation = "schema", seed = ["roles.sql", "features.sql"] }
  storage  = { versioning = true }
  domain   = { hostname = "northstar-us.example.com", target = "edge.us.example.net" }

  deletion = { protection = true, data = "archive", retention_days = 90 }
}

# The gate: fails, and makes the run fail, when the tenant is not ready.
resource "tenant_ready" "northstar_us" {
  tenant_id = tenant.northstar_us.tenant_id
}

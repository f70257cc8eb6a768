resource "tenant_ready" "northstar_us" {
  tenant_id = tenant.northstar_us.tenant_id

  timeouts = { create = "30m" }
}

data "tenant" "northstar_us" {
  tenant_id = "northstar-us"
}

output "northstar_us_next_look" {
  value = data.tenant.northstar_us.next_reconcile_at
}

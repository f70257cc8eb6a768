data "tenant_drift" "northstar_us" {
  tenant_id = "northstar-us"
}

check "northstar_us_is_as_declared" {
  assert {
    condition     = data.tenant_drift.northstar_us.complete && !data.tenant_drift.northstar_us.drifted
    error_message = "northstar-us differs from what is declared, or could not be looked at."
  }
}

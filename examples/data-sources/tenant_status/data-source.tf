data "tenant_status" "northstar_us" {
  tenant_id = "northstar-us"
}

check "northstar_us_is_not_suspended" {
  assert {
    condition     = data.tenant_status.northstar_us.suspended_at == ""
    error_message = "northstar-us is suspended: ${data.tenant_status.northstar_us.suspend_reason}"
  }
}

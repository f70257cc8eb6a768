data "tenant_list" "abandoned" {
  statuses = ["failed", "blocked"]
}

output "tenants_that_need_somebody" {
  value = data.tenant_list.abandoned.ids
}

# Who is blocked, and why.
data "tenant_events" "blocked" {
  types = ["tenant.blocked.v1"]
  limit = 20
}

output "blocked" {
  value = {
    for e in data.tenant_events.blocked.events : e.tenant_id => jsondecode(e.data).reason...
  }
}

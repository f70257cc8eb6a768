module github.com/tenantplane/terraform-provider-tenant

go 1.26

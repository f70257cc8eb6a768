terraform {
  required_providers {
    tenant = {
      source = "tenantplane/tenant"
    }
  }
}

provider "tenant" {
  ledger = { path = "tenant-ledger.db" }

  identity = {
    keycloak = {
      url       = "https://login.example.com"
      realm     = "customers"
      client_id = "tenant-provider" # the secret comes from KEYCLOAK_CLIENT_SECRET
    }
  }
  billing = { stripe = {} } # the key comes from STRIPE_API_KEY

  regions = {
    us-east = {
      database = { postgres = {} } # the URL comes from TENANT_DATABASE_URL
      storage  = { s3 = { endpoint = "https://s3.us-east.example.net" } }
      domain   = { powerdns = { url = "https://dns.us-east.example.net" } }
    }
  }
}

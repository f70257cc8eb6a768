// Package domain is the pure half of the domain component: the DNS records
// that point a tenant's users at the service. It compiles a hostname and where
// it should lead into one record set per owner name and type, and holds the
// canonical spelling of names and addresses that both this component and the
// DNS backends compare by.
package domain

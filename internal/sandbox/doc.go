// Package sandbox is a place to try everything without an account: HTTP
// servers that speak the wire APIs of Keycloak, Stripe and PowerDNS as the
// backends use them, on one listener of 127.0.0.1, plus an admin endpoint to
// look inside, to change things behind the backends' back and to inject faults.
//
// State is one SQLite file. Terraform starts the provider several times a run,
// and each process opens the sandbox on the same file, at the same time as a
// `sandbox serve` on a fixed port: they all see one world, faults included.
package sandbox

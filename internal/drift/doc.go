// Package drift says how tenants differ from what is declared, as a verdict
// that people and pipelines read: a versioned JSON document, JUnit, SARIF or a
// table. It is pure: it is given plans, of the engine's or of Terraform's, and
// looks at nothing itself.
//
// A verdict is incomplete until everything was looked at. Whoever reads one
// treats an incomplete or missing verdict as a failure, never as "no drift":
// exit codes get lost in wrappers (field case C66).
package drift

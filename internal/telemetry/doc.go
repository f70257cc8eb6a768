// Package telemetry tells the outside what happens, through OpenTelemetry and its
// standard OTEL_… variables (opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables).
//
// Without any of them nothing is started and nothing is paid: a nil *Telemetry is
// a good one, and every method of it does nothing. There is no global state.
//
// Metrics never carry a tenant's id: their number must not grow with the fleet.
// Spans do.
package telemetry

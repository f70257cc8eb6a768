// Package tenant holds the words every other package speaks: tenant ids,
// installations, specs, generations, markers, deterministic names and
// idempotency keys. It imports nothing but the standard library and does no
// I/O; everything here is a pure function of its arguments.
package tenant

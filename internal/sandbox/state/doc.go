// Package state keeps what the sandbox knows in one SQLite file, so that it
// outlives a process and can be shared by several at once: objects of every
// system, Stripe's idempotency keys, Keycloak's tokens, the faults to inject
// and the log of requests.
//
// All work happens in immediate transactions on one connection per process;
// processes take turns through SQLite's own lock.
package state

// Package sweep keeps tenants true between applies: it visits those that are
// due and sends the events that are due.
//
// Once does it a single time, for cron and pipelines. Service does it all the
// time, as jobs on River (riverqueue.com) in the ledger's own database, so that
// many workers share one PostgreSQL:
//
//	            every Tick, inserted by the leader
//	tick ──► due tenants, paced by drain ──► visit jobs ──► queue "tenants" ──┐
//	wake-up: HTTP, LISTEN ─────────────────► visit job  ──► queue "failing" ──┴─► Visit
//	            every Tick
//	dispatch ──► events that are due ──► sinks
//
// The ledger stays the truth: a job only says that somebody should look, and a
// lost one costs a tick. A job runs at least once, and the tenant's lease lets
// one visit at a time do anything. Unique keys hold the due date, so that one
// due date makes one visit, and the round of the tick, a minute, so that the job of a
// killed worker, which River still takes for running, does not keep the tenant
// waiting.
package sweep

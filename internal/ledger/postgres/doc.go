// Package postgres keeps the ledger in a PostgreSQL database, where pipelines,
// remote workspaces and sweeps on several machines share it. It opens, checks
// and migrates the database and explains what PostgreSQL says; everything else
// is sqlstore's.
//
// What makes it safe for many machines:
//
//   - Time is the database's. Leases begin and end by one clock, however wrong
//     the clocks of the machines are.
//   - It works through a transaction pooler (PgBouncer's pool_mode=transaction):
//     no prepared statements, no session settings, no session advisory locks.
//     A lease is a row; migrations hold a lock of their transaction.
//   - A commit whose answer was lost is never run again blindly: the caller
//     gets an error and finds out by looking.
package postgres

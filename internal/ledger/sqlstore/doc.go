// Package sqlstore is the ledger over database/sql: everything the two drivers
// have in common, which is all but opening the database and telling its errors
// apart.
//
// Every write is one transaction that first locks the row it is about: the
// tenant's, or the installation's. On SQLite the whole database is locked by
// then, since drivers begin transactions IMMEDIATE; on PostgreSQL an UPDATE
// that changes nothing takes the row lock. The clock is read after the lock is
// held, so that a long wait for it cannot make an expired lease look alive.
package sqlstore

// Package sqlite keeps the ledger in a SQLite file: the default, for one
// machine. It opens, creates and migrates the file and explains what SQLite
// says; everything else is sqlstore's.
//
// Any number of processes may have the file open. Each uses one connection,
// and every write transaction takes the write lock at its beginning: a
// transaction that reads first and then has to upgrade fails at once when
// another one wrote meanwhile, whatever the busy timeout (field case C74).
package sqlite

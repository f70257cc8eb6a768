// Package queries is the SQL of the ledger and the Go code that sqlc makes of
// it. One set of statements runs on SQLite and on PostgreSQL, so a statement
// uses nothing that one of them lacks: no ::casts, no arrays, no FOR UPDATE
// (a row is locked by an UPDATE that changes nothing), no TIMESTAMPTZ (SQLite
// cannot scan one into time.Time: times are whole microseconds).
package queries

//go:generate go tool -modfile=../../tools/sqlc/go.mod sqlc generate

// Package database is the pure half of the database component: it compiles
// what the user wants of a tenant's database into the one object that stands
// for it, and fixes the canonical words that its backends must observe in.
//
// There is one object, "schema", whatever the isolation. The object's name is
// part of idempotency keys and of the ledger's primary key; were it to follow
// the isolation, a changed isolation would look like one object gone and
// another one missing, and the plan would drop a customer's data. As it is, the
// isolation is an immutable field of one object, and changing it is refused.
package database

// Package storage is the pure half of the storage component: one bucket per
// tenant, its name, its versioning and what becomes of the data in it.
package storage

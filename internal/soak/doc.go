// Package soak lets a fleet of tenants live through bad weather: several sweep
// processes on one PostgreSQL, systems that fail at random, workers that are
// killed, specs that change, drift and deletions. When the weather is fine again
// everything has to be as declared, once each.
//
//	SOAK_TENANTS=10000 SOAK_TIME=10m go test -run TestSoak -timeout 60m ./internal/soak
//
// `make soak` does that; the ordinary tests run a small fleet for half a minute.
// Time is compressed: intervals of an hour become minutes, and the patience with
// failures is as much shorter.
package soak

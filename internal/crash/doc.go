// Package crash kills the real provider, terraform and the servers with
// SIGKILL at every boundary of apply, update and destroy, runs terraform again
// until it converges, and counts what exists. It has tests only; make crash
// runs them all, see GNUmakefile.
//
// Words: a boundary is a moment before or after a call or a ledger write takes
// effect; a conductor numbers the boundaries of one run and strikes at one of
// them; a sample is the life of one tenant with a strike in its creation, its
// update and its destruction.
package crash

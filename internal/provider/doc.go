// Package provider wires the parts into a Terraform provider: schema to spec,
// plan modification, and the executor's outcome back into state. It decides
// nothing about tenants; the engine does.
//
// How an outcome becomes Terraform's:
//
//	operation | outcome                            | result
//	----------+------------------------------------+------------------------------------
//	create    | ready                              | state
//	create    | anything exists outside, not ready | state with its status, and a warning
//	create    | nothing exists outside             | error, no state
//	update    | ready                              | state
//	update    | faults, or interrupted             | observed state, error
//	delete    | tombstone                          | gone
//	delete    | another address owns the tenant    | gone from state, warning
//	delete    | anything else                      | state kept, error
//	read      | every object observed              | state as it is; missing shows as null
//	read      | any object not observable          | state kept, error
package provider

// Package admin is the sandbox's back door, which no vendor has: an inventory
// of every object, the log of requests, changes behind the clients' back, and
// faults. It has the HTTP handler, and the typed client that tests and the
// command line use.
//
//	GET    /objects                        inventory; system, kind, fixtures, gone narrow or widen it
//	GET    /requests?after=N               log of requests from after line N
//	DELETE /requests                       empty the log
//	GET    /faults, POST, DELETE           faults that wait; add one (see gate.Fault); take all back
//	POST   /reset                          back to the beginning
//	PUT    /powerdns/{zone}/{name}/{type}  set a record: {"ttl": 300, "contents": ["…"]}
//	DELETE /powerdns/{zone}/{name}/{type}
//	POST   /stripe/{collection}            create, as /v1/{collection} does, from a JSON object
//	PATCH  /stripe/{collection}/{id}       change, from a JSON object
//	DELETE /stripe/{collection}/{id}
//	POST   /keycloak/organizations         create from a representation
//	PATCH  /keycloak/organizations/{id}    merge into the representation
//	DELETE /keycloak/organizations/{id}
//
// Changes go through the vendors' own code, so their rules hold: deleting a
// customer cancels its subscriptions. They ask for no credentials, meet no
// faults and are not in the log.
package admin

// Package powerdns keeps the domain component's records in a PowerDNS
// Authoritative Server (4.7 or later), through its HTTP API:
// https://doc.powerdns.com/authoritative/http-api/.
//
// Ownership is a comment on the record set, never a record of its own: a TXT
// beside a CNAME is refused by every name server. The API has no conditional
// writes, so each write reads the owner name first, replaces whole record sets
// in one transaction, and reads again to see whose the result is.
package powerdns

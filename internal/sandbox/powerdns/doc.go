// Package powerdns plays the HTTP API of PowerDNS Authoritative Server 4.7.3
// as far as a client of rrsets needs it: list zones, read a zone, patch rrsets.
// Everything it says was compared with the real server, see
// TestAnswersLikeTheRealServer; what that one does oddly, this one does too:
//
//   - a zone read with rrset_name also returns, with no records and TTL 0, every
//     other rrset of the zone that has comments;
//   - a read echoes the spelling of rrset_name;
//   - a TTL of -1 is taken and stored as 4294967295;
//   - comments outlive a REPLACE without comments, not a DELETE.
package powerdns

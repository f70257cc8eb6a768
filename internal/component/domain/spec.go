package domain

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// DefaultTTL is the time to live, in seconds, of records that ask for none.
const DefaultTTL = 300

// MaxTTL is the greatest time to live in seconds (RFC 2181 section 8).
const MaxTTL = 1<<31 - 1

// Spec is what the user wants of the domain component. Exactly one of Target
// and Addresses is set.
type Spec struct {
	// Hostname is the name users type, in any spelling that Name accepts.
	Hostname string `json:"hostname"`
	// Target is the name a CNAME leads to.
	Target string `json:"target,omitempty"`
	// Addresses are the IPv4 and IPv6 addresses of the service; their order
	// means nothing.
	Addresses []string `json:"addresses,omitempty"`
	// TTL is the time to live in seconds, 1 to MaxTTL; 0 means DefaultTTL.
	TTL int64 `json:"ttl,omitempty"`
	// Wildcard makes every name below Hostname lead to the same place.
	Wildcard bool `json:"wildcard,omitempty"`
	// Adopt is "", "matching" or "overwrite": what to do about a record that
	// exists already and is not ours.
	Adopt string `json:"adopt,omitempty"`
}

// parsed is a Spec in canonical form.
type parsed struct {
	hostname string
	target   string
	v4, v6   []string
	ttl      int64
}

// parse checks the spec and brings it into canonical form.
func parse(text json.RawMessage) (Spec, parsed, []*fault.Fault) {
	var spec Spec
	if err := json.Unmarshal(text, &spec); err != nil {
		return spec, parsed{}, []*fault.Fault{fault.NewTerminal("domain.spec_invalid", "domain",
			fmt.Sprintf("cannot be read: %v", err), "correct the domain block")}
	}
	c := checker{}
	p := parsed{
		hostname: c.hostname(spec),
		target:   c.target(spec),
		ttl:      c.ttl(spec.TTL),
	}
	p.v4, p.v6 = c.addresses(spec.Addresses)
	c.destination(spec)
	c.loop(p)
	c.adopt(spec.Adopt)
	return spec, p, c.faults
}

// checker collects what is wrong with a spec.
type checker struct{ faults []*fault.Fault }

func (c *checker) refuse(code, path, found, action string) {
	c.faults = append(c.faults, fault.NewTerminal("domain."+code, "domain."+path, found, action))
}

func (c *checker) hostname(spec Spec) string {
	name, err := Name(spec.Hostname)
	if err != nil {
		c.refuse("hostname_invalid", "hostname", err.Error(), "write a host name like app.example.com")
		return ""
	}
	if spec.Wildcard && len(wildcardOf(name)) > maxNameLength+1 {
		c.refuse("hostname_invalid", "hostname", "is too long to have a wildcard below it", "shorten it by two bytes, or set wildcard = false")
	}
	return name
}

func (c *checker) target(spec Spec) string {
	if spec.Target == "" {
		return ""
	}
	name, err := Target(spec.Target)
	if err != nil {
		c.refuse("target_invalid", "target", err.Error(), "write a host name like edge.example.net, or use addresses")
	}
	return name
}

func (c *checker) addresses(spelled []string) (v4, v6 []string) {
	seen := map[string]string{}
	for _, s := range spelled {
		address, err := Address(s)
		if err != nil {
			c.refuse("address_invalid", "addresses", err.Error(), "write an IPv4 or IPv6 address, or use target for a name")
			continue
		}
		if first, twice := seen[address]; twice {
			c.refuse("address_duplicate", "addresses", fmt.Sprintf("%q and %q are the same address", first, s), "remove one of them")
			continue
		}
		seen[address] = s
		if isIPv6(address) {
			v6 = append(v6, address)
		} else {
			v4 = append(v4, address)
		}
	}
	return v4, v6
}

func (c *checker) destination(spec Spec) {
	switch {
	case spec.Target == "" && len(spec.Addresses) == 0:
		c.refuse("destination_missing", "target", "neither target nor addresses is set", "set one of them")
	case spec.Target != "" && len(spec.Addresses) > 0:
		c.refuse("destination_ambiguous", "target", "both target and addresses are set", "keep one of them")
	}
}

func (c *checker) loop(p parsed) {
	if p.target != "" && p.target == p.hostname {
		c.refuse("target_invalid", "target", fmt.Sprintf("leads back to the hostname %s", p.hostname), "name the host that serves it")
	}
}

func (c *checker) ttl(ttl int64) int64 {
	if ttl == 0 {
		return DefaultTTL
	}
	if ttl < 0 || ttl > MaxTTL {
		c.refuse("ttl_invalid", "ttl", fmt.Sprintf("is %d seconds", ttl), fmt.Sprintf("use 1 to %d seconds", MaxTTL))
	}
	return ttl
}

func (c *checker) adopt(adopt string) {
	if !slices.Contains([]string{"", "matching", "overwrite"}, adopt) {
		c.refuse("adopt_invalid", "adopt", fmt.Sprintf("is %q", adopt), `use "matching" or "overwrite", or leave it out`)
	}
}

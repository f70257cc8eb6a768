package domaintf

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/domain"
	"github.com/tenantplane/terraform-provider-tenant/internal/surface"
)

// observe puts the record sets that exist into the model. Without any set at
// the host name itself there is no domain.
func observe(m model, seen surface.Seen) (model, bool) {
	var target string
	var addresses []string
	main, present := surface.SeenObject{}, false
	for _, object := range []string{domain.RecordV6, domain.Record} {
		set, found := seen[object]
		if !found {
			continue
		}
		main, present = set, true
		if set.Fields.Get(domain.FieldType) == domain.CNAME {
			target = set.Fields.Get(domain.FieldValues)
		} else {
			addresses = append(addresses, set.Fields[domain.FieldValues]...)
		}
	}
	if !present {
		return m, false
	}
	m.Hostname = surface.Keep(m.Hostname, main.Fields.Get(domain.FieldName), canonicalName)
	m.FQDN = types.StringValue(main.Fields.Get(domain.FieldName))
	m.Target = surface.Keep(m.Target, target, canonicalTarget)
	m.Addresses = surface.KeepSet(m.Addresses, addresses, canonicalAddress)
	m.TTL = ttlOf(main, m.TTL)
	m.Wildcard = types.BoolValue(hasWildcard(seen))
	return m, true
}

// ttlOf is the TTL at the host name itself, prior where it cannot be told. It
// must not depend on prior otherwise: what one refresh put into state is prior
// to the next. Another TTL of a further record set is in the differences.
func ttlOf(main surface.SeenObject, prior types.Int64) types.Int64 {
	ttl, err := main.Fields.Int(domain.FieldTTL)
	if err != nil {
		return prior
	}
	return types.Int64Value(ttl)
}

func hasWildcard(seen surface.Seen) bool {
	for object := range seen {
		if strings.HasPrefix(object, domain.Wildcard) {
			return true
		}
	}
	return false
}

func canonicalName(written string) string {
	if name, err := domain.Name(written); err == nil {
		return name
	}
	return written
}

func canonicalTarget(written string) string {
	if name, err := domain.Target(written); err == nil {
		return name
	}
	return written
}

func canonicalAddress(written string) string {
	if address, err := domain.Address(written); err == nil {
		return address
	}
	return written
}

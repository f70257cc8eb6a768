package domain

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// The record types this component makes.
const (
	A     = "A"
	AAAA  = "AAAA"
	CNAME = "CNAME"
)

// The fields of every object of this component.
const (
	// FieldName is the owner name, absolute and lower-case.
	FieldName = "name"
	// FieldType is the record type.
	FieldType = "type"
	// FieldValues are the sorted canonical values.
	FieldValues = "values"
	// FieldTTL is the time to live in seconds.
	FieldTTL = "ttl"
)

// RRSet is the content of one object: all records of one owner name and type.
type RRSet struct {
	// Name is the owner name; see Name for its spelling.
	Name string
	// Type is A, AAAA or CNAME.
	Type string
	// Values are addresses, or the one name a CNAME leads to.
	Values []string
	// TTL is the time to live in seconds.
	TTL int64
}

// Fields returns the canonical content, the same for every spelling of r: the
// component calls it on what the user wants, a backend on what a server said.
// Values a server holds that cannot be read stay as they are, so that they
// show as drift.
func (r RRSet) Fields() tenant.Fields {
	values := make([]string, len(r.Values))
	for i, value := range r.Values {
		values[i] = canonicalValue(r.Type, value)
	}
	slices.Sort(values)
	fields := tenant.Fields{}
	fields.Set(FieldName, Served(r.Name))
	fields.Set(FieldType, r.Type)
	fields.Set(FieldValues, values...)
	fields.SetInt(FieldTTL, r.TTL)
	return fields
}

func canonicalValue(recordType, value string) string {
	if recordType == CNAME {
		return Served(value)
	}
	if address, err := netip.ParseAddr(value); err == nil {
		return address.String()
	}
	return value
}

// ParseFields reads what Fields wrote; the error names the field.
func ParseFields(f tenant.Fields) (RRSet, error) {
	ttl, err := f.Int(FieldTTL)
	if err != nil {
		return RRSet{}, err
	}
	for _, name := range []string{FieldName, FieldType, FieldValues} {
		if f.Get(name) == "" {
			return RRSet{}, fmt.Errorf("field %s is not set", name)
		}
	}
	return RRSet{Name: f.Get(FieldName), Type: f.Get(FieldType), Values: slices.Clone(f[FieldValues]), TTL: ttl}, nil
}

package tenant

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Fields is the canonical content of one external object: what the engine
// compares, the ledger stores and the backends send. A field is a list of
// strings; a scalar has one element; a field that is not set is absent.
// Components and backends put values in canonical form (case folded, sorted,
// absolute) before they enter a Fields, so plain equality is the right one.
type Fields map[string][]string

// Set stores a list; an empty one removes the field.
func (f Fields) Set(name string, values ...string) {
	if len(values) == 0 {
		delete(f, name)
		return
	}
	f[name] = values
}

// SetInt stores a whole number.
func (f Fields) SetInt(name string, n int64) { f.Set(name, strconv.FormatInt(n, 10)) }

// SetBool stores "true" or "false".
func (f Fields) SetBool(name string, b bool) { f.Set(name, strconv.FormatBool(b)) }

// Get returns the first value of a field, "" when it is absent.
func (f Fields) Get(name string) string {
	if len(f[name]) == 0 {
		return ""
	}
	return f[name][0]
}

// Int returns a field as a whole number; the error names the field.
func (f Fields) Int(name string) (int64, error) {
	n, err := strconv.ParseInt(f.Get(name), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("field %s: %w", name, err)
	}
	return n, nil
}

// Bool tells whether a field is exactly "true".
func (f Fields) Bool(name string) bool { return f.Get(name) == "true" }

// Names returns the names of all set fields, sorted.
func (f Fields) Names() []string { return slices.Sorted(maps.Keys(f)) }

// Clone returns a deep copy.
func (f Fields) Clone() Fields {
	if f == nil {
		return nil
	}
	out := make(Fields, len(f))
	for name, values := range f {
		out[name] = slices.Clone(values)
	}
	return out
}

// Change is one field that differs. A side on which the field is absent is nil.
type Change struct {
	Field string
	From  []string
	To    []string
}

// Diff returns the changes that lead from f to want, for the fields that want
// names, sorted by field. Fields only f has are not the owner's business:
// backends report more than a spec can say.
func (f Fields) Diff(want Fields) []Change {
	var changes []Change
	for _, name := range want.Names() {
		if !slices.Equal(f[name], want[name]) {
			changes = append(changes, Change{Field: name, From: f[name], To: want[name]})
		}
	}
	return changes
}

// Fingerprint is a hash of the canonical content, equal for equal Fields.
func (f Fields) Fingerprint() string {
	h := sha256.New()
	for _, name := range f.Names() {
		fmt.Fprintf(h, "%q=%q\n", name, f[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

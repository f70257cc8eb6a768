package surface

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// KnownAfterApply is a computed leaf that keeps its prior value when it has
// one, and is unknown until the apply otherwise.
func KnownAfterApply(prior types.String) types.String {
	if prior.IsNull() || prior.IsUnknown() {
		return types.StringUnknown()
	}
	return prior
}

// Keep returns prior when its canonical form is what was seen, so that the
// user's spelling stays, and what was seen otherwise. Seen as "" means not
// set: null, unless the user wrote "".
func Keep(prior types.String, seen string, canonical func(string) string) types.String {
	if !prior.IsNull() && canonical(prior.ValueString()) == seen {
		return prior
	}
	if seen == "" {
		if prior.ValueString() == "" {
			return prior
		}
		return types.StringNull()
	}
	return types.StringValue(seen)
}

// KeepSet is Keep for an unordered list: prior stays when its canonical
// members are exactly those seen; members of prior that are still there keep
// their spelling. Seen as empty stays null or empty, as the user wrote it.
func KeepSet(prior types.Set, seen []string, canonical func(string) string) types.Set {
	spelling := map[string]attr.Value{}
	for _, e := range prior.Elements() {
		if s, isString := e.(types.String); isString {
			spelling[canonical(s.ValueString())] = s
		}
	}
	if len(seen) == 0 && len(spelling) == 0 {
		return emptyOrNull(prior)
	}
	if len(seen) == 0 {
		return types.SetNull(types.StringType)
	}
	values := make([]attr.Value, 0, len(seen))
	for _, s := range slices.Sorted(slices.Values(seen)) {
		if as, known := spelling[s]; known {
			values = append(values, as)
		} else {
			values = append(values, types.StringValue(s))
		}
	}
	return types.SetValueMust(types.StringType, values)
}

// emptyOrNull keeps the difference between an empty set and none, with the
// element type filled in.
func emptyOrNull(prior types.Set) types.Set {
	if prior.IsNull() {
		return types.SetNull(types.StringType)
	}
	return types.SetValueMust(types.StringType, nil)
}

// Strings returns the members of a set or list of known strings.
func Strings(elements []attr.Value) []string {
	var out []string
	for _, e := range elements {
		if s, isString := e.(types.String); isString && !s.IsNull() {
			out = append(out, s.ValueString())
		}
	}
	return out
}

// StringSet makes a set, null when values is empty.
func StringSet(values []string) types.Set {
	if len(values) == 0 {
		return types.SetNull(types.StringType)
	}
	return types.SetValueMust(types.StringType, stringValues(values))
}

// StringList makes a list, null when values is empty.
func StringList(values []string) types.List {
	if len(values) == 0 {
		return types.ListNull(types.StringType)
	}
	return types.ListValueMust(types.StringType, stringValues(values))
}

// OptionalString makes a string, null when s is empty.
func OptionalString(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

func stringValues(values []string) []attr.Value {
	out := make([]attr.Value, 0, len(values))
	for _, v := range values {
		out = append(out, types.StringValue(v))
	}
	return out
}

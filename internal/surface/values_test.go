package surface_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/surface"
)

func TestTheUsersSpellingStaysWhileItMeansTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		prior types.String
		seen  string
		want  types.String
	}{
		"same in other case":           {types.StringValue("Acme"), "acme", types.StringValue("Acme")},
		"another value":                {types.StringValue("Acme"), "other", types.StringValue("other")},
		"not written, nothing there":   {types.StringNull(), "", types.StringNull()},
		"written empty, nothing there": {types.StringValue(""), "", types.StringValue("")},
		"written, gone":                {types.StringValue("Acme"), "", types.StringNull()},
		"not written, something there": {types.StringNull(), "acme", types.StringValue("acme")},
	} {
		if got := surface.Keep(c.prior, c.seen, strings.ToLower); !got.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestASetKeepsTheSpellingOfTheMembersThatAreStillThere(t *testing.T) {
	set := func(members ...string) types.Set {
		if members == nil {
			members = []string{}
		}
		values := types.SetNull(types.StringType)
		if len(members) > 0 {
			values = surface.StringSet(members)
		}
		return values
	}
	empty, diags := types.SetValueFrom(t.Context(), types.StringType, []string{})
	if diags.HasError() {
		t.Fatal(diags)
	}
	for name, c := range map[string]struct {
		prior types.Set
		seen  []string
		want  types.Set
	}{
		"the same":               {set("A", "b"), []string{"a", "b"}, set("A", "b")},
		"one gone":               {set("A", "B"), []string{"a"}, set("A")},
		"one more":               {set("A"), []string{"a", "x"}, set("A", "x")},
		"all gone":               {set("A"), nil, types.SetNull(types.StringType)},
		"not written, none":      {types.SetNull(types.StringType), nil, types.SetNull(types.StringType)},
		"zero value, none":       {types.Set{}, nil, types.SetNull(types.StringType)},
		"written empty, none":    {empty, nil, empty},
		"written empty, one":     {empty, []string{"x"}, set("x")},
		"not written, something": {types.SetNull(types.StringType), []string{"x"}, set("x")},
	} {
		if got := surface.KeepSet(c.prior, c.seen, strings.ToLower); !got.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestAnIDIsKnownAgainOnceItWasKnown(t *testing.T) {
	if got := surface.KnownAfterApply(types.StringValue("id")); got.ValueString() != "id" {
		t.Errorf("a known id became %s", got)
	}
	for _, prior := range []types.String{types.StringNull(), types.StringUnknown()} {
		if got := surface.KnownAfterApply(prior); !got.IsUnknown() {
			t.Errorf("%s became %s, want unknown", prior, got)
		}
	}
}

func TestStringsLeavesOutWhatHasNoValue(t *testing.T) {
	list := types.ListValueMust(types.StringType, nil)
	if got := surface.Strings(list.Elements()); len(got) != 0 {
		t.Errorf("an empty list gave %q", got)
	}
	if got := surface.Strings(surface.StringList([]string{"a", "b"}).Elements()); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q", got)
	}
}

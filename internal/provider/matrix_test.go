package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// optional is one optional attribute with the ways to write it.
type optional struct {
	block, name string
	// required are the block's other attributes.
	required string
	// empty is the empty spelling, "" where there is none.
	empty, set string
	// clear is what state holds when it is not set.
	clear knownvalue.Check
}

func optionals(seed string) []optional {
	null := knownvalue.Null()
	hostname := `hostname = "acme.ZONE", target = "edge.example.net"`
	plan := `plan = "pro", email = "ap@acme.example"`
	return []optional{
		{"identity", "domains", "", "[]", `["acme.example"]`, null},
		{"identity", "redirect_url", "", `""`, `"https://app.acme.example/"`, null},
		{"billing", "seats", plan, "", "7", knownvalue.Int64Exact(1)},
		{"database", "seed", "", "[]", "[" + quote(seed) + "]", null},
		{"database", "on_destroy", "", "", `"cascade"`, null},
		{"database", "adopt", "", "", `"matching"`, null},
		{"storage", "versioning", "", "false", "true", knownvalue.Bool(false)},
		{"storage", "on_destroy", "", "", `"purge"`, null},
		{"storage", "adopt", "", "", `"overwrite"`, null},
		{"domain", "ttl", hostname, "", "60", knownvalue.Int64Exact(300)},
		{"domain", "wildcard", hostname, "false", "true", knownvalue.Bool(false)},
		{"domain", "adopt", hostname, "", `"matching"`, null},
		{"deletion", "protection", "", "false", "true", null},
		{"deletion", "data", "", "", `"delete"`, null},
		{"deletion", "retention_days", "", "0", "30", null},
	}
}

// TestC52 goes through every optional attribute: unset, null, empty, set, and
// unset again. Every apply must pass Terraform's consistency check and leave an
// empty plan.
func TestC52_AccUnsetNullAndEmptyAreKeptAndUnsettingClears(t *testing.T) {
	w := inSandbox(t)
	seed := filepath.Join(t.TempDir(), "roles.sql")
	w.must(os.WriteFile(seed, []byte("CREATE TABLE app_role (name text PRIMARY KEY);"), 0o600))
	// One step sets the same cell of all attributes at once: they are
	// independent, and 15 × 5 applies would take minutes.
	cells := []struct {
		name  string
		write func(o optional) string
	}{
		{"unset", func(optional) string { return "" }},
		{"null", func(optional) string { return "null" }},
		{"empty", func(o optional) string { return o.empty }},
		{"set", func(o optional) string { return o.set }},
		{"unset again", func(optional) string { return "" }},
		{"set again", func(o optional) string { return o.set }},
		{"null again", func(optional) string { return "null" }},
		{"set a third time", func(o optional) string { return o.set }},
		{"empty again", func(o optional) string { return o.empty }},
	}
	var steps []resource.TestStep
	for _, cell := range cells {
		d := w.acme()
		blocks := map[string]string{}
		var checks []statecheck.StateCheck
		for _, o := range optionals(seed) {
			if blocks[o.block] == "" && o.required != "" {
				blocks[o.block] = o.required + ", "
			}
			if text := cell.write(o); text != "" {
				blocks[o.block] += fmt.Sprintf("%s = %s, ", o.name, text)
			}
			if text := cell.write(o); (text == "" || text == "null") && o.block != "deletion" {
				checks = append(checks, statecheck.ExpectKnownValue(acme, tfjsonpath.New(o.block).AtMapKey(o.name), o.clear))
			}
		}
		block := func(name string) string { return "{ " + blocks[name] + "}" }
		d.identity, d.billing, d.database = block("identity"), block("billing"), block("database")
		d.storage, d.deletion = block("storage"), block("deletion")
		d.domain = w.pointing("acme", block("domain")).domain
		steps = append(steps, resource.TestStep{
			PreConfig: func() { t.Log(cell.name) },
			Config:    w.config(d), ConfigPlanChecks: emptyAfter(), ConfigStateChecks: append(checks, ready()),
		})
	}
	last := w.acme()
	last.database, last.storage = `{ on_destroy = "cascade", seed = [`+quote(seed)+`] }`, `{ on_destroy = "purge" }`
	run(t, append(steps, resource.TestStep{Config: w.config(last)})...)
	w.mustHold(nothing)
}

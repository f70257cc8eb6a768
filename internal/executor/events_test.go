package executor_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// schemas are the published ones.
const schemas = "../../docs/events"

// TestEveryEventOfALifeFitsItsPublishedSchema lets a tenant live through
// everything there is an event for.
func TestEveryEventOfALifeFitsItsPublishedSchema(t *testing.T) {
	s := newStage(t)
	want := spec("acme")
	s.strangersRecord("acme")
	s.apply(want, ledger.Blocked)
	s.deleteRecord("acme")
	s.apply(want, ledger.Ready)
	s.deleteRecord("acme")
	s.look(want)
	s.apply(want, ledger.Ready)
	if _, err := s.Suspend(t.Context(), "acme", "unpaid", "operator"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Resume(t.Context(), "acme", "paid", "operator"); err != nil {
		t.Fatal(err)
	}
	s.apply(want, ledger.Ready)
	s.destroy("acme")
	events, err := s.Ledger.Events(t.Context(), ledger.EventFilter{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range events {
		seen[e.Type] = true
		schema, err := jsonschema.NewCompiler().Compile(filepath.Join(schemas, e.Type+".json"))
		if err != nil {
			t.Fatal(err)
		}
		data := e.Data
		if len(data) == 0 {
			data = []byte("{}") // as it is sent
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s %s: %v", e.Type, data, err)
		}
		object, _ := value.(map[string]any)
		for name := range object {
			if schema.Properties[name] == nil {
				t.Errorf("%s: the schema does not tell of %q", e.Type, name)
			}
		}
	}
	files, err := os.ReadDir(schemas)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), ".json"); !seen[name] {
			t.Errorf("%s is published and did not happen", name)
		}
	}
}

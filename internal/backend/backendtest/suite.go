package backendtest

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Suite describes one backend to the conformance tests. Specs may contain
// "%ID%", which stands for the subject's tenant id, so that content that must
// be unique in the system (a host name, an e-mail) can be.
type Suite struct {
	// Open makes a backend on the real system. HTTP backends must send every
	// request through transport; it is nil when the test injects nothing.
	Open func(t *testing.T, transport http.RoundTripper) backend.Backend
	// HTTP: the backend speaks HTTP, so that faults can be injected into its
	// transport.
	HTTP bool
	// Component compiles the specs below.
	Component engine.Component
	// Region is the subject's region; "" means "test".
	Region string
	// Spec is a valid spec and Changed one that differs in fields that can
	// change in place.
	Spec    string
	Changed string
	// Edit changes the content of an object behind the backend's back, so that
	// at least one field of Spec differs; nil when content cannot be changed.
	Edit func(t *testing.T, target backend.Target)
	// Vanish deletes an object behind the backend's back.
	Vanish func(t *testing.T, target backend.Target)
	// Strip makes an object look as if a stranger had made it by hand: no
	// marker of ours. nil when the system cannot hold an unmarked object.
	Strip func(t *testing.T, target backend.Target)
	// Crowd puts enough unrelated objects into the system that lists need
	// several pages; nil when the system has no lists.
	Crowd func(t *testing.T)
	// FillData puts user data into the container; nil for components without
	// data.
	FillData func(t *testing.T, target backend.Target)
}

// world is one subject on one backend during a test.
type world struct {
	t       *testing.T
	suite   Suite
	backend backend.Backend
	subject tenant.Subject
	// ids are the external ids recorded so far, by "component.object".
	ids map[string]string
}

// newWorld opens the backend for a subject nobody used before.
func newWorld(t *testing.T, s Suite, transport http.RoundTripper) *world {
	t.Helper()
	installation, err := tenant.NewInstallation(rand.Reader)
	if err != nil {
		t.Fatalf("draw installation: %v", err)
	}
	region := s.Region
	if region == "" {
		region = "test"
	}
	id := tenant.ID("ct-" + strings.ToLower(rand.Text()[:10]))
	return &world{
		t: t, suite: s, backend: s.Open(t, transport), ids: map[string]string{},
		subject: tenant.Subject{Installation: installation, ID: id, DisplayName: "Conformance " + string(id), Region: region},
	}
}

// stranger is the same tenant id seen from another installation: it derives
// other names, so tests give it this world's names on purpose.
func (w *world) stranger(transport http.RoundTripper) *world {
	other := *w
	installation, err := tenant.NewInstallation(rand.Reader)
	if err != nil {
		w.t.Fatalf("draw installation: %v", err)
	}
	other.subject.Installation = installation
	other.backend = w.suite.Open(w.t, transport)
	other.ids = map[string]string{}
	return &other
}

// wants compiles a spec into one Want per object, in creation order.
func (w *world) wants(spec string) []backend.Want {
	w.t.Helper()
	text := strings.ReplaceAll(spec, "%ID%", string(w.subject.ID))
	objects, faults := w.suite.Component.Compile(w.subject, tenant.Deletion{Data: tenant.DeleteData}, json.RawMessage(text))
	for _, f := range faults {
		w.t.Fatalf("compile %s: %v", text, f)
	}
	if len(objects) == 0 {
		w.t.Fatalf("compile %s: no objects", text)
	}
	var wants []backend.Want
	for _, o := range objects {
		wants = append(wants, backend.Want{
			Target: backend.Target{
				Subject: w.subject, Component: o.ID.Component, Object: o.ID.Object, Name: o.Name, Path: o.Path,
			},
			Fields: o.Fields, Inputs: o.Inputs,
			Key: tenant.Key(w.subject.Installation, w.subject.ID, o.ID.Component, o.ID.Object, 1, 1),
		})
	}
	return wants
}

// target returns want's target with what has been recorded so far.
func (w *world) target(want backend.Want) backend.Target {
	target := want.Target
	target.Refs = w.ids
	target.ExternalID = w.ids[key(want.Target)]
	return target
}

func key(t backend.Target) string { return t.Component + "." + t.Object }

// ensure makes one object and records its id.
func (w *world) ensure(want backend.Want, observed *backend.Observation) (backend.Observation, error) {
	w.t.Helper()
	want.Target = w.target(want)
	want.Observed = observed
	got, err := w.backend.Ensure(w.t.Context(), want)
	if err == nil {
		w.ids[key(want.Target)] = got.ExternalID
	}
	return got, err
}

// mustEnsure is ensure for steps that have to work.
func (w *world) mustEnsure(want backend.Want, observed *backend.Observation) backend.Observation {
	w.t.Helper()
	got, err := w.ensure(want, observed)
	if err != nil {
		w.t.Fatalf("ensure %s: %v", key(want.Target), err)
	}
	return got
}

// mustObserve observes an object that has to be there.
func (w *world) mustObserve(want backend.Want) backend.Observation {
	w.t.Helper()
	got, err := w.backend.Observe(w.t.Context(), w.target(want))
	if err != nil {
		w.t.Fatalf("observe %s: %v", key(want.Target), err)
	}
	return got
}

// mustRemove removes an object that may go.
func (w *world) mustRemove(want backend.Want) backend.Receipt {
	w.t.Helper()
	receipt, err := w.backend.Remove(w.t.Context(), w.removal(want, tenant.DeleteData))
	if err != nil {
		w.t.Fatalf("remove %s: %v", key(want.Target), err)
	}
	return receipt
}

func (w *world) removal(want backend.Want, data tenant.DataPolicy) backend.Removal {
	return backend.Removal{Target: w.target(want), Key: want.Key + "/remove", Data: data}
}

// makeAll creates every object of the suite's spec.
func (w *world) makeAll() []backend.Want {
	w.t.Helper()
	wants := w.wants(w.suite.Spec)
	for _, want := range wants {
		w.mustEnsure(want, nil)
	}
	return wants
}

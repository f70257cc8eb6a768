package fault_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

func TestAFaultNamesPathFindingAndAction(t *testing.T) {
	f := fault.NewTerminal("domain.zone_unknown", "domain.hostname", "no zone has it", "create the zone")
	if got, want := f.Error(), "domain.hostname: no zone has it (create the zone)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAFaultKeepsItsKindAndCauseThroughWrapping(t *testing.T) {
	err := fmt.Errorf("powerdns: read: %w", fault.NewAmbiguous("x", "no answer", io.ErrUnexpectedEOF))
	if !fault.Is(err, fault.Ambiguous) || fault.Is(err, fault.NotFound) {
		t.Error("the kind is lost")
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is lost")
	}
	if fault.From(err).Code != "x" {
		t.Error("the code is lost")
	}
}

func TestAnUnknownErrorIsNeverAbsence(t *testing.T) {
	f := fault.From(errors.New("something odd"))
	if f.Kind != fault.Retryable {
		t.Errorf("kind %s, want retryable", f.Kind)
	}
	if fault.From(nil) != nil {
		t.Error("no error became a fault")
	}
}

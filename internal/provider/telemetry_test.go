package provider_test

import (
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

// An apply's spans and metrics arrive although Terraform ends the provider right
// after it, and they belong to the trace that the run was started in.
func TestAccAnApplyIsSeenInTheTraceItWasStartedIn(t *testing.T) {
	const trace = "0af7651916cd43dd8448eb211c80319c"
	w, collector := inSandbox(t), acctest.OTLP(t)
	c := newCLI(t, w.config(w.acme()))
	c.runWith([]string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL, "TRACEPARENT=00-" + trace + "-b7ad6b7169203331-01"}, 0, "apply", "-auto-approve")
	for _, name := range []string{"tenant.pass", "tenant.create", "tenant.observe", "HTTP POST"} {
		spans := collector.Spans(name)
		if len(spans) == 0 {
			t.Errorf("no span %s arrived", name)
		}
		for _, s := range spans {
			if s.Trace != trace {
				t.Errorf("a span %s is of trace %s", name, s.Trace)
			}
			for attribute, value := range s.Attributes {
				if strings.Contains(value, "secret") || strings.Contains(value, "sk_") {
					t.Errorf("%s: %s = %s", name, attribute, value)
				}
			}
		}
	}
	for _, name := range []string{"tenant.attempts", "tenant.calls", "tenant.requeue.delay", "tenant.convergence.duration"} {
		if collector.Metrics()[name] == 0 {
			t.Errorf("no %s arrived: %v", name, collector.Metrics())
		}
	}
}

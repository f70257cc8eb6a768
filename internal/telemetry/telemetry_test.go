package telemetry_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/telemetry"
)

func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }

const (
	trace       = "0af7651916cd43dd8448eb211c80319c"
	parentSpan  = "b7ad6b7169203331"
	traceparent = "00-" + trace + "-" + parentSpan + "-01"
)

// environment is a process's.
type environment map[string]string

func (e environment) get(name string) string { return e[name] }

func start(t *testing.T, e environment) *telemetry.Telemetry {
	t.Helper()
	// The exporters read the process's own environment.
	for name, value := range e {
		t.Setenv(name, value)
	}
	told, err := telemetry.Start(t.Context(), "test", e.get)
	if err != nil {
		t.Fatal(err)
	}
	return told
}

func TestNothingIsStartedUnlessTheEnvironmentAsks(t *testing.T) {
	for name, e := range map[string]environment{
		"nothing":            {},
		"only a parent":      {"TRACEPARENT": traceparent},
		"disabled":           {"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
		"none":               {"OTEL_TRACES_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"},
		"an unknown one":     {"OTEL_TRACES_EXPORTER": "console"},
		"logs, not ours yet": {"OTEL_LOGS_EXPORTER": "otlp"},
	} {
		told := start(t, e)
		if told != nil {
			t.Errorf("%s: something was started", name)
		}
		// A nil one does nothing, everywhere.
		ctx, end := told.Span(t.Context(), "x")
		end(errors.New("x"))
		told.Attempt(ctx, "a", "b", "c")
		told.Passed(ctx, telemetry.Pass{Calls: 1})
		told.BreakerOpened(ctx, "tenant")
		if told.Transport(nil) != nil {
			t.Errorf("%s: calls are wrapped", name)
		}
		if err := errors.Join(told.ObserveFleet(nil), told.Shutdown(ctx)); err != nil {
			t.Error(err)
		}
	}
}

func TestSpansBelongToTheTraceThatTheProcessWasStartedIn(t *testing.T) {
	collector := acctest.OTLP(t)
	told := start(t, environment{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL, "TRACEPARENT": traceparent})
	var seen http.Header
	system := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header }))
	defer system.Close()
	ctx, end := told.Span(t.Context(), "tenant.pass", telemetry.Attribute{Name: "tenant.id", Value: "acme"})
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, system.URL+"/path?secret=hunter2", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := told.Transport(nil).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	end(nil)
	if err := told.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	passes, calls := collector.Spans("tenant.pass"), collector.Spans("HTTP GET")
	if len(passes) != 1 || passes[0].Trace != trace || passes[0].Parent != parentSpan || passes[0].Attributes["tenant.id"] != "acme" {
		t.Errorf("the pass: %+v", passes)
	}
	if len(calls) != 1 || calls[0].Trace != trace {
		t.Fatalf("the call: %+v", calls)
	}
	for name, value := range calls[0].Attributes {
		if strings.Contains(value, "hunter2") {
			t.Errorf("%s holds a secret: %s", name, value)
		}
	}
	if !strings.HasPrefix(seen.Get("Traceparent"), "00-"+trace) {
		t.Errorf("the system was told of the trace %q", seen.Get("Traceparent"))
	}
}

func TestEveryMetricOfTheDesignIsExported(t *testing.T) {
	collector := acctest.OTLP(t)
	told := start(t, environment{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL})
	report(t, told)
	if err := told.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := collector.Metrics()
	for _, name := range []string{
		"tenant.attempts", "tenant.convergence.duration", "tenant.drift.oldest.age", "tenant.stuck", "tenant.calls",
		"tenant.failures", "tenant.requeue.delay", "tenant.generation.gap", "tenant.breaker.activations",
		"tenant.events.pending", "tenant.events.dead", "tenant.events.oldest.age", "tenant.ledger.transaction.oldest.age",
	} {
		if got[name] == 0 {
			t.Errorf("%s was not exported; got %v", name, got)
		}
	}
}

// report reports one of everything.
func report(t *testing.T, told *telemetry.Telemetry) {
	t.Helper()
	told.Attempt(t.Context(), "billing", "create", "done")
	told.Passed(t.Context(), telemetry.Pass{Calls: 4, Failures: 1, Requeue: time.Minute, Converged: time.Second})
	told.BreakerOpened(t.Context(), "tenant")
	err := told.ObserveFleet(func(context.Context) (telemetry.Fleet, error) {
		return telemetry.Fleet{OldestDrift: time.Hour, Gap: 2, Stuck: map[string]int64{"failed": 3}, Sinks: []telemetry.Sink{{Name: "hook", Pending: 1}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPrometheusCanScrape(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	told := start(t, environment{"OTEL_METRICS_EXPORTER": "prometheus", "OTEL_EXPORTER_PROMETHEUS_HOST": "127.0.0.1", "OTEL_EXPORTER_PROMETHEUS_PORT": port})
	report(t, told)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:"+port+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, want := range []string{`tenant_stuck{`, `tenant_drift_oldest_age_seconds{`, `tenant_attempts_total{`, `tenant_requeue_delay_seconds_bucket{`} {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, want) }) {
			t.Errorf("no line begins with %s", want)
		}
	}
	if err := told.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/telemetry"
)

// How long the last metrics and spans may take to be sent. Terraform kills a
// plugin two seconds after it asked it to end (hashicorp/go-plugin, Client.Kill).
const (
	pluginFlush  = 1500 * time.Millisecond
	commandFlush = 5 * time.Second
)

// startTelemetry starts what the OTEL_… variables ask for. What cannot be started
// is told and does not keep anybody from working.
func startTelemetry(ctx context.Context, version string, getenv func(string) string, limit time.Duration, errOut io.Writer) (t *telemetry.Telemetry, flush func()) {
	t, err := telemetry.Start(ctx, version, getenv)
	if err != nil {
		_, _ = fmt.Fprintln(errOut, "Warning:", err) // a lost warning is not worth an error
	}
	return t, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		defer cancel()
		if err := t.Shutdown(last); err != nil {
			_, _ = fmt.Fprintln(errOut, "Warning: telemetry was not sent:", err)
		}
	}
}

// withoutPrometheus hides the choice of Prometheus: Terraform runs several
// processes for seconds each, and nobody can scrape those.
func withoutPrometheus(getenv func(string) string) func(string) string {
	return func(name string) string {
		value := getenv(name)
		if name == "OTEL_METRICS_EXPORTER" && value == "prometheus" {
			return "none"
		}
		return value
	}
}

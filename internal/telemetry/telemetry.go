package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// scope names this program's instruments.
const scope = "github.com/tenantplane/terraform-provider-tenant"

// Telemetry is what spans and metrics are reported to; nil reports nothing.
type Telemetry struct {
	tracer      oteltrace.Tracer
	instruments *instruments
	parent      oteltrace.SpanContext
	meters      *metric.MeterProvider
	// closers end what was started, the last one first.
	closers []func(context.Context) error
}

// Start starts what the environment asks for; nil for nothing. version is this
// program's. What cannot be started is an error; the caller may go on with nil.
func Start(ctx context.Context, version string, getenv func(string) string) (*Telemetry, error) {
	c := readChoice(getenv)
	if c == (choice{}) {
		return nil, nil
	}
	about, err := resource.New(ctx, resource.WithFromEnv(), resource.WithTelemetrySDK(), resource.WithHost(),
		resource.WithAttributes(semconv.ServiceName("terraform-provider-tenant"), semconv.ServiceVersion(version)), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("telemetry: describe this process: %w", err)
	}
	t := &Telemetry{parent: parentOf(getenv("TRACEPARENT"), getenv("TRACESTATE"))}
	for _, start := range []func() error{
		func() error { return t.startTraces(ctx, c, about) },
		func() error { return t.startMetrics(ctx, c, about, getenv) },
	} {
		if err := start(); err != nil {
			return nil, errors.Join(err, t.Shutdown(ctx))
		}
	}
	return t, nil
}

func (t *Telemetry) startTraces(ctx context.Context, c choice, about *resource.Resource) error {
	if c.traces == "" {
		return nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return fmt.Errorf("telemetry: export traces: %w", err)
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(about))
	t.tracer = provider.Tracer(scope)
	t.closers = append(t.closers, provider.Shutdown)
	return nil
}

func (t *Telemetry) startMetrics(ctx context.Context, c choice, about *resource.Resource, getenv func(string) string) error {
	var reader metric.Reader
	switch c.metrics {
	case "":
		return nil
	case prometheusExporter:
		var err error
		if reader, err = t.servePrometheus(ctx, getenv); err != nil {
			return err
		}
	default:
		exporter, err := otlpmetrichttp.New(ctx)
		if err != nil {
			return fmt.Errorf("telemetry: export metrics: %w", err)
		}
		reader = metric.NewPeriodicReader(exporter)
	}
	t.meters = metric.NewMeterProvider(metric.WithReader(reader), metric.WithResource(about))
	t.closers = append(t.closers, t.meters.Shutdown)
	var err error
	t.instruments, err = newInstruments(t.meters.Meter(scope))
	return err
}

// servePrometheus serves /metrics where OTEL_EXPORTER_PROMETHEUS_HOST and _PORT
// say; localhost:9464 otherwise, as the specification has it.
func (t *Telemetry) servePrometheus(ctx context.Context, getenv func(string) string) (metric.Reader, error) {
	registry := prometheus.NewRegistry()
	reader, err := otelprometheus.New(otelprometheus.WithRegisterer(registry))
	if err != nil {
		return nil, fmt.Errorf("telemetry: export metrics: %w", err)
	}
	address := net.JoinHostPort(or(getenv("OTEL_EXPORTER_PROMETHEUS_HOST"), "localhost"), or(getenv("OTEL_EXPORTER_PROMETHEUS_PORT"), "9464"))
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("telemetry: serve metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // it ends with Shutdown
	t.closers = append(t.closers, server.Shutdown)
	return reader, nil
}

// Shutdown sends what is left, and ends. It takes as long as ctx lets it.
func (t *Telemetry) Shutdown(ctx context.Context) error {
	if t == nil {
		return nil
	}
	var errs []error
	for i := len(t.closers) - 1; i >= 0; i-- {
		errs = append(errs, t.closers[i](ctx))
	}
	t.closers = nil
	return errors.Join(errs...)
}

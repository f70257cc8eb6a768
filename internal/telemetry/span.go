package telemetry

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/metadata"
)

// w3c reads and writes trace parents (w3.org/TR/trace-context).
var w3c propagation.TraceContext

// parentOf reads the trace that this process was started in.
func parentOf(traceparent, tracestate string) trace.SpanContext {
	ctx := w3c.Extract(context.Background(), propagation.MapCarrier{"traceparent": traceparent, "tracestate": tracestate})
	return trace.SpanContextFromContext(ctx)
}

// Attribute is a name and a value on a span. Values are never secret.
type Attribute struct{ Name, Value string }

// Span begins a span; end ends it, with the error that came of it. The parent is
// the span in ctx, else the caller's of a gRPC call, else the one this process
// was started in, which is how Terraform hands its own on.
func (t *Telemetry) Span(ctx context.Context, name string, attributes ...Attribute) (_ context.Context, end func(error)) {
	if t == nil || t.tracer == nil {
		return ctx, func(error) {}
	}
	pairs := make([]attribute.KeyValue, 0, len(attributes))
	for _, a := range attributes {
		if a.Value != "" {
			pairs = append(pairs, attribute.String(a.Name, a.Value))
		}
	}
	ctx, span := t.tracer.Start(t.withParent(ctx), name, trace.WithAttributes(pairs...))
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, err.Error())
		}
		span.End()
	}
}

func (t *Telemetry) withParent(ctx context.Context) context.Context {
	if trace.SpanContextFromContext(ctx).IsValid() {
		return ctx
	}
	if incoming, called := metadata.FromIncomingContext(ctx); called && len(incoming.Get("traceparent")) > 0 {
		return w3c.Extract(ctx, propagation.HeaderCarrier(http.Header{"Traceparent": incoming.Get("traceparent"), "Tracestate": incoming.Get("tracestate")}))
	}
	if t.parent.IsValid() {
		return trace.ContextWithRemoteSpanContext(ctx, t.parent)
	}
	return ctx
}

// Transport wraps a round tripper: a span for every attempt, and the trace
// parent for the system that is called. nil telemetry returns base as it is.
func (t *Telemetry) Transport(base http.RoundTripper) http.RoundTripper {
	if t == nil || t.tracer == nil {
		return base
	}
	if base == nil {
		base = http.DefaultTransport
	}
	return roundTripper{t, base}
}

type roundTripper struct {
	telemetry *Telemetry
	base      http.RoundTripper
}

// RoundTrip implements http.RoundTripper. The span names method and host, never
// the URL: a query may hold what is nobody else's business.
func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, end := r.telemetry.Span(request.Context(), "HTTP "+request.Method,
		Attribute{"http.request.method", request.Method}, Attribute{"server.address", request.URL.Hostname()})
	request = request.Clone(ctx)
	w3c.Inject(ctx, propagation.HeaderCarrier(request.Header))
	response, err := r.base.RoundTrip(request)
	if err == nil {
		trace.SpanFromContext(ctx).SetAttributes(attribute.Int("http.response.status_code", response.StatusCode))
	}
	end(err)
	return response, err
}

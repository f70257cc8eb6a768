package acctest

import (
	"compress/gzip"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	collectormetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collectortraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector is an OTLP/HTTP receiver (opentelemetry.io/docs/specs/otlp) that
// remembers the names of what it receives.
type Collector struct {
	URL string

	mu      sync.Mutex
	spans   map[string][]Span
	metrics map[string]int
}

// Span is what is remembered of a span.
type Span struct {
	Trace, Parent string
	// Attributes are the string attributes.
	Attributes map[string]string
}

// OTLP starts a collector, which ends with the test.
func OTLP(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{spans: map[string][]Span{}, metrics: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(c.take))
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// Spans returns the spans of a name.
func (c *Collector) Spans(name string) []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spans[name]
}

// Metrics counts the data points received, by metric.
func (c *Collector) Metrics() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]int{}
	for name, n := range c.metrics {
		out[name] = n
	}
	return out
}

func (c *Collector) take(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		body = unpacked
	}
	text, err := io.ReadAll(body)
	if err == nil {
		err = c.read(r.URL.Path, text)
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
	}
}

func (c *Collector) read(path string, text []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if path == "/v1/traces" {
		return c.readTraces(text)
	}
	var request collectormetrics.ExportMetricsServiceRequest
	if err := proto.Unmarshal(text, &request); err != nil {
		return err
	}
	for _, resource := range request.GetResourceMetrics() {
		for _, scope := range resource.GetScopeMetrics() {
			for _, m := range scope.GetMetrics() {
				c.metrics[m.GetName()]++
			}
		}
	}
	return nil
}

func (c *Collector) readTraces(text []byte) error {
	var request collectortraces.ExportTraceServiceRequest
	if err := proto.Unmarshal(text, &request); err != nil {
		return err
	}
	for _, resource := range request.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				span := Span{Trace: hex.EncodeToString(s.GetTraceId()), Parent: hex.EncodeToString(s.GetParentSpanId()), Attributes: map[string]string{}}
				for _, a := range s.GetAttributes() {
					span.Attributes[a.GetKey()] = a.GetValue().GetStringValue()
				}
				c.spans[s.GetName()] = append(c.spans[s.GetName()], span)
			}
		}
	}
	return nil
}

package telemetry

import "strings"

// The exporters that can be chosen.
const (
	otlpExporter       = "otlp"
	prometheusExporter = "prometheus"
)

// choice is what the environment asks for; "" is nothing.
type choice struct{ traces, metrics string }

// readChoice reads the standard variables. An endpoint alone asks for OTLP; the
// specification's default, OTLP to localhost without any variable, would make
// every run of Terraform look for a collector.
func readChoice(getenv func(string) string) choice {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return choice{}
	}
	pick := func(signal string) string {
		switch exporter := strings.ToLower(getenv("OTEL_" + signal + "_EXPORTER")); {
		case exporter != "":
			return exporter
		case getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "", getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != "":
			return otlpExporter
		}
		return ""
	}
	var c choice
	if pick("TRACES") == otlpExporter {
		c.traces = otlpExporter
	}
	if m := pick("METRICS"); m == otlpExporter || m == prometheusExporter {
		c.metrics = m
	}
	return c
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

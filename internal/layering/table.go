package layering

import "slices"

// Design returns the table of DESIGN section 3, in its order, with the rows the
// build needs beside it. A special case stands before its general one.
func Design() Table {
	return slices.Concat(core(), components(), stores(), backends(), movement(), surfaces(), proofs())
}

// core is what everything else is made of.
func core() Table {
	return Table{
		{Packages: "tenant", Pure: true},
		{Packages: "fault", Pure: true},
		{Packages: "clock"},
		{Packages: "event", May: []string{"tenant"}, Pure: true},
		{Packages: "event/cloudevent", May: []string{"event", "tenant"}, Pure: true},
		{Packages: "pace", May: []string{"clock", "fault"}, Modules: []string{"golang.org/x/time", "github.com/sony/gobreaker"}},
		{Packages: "engine", May: []string{"tenant", "fault"}, Pure: true, Bans: []string{"context", "log", "log/slog", "net"}},
	}
}

// components are the pure halves and their Terraform attributes. No component
// knows another one.
func components() Table {
	return Table{
		{Packages: "component/componenttest", May: []string{"tenant", "fault", "engine"}},
		{
			Packages: "component/*", May: []string{"tenant", "fault", "engine"},
			Modules: []string{"golang.org/x/net/idna"}, Pure: true, Bans: []string{"context"},
		},
		{Packages: "component/*/*tf", May: []string{"..", "surface", "tenant"}, Modules: framework()},
		{Packages: "surface", May: []string{"tenant"}, Modules: framework()},
	}
}

// stores are the ledger and its drivers.
func stores() Table {
	return Table{
		{Packages: "ledger", May: []string{"tenant", "event", "fault"}},
		{Packages: "ledger/queries"},
		{
			Packages: "ledger/sqlstore", May: []string{"ledger", "ledger/queries", "tenant", "event", "fault", "clock"},
			Modules: []string{"github.com/pressly/goose/v3"},
		},
		{
			Packages: "ledger/sqlite", May: []string{"ledger", "ledger/queries", "ledger/sqlstore", "tenant", "fault", "clock"},
			Modules: []string{"modernc.org/sqlite", "github.com/pressly/goose/v3", "github.com/gofrs/flock"},
		},
		{
			Packages: "ledger/postgres", May: []string{"ledger", "ledger/queries", "ledger/sqlstore", "tenant", "fault", "clock"},
			Modules: []string{"github.com/jackc/pgx/v5", "github.com/pressly/goose/v3"},
		},
		{
			Packages: "ledger/ledgertest", May: []string{"ledger", "tenant", "event", "fault", "clock"},
			Modules: []string{"github.com/google/go-cmp"},
		},
	}
}

// backends are the contract and one folder per external system. A backend knows
// the component it serves, for the canonical form of its fields.
func backends() Table {
	return Table{
		{Packages: "backend", May: []string{"tenant", "fault"}},
		{
			Packages: "backend/transport", May: []string{"clock", "fault"},
			Modules: []string{"github.com/hashicorp/go-retryablehttp"},
		},
		{
			Packages: "backend/middleware/...", May: []string{"backend", "backend/middleware/...", "pace", "clock", "telemetry", "tenant", "fault"},
			Modules: []string{"golang.org/x/time"},
		},
		{Packages: "backend/backendtest", May: []string{"backend", "engine", "tenant", "fault"}},
		{Packages: "backend/postgres", May: vendor(), Modules: []string{"github.com/jackc/pgx/v5"}},
		{Packages: "backend/sqlite", May: vendor(), Modules: []string{"modernc.org/sqlite", "github.com/gofrs/flock"}},
		{Packages: "backend/s3", May: vendor(), Modules: []string{"github.com/minio/minio-go/v7"}},
		{Packages: "backend/powerdns", May: vendor(), Modules: []string{"github.com/joeig/go-powerdns/v3"}},
		{Packages: "backend/stripe", May: vendor(), Modules: []string{"github.com/stripe/stripe-go/v85"}},
		{Packages: "backend/*", May: vendor()},
	}
}

// movement is what makes tenants real and keeps them so.
func movement() Table {
	return Table{
		{
			Packages: "executor",
			May:      []string{"tenant", "engine", "ledger", "backend", "pace", "event", "clock", "fault", "telemetry"},
			Modules:  []string{"golang.org/x/sync"},
		},
		{Packages: "sweep", May: []string{"executor", "ledger", "clock", "tenant", "fault"}, Modules: []string{"github.com/riverqueue/river"}},
		{Packages: "sweep/wake", May: []string{"ledger", "clock", "tenant", "fault"}},
		{Packages: "sink", May: []string{"tenant"}},
		{Packages: "sink/sinktest", May: []string{"sink", "tenant", "fault"}},
		{Packages: "sink/nats", May: []string{"sink", "event/cloudevent", "fault"}, Modules: []string{"github.com/nats-io/nats.go"}},
		{Packages: "sink/*", May: []string{"sink", "event/cloudevent", "clock", "fault"}},
		{
			Packages: "dispatch", May: []string{"ledger", "sink", "event/cloudevent", "pace", "clock", "tenant", "fault"},
			Modules: []string{"golang.org/x/sync"},
		},
		{Packages: "telemetry", Modules: []string{"go.opentelemetry.io", "github.com/prometheus/client_golang", "google.golang.org/grpc"}},
	}
}

// surfaces are what people and Terraform touch.
func surfaces() Table {
	return Table{
		{Packages: ".", May: []string{"provider", "cli", "telemetry"}, Modules: framework()},
		{Packages: "provider", May: wiring(), Modules: append(framework(), "github.com/google/uuid")},
		{Packages: "configfile", Modules: []string{"github.com/hashicorp/hcl/v2", "github.com/zclconf/go-cty"}},
		{Packages: "drift", May: []string{"engine", "tenant", "fault"}, Pure: true},
		{
			Packages: "cli", May: append(wiring(), "provider", "configfile", "drift", "sweep/wake", "event"),
			Modules: append(framework(), "golang.org/x/sync", "github.com/spf13/cobra", "github.com/jedib0t/go-pretty/v6", "github.com/mattn/go-isatty"),
		},
		{
			Packages: "sandbox/...", May: []string{"sandbox/...", "tenant", "fault", "clock"},
			Modules: []string{"modernc.org/sqlite", "github.com/google/uuid"},
		},
		{
			Packages: "demo", May: []string{"tenant", "fault", "clock", "ledger", "ledger/sqlite", "sandbox/...", "provider"},
			Modules: []string{"github.com/jedib0t/go-pretty/v6", "github.com/mattn/go-isatty"},
		},
	}
}

// proofs are for tests only; no row above lists them.
func proofs() Table {
	return Table{
		{
			Packages: "acctest",
			Modules:  []string{"github.com/gofrs/flock", "github.com/jackc/pgx/v5", "modernc.org/sqlite", "go.opentelemetry.io/proto/otlp", "google.golang.org/protobuf"},
		},
		{Packages: "sim", May: []string{
			"tenant", "fault", "clock", "event", "pace", "engine", "component/*", "ledger", "backend", "executor",
		}, Modules: []string{"pgregory.net/rapid"}},
		{Packages: "layering"},
		{Packages: "e2e"},
		// Linked into the provider of the crash harness, behind a build tag.
		{Packages: "crash/announce", May: []string{"ledger", "tenant", "event"}},
		{Packages: "crash"},
		{Packages: "soak"},
	}
}

// vendor is what one external system may import of ours.
func vendor() []string {
	return []string{"backend", "backend/transport", "clock", "component/*", "tenant", "fault"}
}

// wiring is what ties all parts together: the registries name every component
// and every backend.
func wiring() []string {
	return []string{
		"tenant", "fault", "clock", "engine", "component/*", "component/*/*tf", "surface",
		"ledger", "ledger/sqlite", "ledger/postgres", "backend", "backend/*", "backend/middleware/...",
		"executor", "sweep", "sink", "sink/*", "dispatch", "sandbox", "telemetry", "drift",
	}
}

// framework is the Terraform plugin SDK.
func framework() []string {
	return []string{
		"github.com/hashicorp/terraform-plugin-framework",
		"github.com/hashicorp/terraform-plugin-framework-jsontypes",
		"github.com/hashicorp/terraform-plugin-framework-timeouts",
		"github.com/hashicorp/terraform-plugin-framework-validators",
		"github.com/hashicorp/terraform-plugin-go",
		"github.com/hashicorp/terraform-plugin-log",
	}
}

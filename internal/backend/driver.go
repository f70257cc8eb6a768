package backend

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Option is one setting of a driver. It becomes a string attribute in the
// provider block.
type Option struct {
	Name        string
	Description string
	Required    bool
	// Secret options are marked sensitive and never printed.
	Secret bool
	// Env names an environment variable that is read when the attribute is
	// not set; "" for none.
	Env string
}

// Settings is what a driver is opened with.
type Settings struct {
	// Options holds the values by name; an option not set is absent.
	Options map[string]string
	// Path is the attribute path of the driver's block in the provider
	// configuration, for messages, e.g. `regions["us-east"].database.postgres`.
	Path string
	// Timeout bounds each attempt of each call; 0 means 30 seconds.
	Timeout time.Duration
	// Transport is the round tripper HTTP drivers build their client on; nil
	// means http.DefaultTransport.
	Transport http.RoundTripper
	Logger    *slog.Logger
}

// Driver makes the backends of one vendor for one component.
type Driver struct {
	// Vendor is the driver's attribute in the provider block, e.g. "powerdns".
	Vendor string
	// Component is the component it serves, e.g. "domain".
	Component string
	// Description is one sentence for the documentation.
	Description string
	// HTTP drivers build their client on Settings.Transport.
	HTTP bool
	// Regional drivers are configured per region, the others once.
	Regional bool
	Options  []Option
	// Open makes a backend without any I/O. Faults are Terminal and carry
	// paths below Settings.Path.
	Open func(Settings) (Backend, *fault.Fault)
}

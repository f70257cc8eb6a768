package sqlite

import (
	"path/filepath"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// defaultTimeout bounds one call when the settings do not.
const defaultTimeout = 30 * time.Second

// Driver returns the driver of SQLite files for the database component.
func Driver() backend.Driver {
	return backend.Driver{
		Vendor:      "sqlite",
		Component:   "database",
		Description: "A SQLite file per tenant in a folder.",
		Regional:    true,
		Options: []backend.Option{{
			Name:        "path",
			Description: "Folder for the tenants' files; made with the first tenant.",
			Required:    true,
		}},
		Open: open,
	}
}

// Backend keeps tenants' databases as files in one folder.
type Backend struct {
	folder  string
	path    string
	timeout time.Duration
}

var (
	_ backend.Backend  = (*Backend)(nil)
	_ backend.Disabler = (*Backend)(nil)
	_ backend.Archiver = (*Backend)(nil)
)

func open(settings backend.Settings) (backend.Backend, *fault.Fault) {
	path := settings.Path + ".path"
	given := settings.Options["path"]
	if given == "" {
		return nil, fault.NewTerminal("sqlite.path_missing", path, "is not set", "set it to the folder that holds the tenants' files")
	}
	folder, err := filepath.Abs(given)
	if err != nil {
		return nil, fault.NewTerminal("sqlite.path_invalid", path, err.Error(), "use an absolute path")
	}
	timeout := settings.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	return &Backend{folder: folder, path: path, timeout: timeout}, nil
}

// Capabilities implements backend.Backend.
func (*Backend) Capabilities() backend.Capabilities {
	return backend.Capabilities{ExactLookup: true}
}

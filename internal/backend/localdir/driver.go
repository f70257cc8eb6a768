package localdir

import (
	"fmt"
	"path/filepath"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Driver makes local-directory backends for the storage component.
func Driver() backend.Driver {
	return backend.Driver{
		Vendor:      "localdir",
		Component:   storage.Name,
		Description: "Folders below a directory of a local or mounted file system.",
		Regional:    true,
		Options: []backend.Option{
			{Name: "path", Description: "The directory; it must exist.", Required: true},
		},
		Open: open,
	}
}

// open implements backend.Driver.Open.
func open(settings backend.Settings) (backend.Backend, *fault.Fault) {
	path := settings.Options["path"]
	if path == "" {
		return nil, fault.NewTerminal("storage.option_invalid", settings.Path+".path",
			"path is not set", "set it to an existing directory")
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fault.NewTerminal("storage.option_invalid", settings.Path+".path",
			fmt.Sprintf("path %q cannot be made absolute: %v", path, err), "set it to an absolute path")
	}
	return &Backend{path: absolute, option: settings.Path + ".path"}, nil
}

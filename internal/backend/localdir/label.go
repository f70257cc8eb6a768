package localdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// labelFile is what marks a folder as a tenant's.
const labelFile = ".tenant.json"

// unfinishedLabel is a label that is being written.
const unfinishedLabel = labelFile + ".unfinished"

// label is the content of a label file.
type label struct {
	Installation tenant.Installation `json:"installation"`
	Tenant       tenant.ID           `json:"tenant"`
	Region       string              `json:"region"`
	// Versioning is recorded for whoever serves the folder; nothing here
	// keeps versions.
	Versioning bool `json:"versioning"`
	// ArchivedUntil is when archived data may be destroyed.
	ArchivedUntil time.Time `json:"archived_until,omitzero"`
	// ArchiveKey is the key of the call that archived the folder: a repeated
	// call is answered with what the first one did.
	ArchiveKey string `json:"archive_key,omitempty"`
}

func (l label) marker() tenant.Marker {
	return tenant.MarkerFromPairs(map[string]string{
		tenant.MarkerInstallation: string(l.Installation),
		tenant.MarkerTenant:       string(l.Tenant),
		tenant.MarkerRegion:       l.Region,
	})
}

func labelOf(m tenant.Marker, versioning bool) label {
	return label{Installation: m.Installation, Tenant: m.Tenant, Region: m.Region, Versioning: versioning}
}

// readLabel reads a folder's label; a folder without one has the zero label,
// and a label that cannot be read is an error, never a missing one.
func readLabel(root *os.Root, folder string) (label, error) {
	text, err := root.ReadFile(path.Join(folder, labelFile))
	if errors.Is(err, fs.ErrNotExist) {
		return label{}, nil
	}
	if err != nil {
		return label{}, err
	}
	var l label
	if err := json.Unmarshal(text, &l); err != nil {
		return label{}, fmt.Errorf("%s: %w", labelFile, err)
	}
	return l, nil
}

// writeLabel replaces a folder's label whole or not at all, and on the disk.
func writeLabel(root *os.Root, folder string, l label) error {
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	unfinished := path.Join(folder, unfinishedLabel)
	if err := writeSynced(root, unfinished, append(text, '\n')); err != nil {
		return err
	}
	return root.Rename(unfinished, path.Join(folder, labelFile))
}

func writeSynced(root *os.Root, name string, text []byte) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, writing := file.Write(text)
	return errors.Join(writing, file.Sync(), file.Close())
}

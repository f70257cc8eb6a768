package localdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Backend is one directory. Open it through Driver.
type Backend struct {
	path string
	// option is the attribute path of the path, for messages.
	option string
}

var (
	_ backend.Backend  = (*Backend)(nil)
	_ backend.Archiver = (*Backend)(nil)
	_ backend.Checker  = (*Backend)(nil)
)

// Capabilities implements backend.Backend: a folder is found by its name.
func (*Backend) Capabilities() backend.Capabilities {
	return backend.Capabilities{ExactLookup: true}
}

// Observe implements backend.Backend.
func (b *Backend) Observe(ctx context.Context, target backend.Target) (backend.Observation, error) {
	root, err := b.enter(ctx, "observe", target)
	if err != nil {
		return backend.Observation{}, err
	}
	defer func() { _ = root.Close() }()
	return b.observe(root, target)
}

func (b *Backend) observe(root *os.Root, target backend.Target) (backend.Observation, error) {
	label, err := b.look(root, "observe", target)
	if err != nil {
		return backend.Observation{}, err
	}
	name := folderName(target)
	return backend.Observation{
		ExternalID: name, Name: name,
		Fields:        storage.Content(name, label.Versioning),
		Marker:        label.marker(),
		ArchivedUntil: label.ArchivedUntil,
	}, nil
}

// Check implements backend.Checker: the directory is there and can be read,
// and no stranger's folder has one of the names.
func (b *Backend) Check(ctx context.Context, wants []backend.Want) []*fault.Fault {
	var faults []*fault.Fault
	for _, want := range wants {
		if _, err := b.Observe(ctx, want.Target); err != nil && !fault.Is(err, fault.NotFound) {
			faults = append(faults, fault.From(err))
		}
	}
	return faults
}

// enter opens the directory. The caller closes it.
func (b *Backend) enter(ctx context.Context, verb string, target backend.Target) (*os.Root, error) {
	if err := ctx.Err(); err != nil {
		return nil, wrap(verb, target, fault.NewRetryable("backend.cancelled", "the call was given up", err))
	}
	if name := folderName(target); strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") || name == "" || name == archiveFolder {
		return nil, wrap(verb, target, fault.NewTerminal("storage.name_invalid", target.Path,
			fmt.Sprintf("%q cannot be the name of a tenant's folder", name), "correct the id that was imported"))
	}
	root, err := os.OpenRoot(b.path)
	if err == nil {
		return root, nil
	}
	f := fault.NewTerminal("storage.path_unusable", b.option,
		fmt.Sprintf("the directory %s cannot be opened: %v", b.path, plain(err)),
		"create it, mount it or give this user access to it")
	f.BackendWide, f.Err = true, err
	return nil, wrap(verb, target, f)
}

// look reads the label of the target's folder: NotFound when there is no such
// folder, a zero label when it carries none.
func (b *Backend) look(root *os.Root, verb string, target backend.Target) (label, error) {
	name := folderName(target)
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := b.mounted(root, verb, target); err != nil {
			return label{}, err
		}
		return label{}, wrap(verb, target, fault.NewNotFound("storage.folder_absent",
			fmt.Sprintf("there is no folder %s in %s", name, b.path)))
	case err != nil:
		return label{}, b.failed(verb, target, err)
	case !info.IsDir():
		return label{}, wrap(verb, target, fault.NewConflict("storage.folder_foreign", target.Path,
			fmt.Sprintf("%s in %s is not a folder", name, b.path), "move it away"))
	}
	found, err := readLabel(root, name)
	if err != nil {
		return label{}, b.failed(verb, target, err)
	}
	return found, nil
}

// folderName is the recorded name, or the derived one before any was recorded.
func folderName(target backend.Target) string {
	if target.ExternalID != "" {
		return target.ExternalID
	}
	return target.Name
}

// conflict is the fault of a folder that is not this tenant's.
func conflict(verb string, target backend.Target, found tenant.Marker) error {
	whose := "carries no marker of this provider"
	if !found.IsZero() {
		whose = fmt.Sprintf("belongs to tenant %q of installation %q in region %q",
			found.Tenant, found.Installation, found.Region)
	}
	return wrap(verb, target, fault.NewConflict("storage.folder_foreign", target.Path,
		fmt.Sprintf("folder %s exists and %s", folderName(target), whose),
		"set storage.adopt to take over an unmarked folder, or choose another tenant id"))
}

// failed is the fault of a file operation: rights need somebody to act, the
// rest (a full disk, a server of a mounted file system) may pass. No operation
// here has an unknown outcome: each is decided by looking again.
func (b *Backend) failed(verb string, target backend.Target, err error) error {
	found := fmt.Sprintf("a file operation in %s failed: %v", b.path, plain(err))
	if errors.Is(err, fs.ErrPermission) {
		f := fault.NewTerminal("storage.denied", b.option, found, "give this user write access to the directory")
		f.Err = err
		return wrap(verb, target, f)
	}
	f := fault.NewRetryable("storage.file_failed", found, err)
	f.Path = target.Path
	return wrap(verb, target, f)
}

// wrap names the call around a fault.
func wrap(verb string, target backend.Target, f *fault.Fault) error {
	return fmt.Errorf("localdir: %s folder %s: %w", verb, folderName(target), f)
}

// plain is the reason of a file error, without the path said before.
func plain(err error) error {
	if detailed, ok := errors.AsType[*fs.PathError](err); ok {
		return detailed.Err
	}
	return err
}

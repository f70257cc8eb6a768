package localdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// makingPrefix begins the name of a folder that is not finished.
const makingPrefix = ".making-"

// Ensure implements backend.Backend.
func (b *Backend) Ensure(ctx context.Context, want backend.Want) (backend.Observation, error) {
	root, err := b.enter(ctx, "ensure", want.Target)
	if err != nil {
		return backend.Observation{}, err
	}
	defer func() { _ = root.Close() }()

	next := labelOf(want.Marker(), want.Fields.Bool(storage.FieldVersioning))
	found, err := b.look(root, "ensure", want.Target)
	switch {
	case fault.Is(err, fault.NotFound) && want.Observed == nil:
		if err = leaveSentinel(root); err == nil {
			err = create(root, folderName(want.Target), next)
		}
	case err != nil:
		return backend.Observation{}, err
	case found.marker() != want.Marker() && !adopted(want, found.marker()):
		return backend.Observation{}, conflict("ensure", want.Target, found.marker())
	case found != next:
		err = writeLabel(root, folderName(want.Target), next)
	}
	if err != nil {
		return backend.Observation{}, b.failed("ensure", want.Target, err)
	}
	return b.observe(root, want.Target)
}

// adopted tells whether the engine saw the folder as it is and decided to take
// it over.
func adopted(want backend.Want, marker tenant.Marker) bool {
	return want.Observed != nil && (marker.IsZero() || marker == want.Observed.Marker)
}

// create makes a folder with its label aside and moves it into place.
func create(root *os.Root, name string, l label) error {
	making := makingPrefix + name
	if err := root.RemoveAll(making); err != nil {
		return err
	}
	if err := root.Mkdir(making, 0o750); err != nil {
		return err
	}
	if err := writeLabel(root, making, l); err != nil {
		return err
	}
	// A rename would replace a folder that is empty.
	if _, err := root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s appeared meanwhile: %w", name, fs.ErrExist)
	}
	return root.Rename(making, name)
}

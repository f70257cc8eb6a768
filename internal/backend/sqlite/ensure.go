package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Observe implements backend.Backend.
func (b *Backend) Observe(ctx context.Context, target backend.Target) (backend.Observation, error) {
	var r record
	err := b.locked(ctx, func(ctx context.Context) (err error) {
		if r, err = b.find(ctx, target); err == nil && !r.present {
			err = absent(target)
		}
		return err
	})
	if err != nil {
		return backend.Observation{}, b.wrap("observe", target.Name, err)
	}
	return r.observation(target), nil
}

// Ensure implements backend.Backend.
func (b *Backend) Ensure(ctx context.Context, want backend.Want) (backend.Observation, error) {
	if want.Observed == nil {
		err := os.MkdirAll(b.folder, 0o700)
		if err == nil {
			err = b.leaveSentinel()
		}
		if err != nil {
			return backend.Observation{}, b.wrap("ensure", want.Name, err)
		}
	}
	var made backend.Observation
	err := b.locked(ctx, func(ctx context.Context) error {
		r, err := b.find(ctx, want.Target)
		if err != nil {
			return err
		}
		if err := admit(r, want); err != nil {
			return err
		}
		if r.disabled {
			if err := b.move(ctx, r.path, b.active(want.Name)); err != nil {
				return fmt.Errorf("switch access on: %w", err)
			}
		}
		made, err = b.furnish(ctx, want)
		return err
	})
	if err != nil {
		return backend.Observation{}, b.wrap("ensure", want.Name, err)
	}
	return made, nil
}

// admit refuses what must not be touched: files that are not ours, unless the
// engine has seen them as they are and decided to adopt.
func admit(r record, want backend.Want) error {
	ours := r.marker == want.Marker()
	switch {
	case !r.present && want.Observed != nil:
		return absent(want.Target)
	case !r.present:
		return nil
	case !ours && (want.Observed == nil || !r.marker.IsZero() && r.marker != want.Observed.Marker):
		return conflict(want.Target, r)
	case ours && r.fields.Get(database.FieldIsolation) != want.Fields.Get(database.FieldIsolation):
		return fault.NewTerminal("sqlite.isolation_fixed", "database.isolation",
			fmt.Sprintf("is %q, but the tenant was made with %q", want.Fields.Get(database.FieldIsolation), r.fields.Get(database.FieldIsolation)),
			"set it back, or archive the tenant's database and create it anew")
	}
	return nil
}

// furnish brings the file to what is wanted, all of it or nothing.
func (b *Backend) furnish(ctx context.Context, want backend.Want) (backend.Observation, error) {
	path := b.active(want.Name)
	// SQLite would make the file readable to others.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return backend.Observation{}, err
	}
	if err := file.Close(); err != nil {
		return backend.Observation{}, err
	}
	var made backend.Observation
	err = b.transact(ctx, path, func(tx *sql.Tx) error {
		if err := writeRecord(ctx, tx, want); err != nil {
			return err
		}
		if err := b.seed(ctx, tx, want); err != nil {
			return err
		}
		r, err := readRecord(ctx, tx, path, want.Name)
		made = r.observation(want.Target)
		return err
	})
	return made, err
}

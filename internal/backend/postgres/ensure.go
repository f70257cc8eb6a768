package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Ensure implements backend.Backend. A schema, its roles, grants and seeds are
// made in one transaction. A database cannot be: see ensureDatabase.
func (b *Backend) Ensure(ctx context.Context, want backend.Want) (backend.Observation, error) {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	p := placeOf(want.Target, want.Fields.Get(database.FieldIsolation))
	ensure := b.ensureSchema
	if p.isDatabase() {
		ensure = b.ensureDatabase
	}
	o, err := ensure(ctx, p, want)
	if err != nil {
		return backend.Observation{}, b.wrap("ensure", p.name, err)
	}
	return o, nil
}

func (b *Backend) ensureSchema(ctx context.Context, p place, want backend.Want) (backend.Observation, error) {
	var o backend.Observation
	err := b.transact(ctx, maintenance, func(tx pgx.Tx) error {
		if err := lock(ctx, tx, p.name); err != nil {
			return err
		}
		f, err := b.admit(ctx, tx, p, want)
		if err != nil {
			return err
		}
		if err := b.makeSchema(ctx, tx, p, f); err != nil {
			return err
		}
		if err := b.furnish(ctx, tx, p, want); err != nil {
			return err
		}
		if f, err = look(ctx, tx, p); err != nil {
			return err
		}
		o, err = b.describe(ctx, tx, p, f)
		return err
	})
	return o, err
}

// makeSchema makes roles and schema where they are missing, and marks them.
func (b *Backend) makeSchema(ctx context.Context, tx pgx.Tx, p place, f found) error {
	if err := b.makeRoles(ctx, tx, p, f); err != nil {
		return err
	}
	if !f.present {
		if err := execute(ctx, tx, "CREATE "+p.container()); err != nil {
			return fmt.Errorf("create: %w", err)
		}
		f.mine = true
	}
	return mark(ctx, tx, p, f)
}

// mark takes the container over for the admin and puts the marker on it.
func mark(ctx context.Context, tx pgx.Tx, p place, f found) error {
	if !f.mine {
		if err := execute(ctx, tx, "ALTER "+p.container()+" OWNER TO CURRENT_USER"); err != nil {
			return fmt.Errorf("take ownership: %w", err)
		}
	}
	if f.comment.marker() == p.marker {
		return nil
	}
	return remark(ctx, tx, p.container(), f.comment.marked(p.marker))
}

// remark writes a comment on an object, e.g. `ROLE "x"`.
func remark(ctx context.Context, tx pgx.Tx, object string, text comment) error {
	return execute(ctx, tx, "COMMENT ON "+object+" IS "+literal(string(text)))
}

// admit looks at the place and refuses what must not be touched.
func (b *Backend) admit(ctx context.Context, tx pgx.Tx, p place, want backend.Want) (found, error) {
	f, err := look(ctx, tx, p)
	if err != nil {
		return f, err
	}
	if want.Observed != nil && !f.present {
		return f, absent(p.name)
	}
	if f.present && !allowed(f.marker() == p.marker, f.comment, want) {
		return f, conflict(p, p.container(), f.comment)
	}
	for _, r := range f.roles() {
		if r.present && !allowed(r.comment.marker() == p.marker, r.comment, want) {
			return f, conflict(p, "ROLE "+quote(r.name), r.comment)
		}
	}
	return f, b.refuseOtherIsolation(ctx, tx, p)
}

// allowed tells whether an object may be changed: when it is ours, or when the
// engine has seen it as it is, knows whose it is and decided to adopt.
func allowed(ours bool, text comment, want backend.Want) bool {
	if ours {
		return true
	}
	marker := text.marker()
	return want.Observed != nil && (marker.IsZero() || marker == want.Observed.Marker)
}

func conflict(p place, object string, text comment) *fault.Fault {
	found := fmt.Sprintf("%s exists and has no marker of ours", object)
	if m := text.marker(); !m.IsZero() {
		found = fmt.Sprintf("%s exists and belongs to %s", object, m)
	}
	return fault.NewConflict("postgres.foreign", p.path, found,
		"rename or remove it if nobody needs it, or set database.adopt to take it over")
}

// refuseOtherIsolation keeps a tenant from living twice, should the engine not
// know of the first place.
func (b *Backend) refuseOtherIsolation(ctx context.Context, tx pgx.Tx, p place) error {
	other := p
	other.isolation = database.IsolationDatabase
	if p.isDatabase() {
		other.isolation = database.IsolationSchema
	}
	f, err := look(ctx, tx, other)
	if err != nil || !f.present || f.marker() != p.marker {
		return err
	}
	return fault.NewTerminal("postgres.isolation_fixed", "database.isolation",
		fmt.Sprintf("is %q, but the tenant's data is in %s", p.isolation, other.container()),
		"set it back, or archive the tenant's database and create it anew")
}

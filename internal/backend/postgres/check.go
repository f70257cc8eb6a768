package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// oldestVersion is the oldest PostgreSQL supported: since 15, the owner of a
// database administers its schema "public", and nobody else may create there.
const oldestVersion = 150000

// server is what the server says of itself and of the admin.
type server struct {
	Version                                 int32
	User, Database                          string
	Super, CreateRole, CreateDB, CreateHere bool
}

// Check implements backend.Checker: the server answers, is recent enough, and
// lets the user of the URL do what wants need.
func (b *Backend) Check(ctx context.Context, wants []backend.Want) []*fault.Fault {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	var s server
	err := b.transact(ctx, maintenance, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			SELECT current_setting('server_version_num')::int, rolname::text, current_database()::text, rolsuper, rolcreaterole, rolcreatedb,
			       has_database_privilege(current_database(), 'CREATE')
			FROM pg_roles WHERE rolname = current_user`)
		if err != nil {
			return err
		}
		s, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[server])
		return err
	})
	if err != nil {
		f := *b.fault(err)
		f.Path = b.path
		return []*fault.Fault{&f}
	}
	return b.lacks(s, wants)
}

// lacks returns what the server or the admin cannot do.
func (b *Backend) lacks(s server, wants []backend.Want) []*fault.Fault {
	var faults []*fault.Fault
	add := func(found, action string) {
		f := fault.NewTerminal("postgres.unsuitable", b.path, found, action)
		f.BackendWide = true
		faults = append(faults, f)
	}
	if s.Version < oldestVersion {
		add(fmt.Sprintf("leads to PostgreSQL %d", s.Version/10000), "use PostgreSQL 15 or later")
	}
	if s.Super {
		return faults
	}
	if !s.CreateRole {
		add(fmt.Sprintf("names the user %s, who lacks CREATEROLE", s.User), "run ALTER ROLE "+quote(s.User)+" CREATEROLE")
	}
	if !s.CreateHere && needs(wants, database.IsolationSchema) {
		add(fmt.Sprintf("names the user %s, who may not create schemas in %s", s.User, s.Database),
			"run GRANT CREATE ON DATABASE "+quote(s.Database)+" TO "+quote(s.User))
	}
	if !s.CreateDB && needs(wants, database.IsolationDatabase) {
		add(fmt.Sprintf("names the user %s, who lacks CREATEDB", s.User), "run ALTER ROLE "+quote(s.User)+" CREATEDB")
	}
	return faults
}

func needs(wants []backend.Want, isolation string) bool {
	for _, want := range wants {
		if want.Fields.Get(database.FieldIsolation) == isolation {
			return true
		}
	}
	return false
}

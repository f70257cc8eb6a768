package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger/queries"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// channel is where the ledger tells that a tenant is due. Its payload is the
// tenant's id.
const channel = "tenant_due"

// announce tells listeners that a tenant is due, once the transaction is
// committed (postgresql.org/docs/current/sql-notify.html).
func announce(ctx context.Context, db queries.DBTX, id string) error {
	_, err := db.ExecContext(ctx, "SELECT pg_notify('"+channel+"', $1)", id)
	return err
}

// keepAlive is how often a silent session is asked whether it is still there.
const keepAlive = 30 * time.Second

// Listen calls due for each tenant that becomes due, until ctx ends or the
// session is lost; it returns why. started is called once it listens. What is
// announced while nobody listens is lost: the ledger's dates are the truth.
// Behind a transaction pooler nothing is ever heard, and no error tells it.
func Listen(ctx context.Context, url string, started func(), due func(tenant.ID)) error {
	config, err := parse(url)
	if err != nil {
		return err
	}
	at := place(config)
	session, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return explain(at, err)
	}
	defer func() { _ = session.Close(context.WithoutCancel(ctx)) }()
	if _, err := session.Exec(ctx, "LISTEN "+channel); err != nil {
		return explain(at, err)
	}
	started()
	for {
		told, err := next(ctx, session)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("listen for due tenants: %w", explain(at, err))
		case told != nil:
			due(tenant.ID(told.Payload))
		}
	}
}

// next waits for an announcement; nil when the session was only asked whether
// it lives.
func next(ctx context.Context, session *pgx.Conn) (*pgconn.Notification, error) {
	waiting, cancel := context.WithTimeout(ctx, keepAlive)
	defer cancel()
	told, err := session.WaitForNotification(waiting)
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return nil, session.Ping(ctx)
	}
	return told, err
}

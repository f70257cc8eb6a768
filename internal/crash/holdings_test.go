package crash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// kind is a kind of external object.
type kind string

// The kinds of objects a tenant has, and how many of each.
const (
	organizations kind = "organization"
	customers     kind = "customer"
	subscriptions kind = "subscription"
	databases     kind = "schema or database"
	roles         kind = "role"
	buckets       kind = "bucket"
	rrsets        kind = "rrset"
)

var wanted = map[kind]int{
	organizations: 1, customers: 1, subscriptions: 1, databases: 1, roles: 2, buckets: 1, rrsets: 1,
}

// holdings are the external ids of what there is, as the ledger spells them.
type holdings map[kind][]string

// holdings asks the systems themselves, past the provider and the fronts. It
// looks for everything that could be the tenant's, not for certain names.
func (s *stage) holdings(ctx context.Context) (holdings, error) {
	h := holdings{}
	inventory, err := s.admin.Objects(ctx, sandbox.Filter{})
	if err != nil {
		return nil, err
	}
	for _, o := range inventory.Objects {
		if o.Live && wanted[kind(o.Kind)] > 0 {
			h[kind(o.Kind)] = append(h[kind(o.Kind)], o.ID)
		}
	}
	if err := s.addDatabase(ctx, h); err != nil {
		return nil, err
	}
	found, err := s.buckets.ListBuckets(ctx)
	if err != nil {
		return nil, fmt.Errorf("list buckets: %w", err)
	}
	for _, bucket := range found {
		h[buckets] = append(h[buckets], bucket.Name)
	}
	return h, s.addRecords(h)
}

// addDatabase adds schemas, databases and roles. The schemas are in the sample's
// own database; the others are the server's, and tell by their names whose they
// are.
func (s *stage) addDatabase(ctx context.Context, h holdings) error {
	conn, err := pgx.Connect(ctx, s.database)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	defer conn.Close(ctx)
	for kind, query := range map[kind]string{
		databases: `
			SELECT 'schema/' || nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$|public$)'
			UNION ALL SELECT 'database/' || datname FROM pg_database WHERE strpos(datname, '_' || $1 || '_') > 0`,
		roles: `SELECT rolname::text FROM pg_roles WHERE strpos(rolname, '_' || $1 || '_') > 0`,
	} {
		rows, err := conn.Query(ctx, query, s.tenant)
		if err != nil {
			return fmt.Errorf("list the kind %s: %w", kind, err)
		}
		if h[kind], err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			return fmt.Errorf("list the kind %s: %w", kind, err)
		}
	}
	return nil
}

// addRecords adds the record sets that are not the zone's own.
func (s *stage) addRecords(h holdings) error {
	status, answer, err := s.dns.Call(http.MethodGet, "/zones/"+s.zone, nil)
	if err != nil {
		return err
	}
	var zone struct {
		RRsets []struct{ Name, Type string } `json:"rrsets"`
	}
	if err := json.Unmarshal(answer, &zone); err != nil || status != http.StatusOK {
		return fmt.Errorf("read zone: status %d: %w", status, err)
	}
	for _, set := range zone.RRsets {
		if set.Name != s.zone {
			h[rrsets] = append(h[rrsets], s.zone+"/"+set.Name+"/"+set.Type)
		}
	}
	return nil
}

// ofComponent is the kind that an object of the ledger is.
var ofComponent = map[string]kind{
	"identity.organization": organizations, "billing.customer": customers, "billing.subscription": subscriptions,
	"database.schema": databases, "storage.bucket": buckets, "domain.record": rrsets,
}

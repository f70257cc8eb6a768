package provider_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// holdings are the names of what the servers hold of an installation, by kind.
type holdings map[string][]string

// String counts, for comparisons and messages.
func (h holdings) String() string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(h)) {
		if n := len(h[kind]); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", kind, n))
		}
	}
	return strings.Join(parts, ", ")
}

// wholeTenant is what one tenant with everything counts as, on real servers
// and in the sandbox, which has no roles.
const (
	wholeTenant          = "bucket 1, customer 1, organization 1, record 1, role 2, schema 1, subscription 1"
	wholeTenantInSandbox = "bucket 1, customer 1, organization 1, record 1, schema 1, subscription 1"
	nothing              = ""
)

// holds asks every server itself what it holds.
func (w *world) holds() holdings {
	w.t.Helper()
	h := holdings{}
	inventory, err := w.admin.Objects(context.Background(), sandbox.Filter{})
	if err != nil {
		w.t.Fatal(err)
	}
	kinds := map[string]string{"rrset": "record"}
	for _, o := range inventory.Objects {
		kind, renamed := kinds[o.Kind]
		if !renamed {
			kind = o.Kind
		}
		h[kind] = append(h[kind], o.Name)
	}
	w.holdsData(h)
	if w.powerDNS != nil {
		for name := range w.records() {
			h["record"] = append(h["record"], name)
		}
	}
	return h
}

func (w *world) holdsData(h holdings) {
	w.t.Helper()
	if w.postgres == nil {
		h["schema"] = w.files("databases")
		h["bucket"] = w.files("storage")
		return
	}
	h["schema"] = w.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'tnt%'")
	h["role"] = w.query("SELECT rolname FROM pg_roles WHERE rolname LIKE '%" + w.installation + "%'")
	buckets, err := w.minio().ListBuckets(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, b := range buckets {
		if strings.Contains(b.Name, w.installation) {
			h["bucket"] = append(h["bucket"], b.Name)
		}
	}
}

// files lists what a folder of the sandbox holds for tenants in all regions.
func (w *world) files(folder string) []string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.settings.sandbox, folder, "*", "tnt*"))
	if err != nil {
		w.t.Fatal(err)
	}
	var names []string
	for _, path := range found {
		if base := filepath.Base(path); !strings.HasSuffix(base, "-wal") && !strings.HasSuffix(base, "-shm") {
			names = append(names, base)
		}
	}
	return names
}

// query returns the first column of every row, as text.
func (w *world) query(sql string) []string {
	w.t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, w.databaseURL)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		w.t.Fatal(err)
	}
	values, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	return values
}

// records are the record sets of the world's zone but SOA and NS:
// "name TYPE" with "TTL value…".
func (w *world) records() map[string]string {
	w.t.Helper()
	status, body, err := w.powerDNS.Call(http.MethodGet, "/zones/"+w.zone+".", nil)
	if err != nil || status != http.StatusOK {
		w.t.Fatalf("read zone %s: %d %v: %s", w.zone, status, err, body)
	}
	var zone struct {
		RRsets []struct {
			Name, Type string
			TTL        int
			Records    []struct{ Content string }
		}
	}
	if err := json.Unmarshal(body, &zone); err != nil {
		w.t.Fatal(err)
	}
	found := map[string]string{}
	for _, set := range zone.RRsets {
		if set.Type == "SOA" || set.Type == "NS" {
			continue
		}
		text := fmt.Sprint(set.TTL)
		for _, r := range set.Records {
			text += " " + r.Content
		}
		found[set.Name+" "+set.Type] = text
	}
	return found
}

// putRecord changes a record set behind the provider's back; no values delete
// it.
func (w *world) putRecord(name, kind string, ttl int, values ...string) {
	w.t.Helper()
	set := map[string]any{"name": name + ".", "type": kind, "changetype": "DELETE"}
	if len(values) > 0 {
		var records []map[string]any
		for _, v := range values {
			records = append(records, map[string]any{"content": v, "disabled": false})
		}
		set["changetype"], set["ttl"], set["records"] = "REPLACE", ttl, records
	}
	status, body, err := w.powerDNS.Call(http.MethodPatch, "/zones/"+w.zone+".", map[string]any{"rrsets": []any{set}})
	if err != nil || status != http.StatusNoContent {
		w.t.Fatalf("put %s %s: %d %v: %s", name, kind, status, err, body)
	}
}

func (w *world) minio() *minio.Client {
	w.t.Helper()
	client, err := minio.New(strings.TrimPrefix(w.s3Endpoint, "http://"),
		&minio.Options{Creds: credentials.NewStaticV4(w.s3.AccessKey, w.s3.SecretKey, ""), Region: w.s3.Region})
	if err != nil {
		w.t.Fatal(err)
	}
	return client
}

// idOf returns the id of the one live object of a kind in the sandbox.
func (w *world) idOf(kind string) string {
	w.t.Helper()
	inventory, err := w.admin.Objects(context.Background(), sandbox.Filter{Kind: kind})
	if err != nil || len(inventory.Objects) != 1 {
		w.t.Fatalf("found %d objects of kind %s, want one: %v", len(inventory.Objects), kind, err)
	}
	return inventory.Objects[0].ID
}

// must fails the test on an error of an edit out of band.
func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// mustHold fails the test unless the servers hold exactly what want counts.
func (w *world) mustHold(want string) {
	w.t.Helper()
	if got := w.holds(); got.String() != want {
		w.t.Errorf("the servers hold %q, want %q: %v", got.String(), want, map[string][]string(got))
	}
}

// schema is the name of the tenant's schema.
func (w *world) schema() string { return "tnt_acme_" + w.installation }

// execute runs SQL as the superuser.
func (w *world) execute(sql string) {
	w.t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, w.databaseURL)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
}

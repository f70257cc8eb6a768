package acctest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

func TestPostgresGivesEveryTestADatabaseOfItsOwn(t *testing.T) {
	server := acctest.Postgres(t)
	first, second := server.NewDatabase(t), server.NewDatabase(t)
	for _, url := range []string{first, second} {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		if _, err := conn.Exec(t.Context(), "CREATE TABLE t ()"); err != nil {
			t.Errorf("the second database sees the first one's table: %v", err)
		}
	}
}

func TestPostgresChecksPasswords(t *testing.T) {
	server := acctest.Postgres(t)
	_, err := pgx.Connect(t.Context(), server.DatabaseURL(server.Superuser, "wrong", "postgres"))
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != "28P01" {
		t.Errorf("a wrong password gives %v, want SQLSTATE 28P01", err)
	}
}

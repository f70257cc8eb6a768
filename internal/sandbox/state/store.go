package state

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

//go:embed schema.sql
var schema string

// version is written into the file; a file with a higher one is refused.
const version = 1

// Store is an open state file. Safe for concurrent use.
type Store struct {
	db *sql.DB
}

// Open opens the state file at path and creates it, readable by its owner
// only, when it does not exist. The error names the path.
func Open(ctx context.Context, path string) (*Store, error) {
	if path == "" {
		return nil, errors.New("the sandbox needs a path for its state file")
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open sandbox state: %w", err)
	}
	if err := file.Close(); err != nil {
		return nil, fmt.Errorf("open sandbox state %s: %w", path, err)
	}
	db, err := sql.Open("sqlite", source(path))
	if err != nil {
		return nil, fmt.Errorf("open sandbox state %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	store := &Store{db: db}
	if err := store.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open sandbox state %s: %w", path, err), db.Close())
	}
	return store, nil
}

// source builds the driver's data source name. The busy timeout covers the
// moments in which another process writes; losing the last commits in a power
// cut is fine for a sandbox, hence synchronous NORMAL.
func source(path string) string {
	query := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(30000)", "journal_mode(WAL)", "synchronous(NORMAL)"},
	}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: query.Encode()}).String()
}

func (s *Store) prepare(ctx context.Context) error {
	return s.Update(ctx, func(tx *Tx) error {
		var found int
		if err := tx.row("PRAGMA user_version").Scan(&found); err != nil {
			return fmt.Errorf("read its version: %w", err)
		}
		if found > version {
			return fmt.Errorf("it was written by a newer version (format %d, known is %d)", found, version)
		}
		if err := tx.exec(schema); err != nil {
			return fmt.Errorf("create tables: %w", err)
		}
		return tx.exec(fmt.Sprintf("PRAGMA user_version = %d", version))
	})
}

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }

// Update runs do in one transaction, which is rolled back when do returns an
// error. Transactions of all processes on one file run one after another.
func (s *Store) Update(ctx context.Context, do func(*Tx) error) error {
	inner, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := do(&Tx{ctx: ctx, tx: inner}); err != nil {
		return errors.Join(err, inner.Rollback())
	}
	if err := inner.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// Tx is one transaction. It must not outlive the function it was given to.
type Tx struct {
	//nolint:containedctx // a Tx lives exactly as long as the call that made it
	ctx     context.Context
	tx      *sql.Tx
	created []Object
}

// Nested runs do so that an error undoes what do wrote and nothing else. The
// error is returned as it is.
func (t *Tx) Nested(do func() error) error {
	if err := t.exec("SAVEPOINT nested"); err != nil {
		return err
	}
	before := len(t.created)
	failure := do()
	if failure == nil {
		return t.exec("RELEASE nested")
	}
	t.created = t.created[:before]
	if err := t.exec("ROLLBACK TO nested; RELEASE nested"); err != nil {
		return errors.Join(failure, err)
	}
	return failure
}

func (t *Tx) exec(query string, args ...any) error {
	_, err := t.tx.ExecContext(t.ctx, query, args...)
	return err
}

func (t *Tx) row(query string, args ...any) *sql.Row {
	return t.tx.QueryRowContext(t.ctx, query, args...)
}

// query collects all rows that scan reads.
func query[T any](t *Tx, scan func(interface{ Scan(...any) error }) (T, error), sql string, args ...any) ([]T, error) {
	rows, err := t.tx.QueryContext(t.ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// Clear empties every table.
func (t *Tx) Clear() error {
	for _, table := range []string{"objects", "lookups", "idempotency_keys", "tokens", "faults", "requests"} {
		if err := t.exec("DELETE FROM " + table); err != nil {
			return fmt.Errorf("empty %s: %w", table, err)
		}
	}
	return nil
}

// micros and moment convert times to and from what the file stores: whole
// microseconds since 1970, 0 for no time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func moment(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

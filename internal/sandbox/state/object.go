package state

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Object is one object of one system.
type Object struct {
	System string
	Kind   string
	// ID is unique per system and kind.
	ID string
	// Seq numbers objects in the order of their creation; Put sets it.
	Seq int64
	// Name is for people.
	Name string
	// Marker is whose object it is; zero when it carries no marker.
	Marker tenant.Marker
	// Live is false for what the system remembers but counts as gone: a
	// deleted customer, a cancelled subscription.
	Live bool
	// Fixture objects were there before any client came: zones, prices.
	Fixture bool
	// VisibleAt is when reads begin to show the object; zero means at once.
	VisibleAt time.Time
	// Body is the system's own representation, JSON.
	Body json.RawMessage
	// Index holds the values by which Find finds the object, by field. It is
	// written by Put and not read back.
	Index map[string][]string
}

// HiddenAt tells whether a read at the given time does not see o yet.
func (o Object) HiddenAt(now time.Time) bool { return o.VisibleAt.After(now) }

const columns = "o.seq, o.system, o.kind, o.id, o.name, o.marker, o.live, o.fixture, o.visible_at, o.body"

func scanObject(row interface{ Scan(...any) error }) (Object, error) {
	var (
		o       Object
		marker  string
		body    string
		visible int64
	)
	if err := row.Scan(&o.Seq, &o.System, &o.Kind, &o.ID, &o.Name, &marker, &o.Live, &o.Fixture, &visible, &body); err != nil {
		return Object{}, err
	}
	o.Marker, o.VisibleAt, o.Body = tenant.ParseMarker(marker), moment(visible), json.RawMessage(body)
	return o, nil
}

// Put writes o, new or changed; a changed object keeps its Seq and VisibleAt.
func (t *Tx) Put(o Object) error {
	_, existed, err := t.Get(o.System, o.Kind, o.ID)
	if err != nil {
		return err
	}
	marker := ""
	if !o.Marker.IsZero() {
		marker = o.Marker.String()
	}
	err = t.exec(`INSERT INTO objects (system, kind, id, name, marker, live, fixture, visible_at, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (system, kind, id) DO UPDATE SET
			name = excluded.name, marker = excluded.marker, live = excluded.live, body = excluded.body`,
		o.System, o.Kind, o.ID, o.Name, marker, o.Live, o.Fixture, micros(o.VisibleAt), string(o.Body))
	if err != nil {
		return fmt.Errorf("write %s %s %s: %w", o.System, o.Kind, o.ID, err)
	}
	if !existed {
		t.created = append(t.created, o)
	}
	return t.index(o)
}

func (t *Tx) index(o Object) error {
	if err := t.exec("DELETE FROM lookups WHERE system = ? AND kind = ? AND id = ?", o.System, o.Kind, o.ID); err != nil {
		return err
	}
	for field, values := range o.Index {
		for _, value := range values {
			err := t.exec("INSERT OR IGNORE INTO lookups (system, kind, field, value, id) VALUES (?, ?, ?, ?, ?)",
				o.System, o.Kind, field, value, o.ID)
			if err != nil {
				return fmt.Errorf("index %s %s %s: %w", o.System, o.Kind, o.ID, err)
			}
		}
	}
	return nil
}

// Get returns one object; false when there is none.
func (t *Tx) Get(system, kind, id string) (Object, bool, error) {
	o, err := scanObject(t.row("SELECT "+columns+" FROM objects o WHERE system = ? AND kind = ? AND id = ?", system, kind, id))
	if errors.Is(err, sql.ErrNoRows) {
		return Object{}, false, nil
	}
	return o, err == nil, err
}

// Find returns the objects whose index holds value in field, oldest first.
func (t *Tx) Find(system, kind, field, value string) ([]Object, error) {
	return query(t, scanObject, "SELECT "+columns+` FROM lookups l
		JOIN objects o ON o.system = l.system AND o.kind = l.kind AND o.id = l.id
		WHERE l.system = ? AND l.kind = ? AND l.field = ? AND l.value = ? ORDER BY o.seq`,
		system, kind, field, value)
}

// Term is one thing an object's index may hold.
type Term struct{ Field, Value string }

// FindAll returns the objects whose index holds all of the terms, oldest first.
// It begins with the rarest: one may be common to every object.
func (t *Tx) FindAll(system, kind string, terms []Term) ([]Object, error) {
	rarest, fewest := 0, int64(math.MaxInt64)
	for i, term := range terms {
		var n int64
		err := t.row("SELECT COUNT(*) FROM lookups WHERE system = ? AND kind = ? AND field = ? AND value = ?", system, kind, term.Field, term.Value).Scan(&n)
		if err != nil {
			return nil, fmt.Errorf("count %s %s: %w", system, kind, err)
		}
		if n < fewest {
			rarest, fewest = i, n
		}
	}
	found, err := t.Find(system, kind, terms[rarest].Field, terms[rarest].Value)
	if err != nil {
		return nil, err
	}
	for _, term := range terms {
		if found, err = t.holding(found, term); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// holding keeps the objects whose index holds a term.
func (t *Tx) holding(objects []Object, term Term) ([]Object, error) {
	var kept []Object
	for _, o := range objects {
		var n int64
		err := t.row("SELECT COUNT(*) FROM lookups WHERE system = ? AND kind = ? AND field = ? AND value = ? AND id = ?", o.System, o.Kind, term.Field, term.Value, o.ID).Scan(&n)
		if err != nil {
			return nil, fmt.Errorf("look up %s %s %s: %w", o.System, o.Kind, o.ID, err)
		}
		if n > 0 {
			kept = append(kept, o)
		}
	}
	return kept, nil
}

// List returns all objects of a kind, oldest first.
func (t *Tx) List(system, kind string) ([]Object, error) {
	return query(t, scanObject, "SELECT "+columns+" FROM objects o WHERE system = ? AND kind = ? ORDER BY seq", system, kind)
}

// Containing returns the objects of a kind whose body contains a text, without
// regard to the case of ASCII letters, oldest first.
func (t *Tx) Containing(system, kind, text string) ([]Object, error) {
	pattern := "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text) + "%"
	return query(t, scanObject, "SELECT "+columns+` FROM objects o WHERE system = ? AND kind = ? AND body LIKE ? ESCAPE '\' ORDER BY seq`, system, kind, pattern)
}

// All returns every object of every system, oldest first.
func (t *Tx) All() ([]Object, error) {
	return query(t, scanObject, "SELECT "+columns+" FROM objects o ORDER BY seq")
}

// Delete forgets an object; an unknown one is fine.
func (t *Tx) Delete(system, kind, id string) error {
	if err := t.index(Object{System: system, Kind: kind, ID: id}); err != nil {
		return err
	}
	return t.exec("DELETE FROM objects WHERE system = ? AND kind = ? AND id = ?", system, kind, id)
}

// HideCreated keeps what this transaction created from reads until the given
// time, as a store with read-after-write lag would.
func (t *Tx) HideCreated(until time.Time) error {
	for _, o := range t.created {
		err := t.exec("UPDATE objects SET visible_at = ? WHERE system = ? AND kind = ? AND id = ?",
			micros(until), o.System, o.Kind, o.ID)
		if err != nil {
			return err
		}
	}
	return nil
}

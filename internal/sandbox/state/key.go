package state

import (
	"database/sql"
	"errors"
	"time"
)

// Key is one row of Stripe's idempotency table.
type Key struct {
	Key string
	// Endpoint and Params are what the key was first used with.
	Endpoint string
	Params   string
	// RequestID is the id of the first request.
	RequestID string
	StartedAt time.Time
	// Status and Body are the stored answer; Status is 0 while the first
	// request is in flight.
	Status int
	Body   []byte
}

// Key returns a row; false when the key is not known.
func (t *Tx) Key(key string) (Key, bool, error) {
	k := Key{Key: key}
	var started int64
	err := t.row("SELECT endpoint, params, request_id, started_at, status, body FROM idempotency_keys WHERE key = ?", key).
		Scan(&k.Endpoint, &k.Params, &k.RequestID, &started, &k.Status, &k.Body)
	if errors.Is(err, sql.ErrNoRows) {
		return Key{}, false, nil
	}
	k.StartedAt = moment(started)
	return k, err == nil, err
}

// PutKey writes a row, new or changed.
func (t *Tx) PutKey(k Key) error {
	return t.exec(`INSERT OR REPLACE INTO idempotency_keys (key, endpoint, params, request_id, started_at, status, body)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, k.Key, k.Endpoint, k.Params, k.RequestID, micros(k.StartedAt), k.Status, k.Body)
}

// ForgetKey removes a row; an unknown key is fine.
func (t *Tx) ForgetKey(key string) error {
	return t.exec("DELETE FROM idempotency_keys WHERE key = ?", key)
}

// PutToken remembers an access token until it expires, and forgets those that
// have expired.
func (t *Tx) PutToken(token string, now, expires time.Time) error {
	if err := t.exec("DELETE FROM tokens WHERE expires_at <= ?", micros(now)); err != nil {
		return err
	}
	return t.exec("INSERT INTO tokens (token, expires_at) VALUES (?, ?)", token, micros(expires))
}

// HasToken tells whether a token is known and has not expired.
func (t *Tx) HasToken(token string, now time.Time) (bool, error) {
	var count int
	err := t.row("SELECT count(*) FROM tokens WHERE token = ? AND expires_at > ?", token, micros(now)).Scan(&count)
	return count > 0, err
}

package state

import "time"

// keptRequests bounds the log; older lines are dropped.
const keptRequests = 20000

// Request is one line of the log. It holds no bodies and no credentials.
type Request struct {
	ID     int64
	At     time.Time
	System string
	Method string
	// Path is below the system's prefix.
	Path           string
	Query          string
	IdempotencyKey string
	// Status is what was answered; 0 when the connection was left hanging or cut.
	Status int
	// Replayed: the answer was a stored one.
	Replayed bool
	// Fault is the effect of the fault that hit the request; "" for none.
	Fault    string
	Duration time.Duration
}

func scanRequest(row interface{ Scan(...any) error }) (Request, error) {
	var (
		r            Request
		at, duration int64
	)
	err := row.Scan(&r.ID, &at, &r.System, &r.Method, &r.Path, &r.Query, &r.IdempotencyKey, &r.Status, &r.Replayed, &r.Fault, &duration)
	r.At, r.Duration = moment(at), time.Duration(duration)*time.Microsecond
	return r, err
}

// AddRequest appends a line to the log.
func (t *Tx) AddRequest(r Request) error {
	result, err := t.tx.ExecContext(t.ctx, `INSERT INTO requests
		(at, system, method, path, query, idempotency_key, status, replayed, fault, duration)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		micros(r.At), r.System, r.Method, r.Path, r.Query, r.IdempotencyKey, r.Status, r.Replayed, r.Fault, r.Duration.Microseconds())
	if err != nil {
		return err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return err
	}
	return t.exec("DELETE FROM requests WHERE id <= ?", id-keptRequests)
}

// Requests returns the log from after the line with the given id, oldest first.
func (t *Tx) Requests(after int64) ([]Request, error) {
	return query(t, scanRequest, `SELECT id, at, system, method, path, query, idempotency_key, status, replayed, fault, duration
		FROM requests WHERE id > ? ORDER BY id`, after)
}

// ForgetRequests empties the log.
func (t *Tx) ForgetRequests() error { return t.exec("DELETE FROM requests") }

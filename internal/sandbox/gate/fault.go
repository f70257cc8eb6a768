package gate

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// Effect is what a fault does to a call.
type Effect string

// The effects.
const (
	// Latency waits for Delay between admission and effect; in that time a
	// Stripe idempotency key is in use.
	Latency Effect = "latency"
	// TimeoutBefore never answers, and nothing happens.
	TimeoutBefore Effect = "timeout_before"
	// TimeoutAfter does what was asked for and never answers.
	TimeoutAfter Effect = "timeout_after"
	// DropBefore cuts the connection, and nothing happens.
	DropBefore Effect = "drop_before"
	// DropAfter does what was asked for and cuts the connection.
	DropAfter Effect = "drop_after"
	// KeyInUse answers 409 idempotency_key_in_use. It, LockTimeout and
	// StoredError are Stripe's own and pass the other systems by.
	KeyInUse Effect = "key_in_use"
	// RateLimit answers 429 with RetryAfter.
	RateLimit Effect = "rate_limit"
	// LockTimeout answers 429 lock_timeout, Stripe's lock on one object.
	LockTimeout Effect = "lock_timeout"
	// ServerError answers 500 and stores nothing.
	ServerError Effect = "server_error"
	// StoredError answers 500 and stores that answer under the idempotency key.
	StoredError Effect = "stored_error"
	// Unavailable answers 503 with RetryAfter.
	Unavailable Effect = "unavailable"
	// Unauthorized answers 401 whatever the credentials.
	Unauthorized Effect = "unauthorized"
	// Forbidden answers 403.
	Forbidden Effect = "forbidden"
	// HTML answers with a proxy's page and Status (502 unless set).
	HTML Effect = "html"
	// Truncated does what was asked for and sends the first half of the body
	// as if it were the whole.
	Truncated Effect = "truncated"
	// HideCreated does what was asked for and answers truthfully, but reads do
	// not show what was created until Delay has passed.
	HideCreated Effect = "hide_created"
)

// effects are all effects.
var effects = []Effect{
	Latency, TimeoutBefore, TimeoutAfter, DropBefore, DropAfter, KeyInUse, RateLimit, LockTimeout, ServerError,
	StoredError, Unavailable, Unauthorized, Forbidden, HTML, Truncated, HideCreated,
}

// Duration is a time.Duration that is written like "1.5s" in JSON.
type Duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// Fault waits for calls that match and hits the first Count of them. Of
// several faults that match, the oldest hits.
type Fault struct {
	ID int64 `json:"id,omitempty"`
	// System is "keycloak", "stripe" or "powerdns"; "" matches all.
	System string `json:"system,omitempty"`
	// Method is an HTTP method; "" matches all.
	Method string `json:"method,omitempty"`
	// Path is a regular expression (RE2) looked for in the path below the
	// system's prefix, e.g. "^/v1/customers$"; "" matches all.
	Path string `json:"path,omitempty"`
	// Count is how many calls are hit; 0 means one, -1 every one until the
	// faults are taken back.
	Count  int    `json:"count,omitempty"`
	Effect Effect `json:"effect"`
	// Delay is how long Latency waits (default 1 s), how long HideCreated hides
	// (default 5 s), and how long a timeout hangs at most (default: until the
	// client gives up).
	Delay Duration `json:"delay,omitempty"`
	// RetryAfter is sent in whole seconds with 429 and 503; 0 sends none.
	RetryAfter Duration `json:"retry_after,omitempty"`
	// Status is the status of HTML; 0 means 502.
	Status int `json:"status,omitempty"`
	// Commit lets the effects that answer with a failure first do what was
	// asked for, as a server does that fails on its way back.
	Commit bool `json:"commit,omitempty"`
}

// Check tells what is wrong with a fault; nil for nothing.
func (f Fault) Check() error {
	if !slices.Contains(effects, f.Effect) {
		return fmt.Errorf("effect %q is not known; there are %v", f.Effect, effects)
	}
	if _, err := regexp.Compile(f.Path); err != nil {
		return fmt.Errorf("path is not a regular expression: %w", err)
	}
	if f.Status != 0 && http.StatusText(f.Status) == "" {
		return fmt.Errorf("status %d is no HTTP status", f.Status)
	}
	if f.Count < -1 || f.Delay < 0 || f.RetryAfter < 0 {
		return fmt.Errorf("count is at least -1, delay and retry_after are not negative")
	}
	return nil
}

// stripeOnly are the effects no other system knows.
var stripeOnly = []Effect{KeyInUse, LockTimeout, StoredError}

func (f Fault) matches(system string, call *Call) (bool, error) {
	if system != "stripe" && slices.Contains(stripeOnly, f.Effect) {
		return false, nil
	}
	if f.System != "" && f.System != system || f.Method != "" && f.Method != call.Method {
		return false, nil
	}
	return regexp.MatchString(f.Path, call.Path)
}

// AddFault stores a fault for the calls to come and returns its id.
func AddFault(tx *state.Tx, f Fault) (int64, error) {
	if f.Count == 0 {
		f.Count = 1
	}
	spec, err := json.Marshal(f)
	if err != nil {
		return 0, fmt.Errorf("encode fault: %w", err)
	}
	return tx.AddFault(spec, f.Count)
}

// Faults returns the faults that wait; Count says how many hits are left.
func Faults(tx *state.Tx) ([]Fault, error) {
	rows, err := tx.Faults()
	if err != nil {
		return nil, err
	}
	faults := make([]Fault, 0, len(rows))
	for _, row := range rows {
		f, err := decode(row)
		if err != nil {
			return nil, err
		}
		faults = append(faults, f)
	}
	return faults, nil
}

func decode(row state.FaultRow) (Fault, error) {
	var f Fault
	if err := json.Unmarshal(row.Spec, &f); err != nil {
		return Fault{}, fmt.Errorf("decode fault %d: %w", row.ID, err)
	}
	f.ID, f.Count = row.ID, row.Remaining
	return f, nil
}

// claim takes one hit from the oldest fault that matches; nil for none.
func claim(tx *state.Tx, system string, call *Call) (*Fault, error) {
	rows, err := tx.Faults()
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		f, err := decode(row)
		if err != nil {
			return nil, err
		}
		hit, err := f.matches(system, call)
		if err != nil {
			return nil, err
		}
		if hit {
			return &f, tx.SpendFault(row)
		}
	}
	return nil, nil
}

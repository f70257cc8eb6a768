// Package fault sorts what can go wrong into the kinds that the engine and
// the executor treat differently, and carries what a person needs to act: the
// attribute path, what was found and what to do next.
package fault

import (
	"errors"
	"strings"
	"time"
)

// Kind is what a fault means for the next step.
type Kind string

// The kinds of fault.
const (
	// Retryable: the same call may succeed later; nothing was changed.
	Retryable Kind = "retryable"
	// Terminal: no retry helps until the spec or the configuration changes.
	Terminal Kind = "terminal"
	// Ambiguous: the call may or may not have taken effect; probe before
	// anything else.
	Ambiguous Kind = "ambiguous"
	// NotFound: a well-formed answer proves that the object is absent.
	NotFound Kind = "not_found"
	// Conflict: the object exists and belongs to somebody else.
	Conflict Kind = "conflict"
)

// Fault is one thing that went wrong. Texts never hold secrets.
type Fault struct {
	Kind Kind
	// Code is stable and machine readable: "‹room›.‹reason›", e.g.
	// "domain.zone_unknown". It ends up in the ledger and in events.
	Code string
	// Path is the attribute the user must look at, relative to the tenant,
	// e.g. "domain.hostname"; "" when no attribute is to blame.
	Path string
	// Found says what was found, as a clause without a final stop.
	Found string
	// Action says what the user should do, as a sentence without a final stop.
	Action string
	// RetryAfter is the least wait the backend asked for; 0 when it said nothing.
	RetryAfter time.Duration
	// BackendWide marks a fault of the whole backend (credentials, outage):
	// it pauses the backend rather than tripping each tenant's breaker.
	BackendWide bool
	// Err is the cause, for logs and errors.Is; may be nil.
	Err error
}

// Error renders "path: found (action)".
func (f *Fault) Error() string {
	var b strings.Builder
	if f.Path != "" {
		b.WriteString(f.Path + ": ")
	}
	b.WriteString(f.Found)
	if f.Action != "" {
		b.WriteString(" (" + f.Action + ")")
	}
	return b.String()
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// NewTerminal returns a fault the user has to act on. See Fault for the
// meaning of the texts.
func NewTerminal(code, path, found, action string) *Fault {
	return &Fault{Kind: Terminal, Code: code, Path: path, Found: found, Action: action}
}

// NewConflict returns a fault for an object that is somebody else's.
func NewConflict(code, path, found, action string) *Fault {
	return &Fault{Kind: Conflict, Code: code, Path: path, Found: found, Action: action}
}

// NewNotFound returns a fault for a proven absence.
func NewNotFound(code, found string) *Fault {
	return &Fault{Kind: NotFound, Code: code, Found: found}
}

// NewRetryable wraps a cause that may go away by itself.
func NewRetryable(code, found string, cause error) *Fault {
	return &Fault{Kind: Retryable, Code: code, Found: found, Err: cause}
}

// NewAmbiguous wraps a cause after which the outcome is unknown.
func NewAmbiguous(code, found string, cause error) *Fault {
	return &Fault{Kind: Ambiguous, Code: code, Found: found, Err: cause}
}

// From returns err as a Fault. An error that is none counts as Retryable: the
// safe reading of the unknown is "try again later", never "absent".
func From(err error) *Fault {
	if err == nil {
		return nil
	}
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return &Fault{Kind: Retryable, Code: "unclassified", Found: err.Error(), Err: err}
}

// Is tells whether err is, or wraps, a fault of the given kind.
func Is(err error, kind Kind) bool {
	var f *Fault
	return errors.As(err, &f) && f.Kind == kind
}

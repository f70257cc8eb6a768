package gate

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// System is one of the vendors the sandbox plays.
type System interface {
	// Name is the first element of the system's path: "stripe".
	Name() string
	// Admit checks the credentials and whatever else comes before the effect.
	// An answer other than nil ends the call.
	Admit(tx *state.Tx, call *Call) (*Answer, error)
	// Serve does what the call asks for. An error means that the sandbox
	// itself failed; what a vendor refuses is an Answer.
	Serve(tx *state.Tx, call *Call) (Answer, error)
	// Failure is the answer the vendor gives in the trouble named by effect.
	Failure(effect Effect, call *Call) Answer
}

// Call is one request on its way through the sandbox.
type Call struct {
	Method string
	// Path is below the system's prefix, decoded, with a leading slash.
	Path   string
	Query  url.Values
	Header http.Header
	Body   []byte
	// Base is the absolute URL of the system's prefix.
	Base   string
	Now    time.Time
	Random io.Reader
	// Fault is what hits this call; nil for nothing.
	Fault *Fault
	// OutOfBand marks a change made behind the clients' back: no credentials
	// are asked for.
	OutOfBand bool
}

// alphabet is what vendors' ids are made of.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// NewID returns prefix followed by n random letters and digits.
func (c *Call) NewID(prefix string, n int) (string, error) {
	raw := make([]byte, n)
	if _, err := io.ReadFull(c.Random, raw); err != nil {
		return "", fmt.Errorf("draw an id: %w", err)
	}
	for i, b := range raw {
		raw[i] = alphabet[int(b)%len(alphabet)]
	}
	return prefix + string(raw), nil
}

// NewUUID returns a random UUID.
func (c *Call) NewUUID() (string, error) {
	id, err := uuid.NewRandomFromReader(c.Random)
	if err != nil {
		return "", fmt.Errorf("draw an id: %w", err)
	}
	return id.String(), nil
}

// Answer is what a system says.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Replayed: this is a stored answer.
	Replayed bool
}

// JSON makes an answer with a JSON body.
func JSON(status int, body any) Answer {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("the sandbox cannot encode its own %T: %v", body, err))
	}
	return Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: raw}
}

// Text makes an answer with a plain text body.
func Text(status int, body string) Answer {
	return Answer{Status: status, Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, Body: []byte(body)}
}

// Empty makes an answer without a body.
func Empty(status int) Answer { return Answer{Status: status, Header: http.Header{}} }

func (a Answer) send(w http.ResponseWriter) {
	for name, values := range a.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // a client that went away is not our failure
}

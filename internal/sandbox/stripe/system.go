package stripe

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// Name is the system's name in paths, objects and faults.
const Name = "stripe"

// System is the gate.System of Stripe.
type System struct {
	// APIKey is the one secret key there is.
	APIKey string
}

// Name implements gate.System.
func (*System) Name() string { return Name }

// Admit implements gate.System: credentials, then the idempotency table.
func (s *System) Admit(tx *state.Tx, call *gate.Call) (*gate.Answer, error) {
	if err := s.checkKey(call); err != nil {
		return s.refusal(call, err)
	}
	if key := idempotencyKey(call); key != "" {
		return s.reserve(tx, call, key)
	}
	return nil, nil
}

// checkKey wants the API key as bearer token or as user name.
func (s *System) checkKey(call *gate.Call) *failure {
	if call.OutOfBand {
		return nil
	}
	key, found := strings.CutPrefix(call.Header.Get("Authorization"), "Bearer ")
	if !found {
		key, _, found = (&http.Request{Header: call.Header}).BasicAuth()
	}
	switch {
	case !found || key == "":
		return noKey()
	case subtle.ConstantTimeCompare([]byte(key), []byte(s.APIKey)) != 1:
		return badKey()
	}
	return nil
}

func (s *System) refusal(call *gate.Call, f *failure) (*gate.Answer, error) {
	answer := f.answer()
	return &answer, s.sign(call, &answer)
}

// sign gives an answer the headers every answer of Stripe carries.
func (s *System) sign(call *gate.Call, answer *gate.Answer) error {
	id, err := call.NewID("req_", 14)
	if err != nil {
		return err
	}
	answer.Header.Set("Request-Id", id)
	answer.Header.Set("Stripe-Version", apiVersion)
	if key := idempotencyKey(call); key != "" {
		answer.Header.Set("Idempotency-Key", key)
	}
	return nil
}

// apiVersion is the version whose shapes this package speaks.
const apiVersion = "2025-03-31.basil"

// Serve implements gate.System.
func (s *System) Serve(tx *state.Tx, call *gate.Call) (gate.Answer, error) {
	answer, store, err := s.execute(tx, call)
	if err != nil {
		return gate.Answer{}, err
	}
	if err := s.sign(call, &answer); err != nil {
		return gate.Answer{}, err
	}
	if key := idempotencyKey(call); key != "" {
		err = s.settle(tx, key, answer, store)
	}
	return answer, err
}

// execute runs the endpoint and tells whether its answer is to be stored.
func (s *System) execute(tx *state.Tx, call *gate.Call) (answer gate.Answer, store bool, err error) {
	broken := call.Fault != nil && call.Fault.Effect == gate.StoredError
	if broken && !call.Fault.Commit {
		return serverError().answer(), true, nil
	}
	err = tx.Nested(func() error {
		body, err := dispatch(tx, call)
		if err == nil {
			answer = gate.JSON(http.StatusOK, body)
		}
		return err
	})
	var f *failure
	if errors.As(err, &f) {
		answer, err = f.answer(), nil
	}
	if broken && err == nil {
		answer = serverError().answer()
	}
	return answer, f == nil || f.executed, err
}

// Failure implements gate.System.
func (s *System) Failure(effect gate.Effect, call *gate.Call) gate.Answer {
	var f *failure
	switch effect {
	case gate.KeyInUse:
		f = keyInUse(idempotencyKey(call))
	case gate.RateLimit:
		f = rateLimited()
	case gate.LockTimeout:
		f = lockTimeout()
	case gate.Unauthorized:
		f = badKey()
	case gate.Forbidden:
		f = noPermission()
	case gate.Unavailable:
		f = &failure{Status: http.StatusServiceUnavailable, Type: "api_error", Message: "Stripe is temporarily unavailable."}
	default:
		f = serverError()
	}
	return f.answer()
}

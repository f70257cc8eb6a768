package stripe

import (
	"net/http"
	"net/url"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

const (
	// keyLife is how long a key is remembered.
	keyLife = 24 * time.Hour
	// longestCall bounds a request in flight; a key whose process died in the
	// middle is free again afterwards.
	longestCall = 80 * time.Second
	maxKey      = 255
)

// idempotencyKey returns the key of a call; only POST has one.
func idempotencyKey(call *gate.Call) string {
	if call.Method != http.MethodPost {
		return ""
	}
	return call.Header.Get("Idempotency-Key")
}

// reserve looks the key up: nil means that it is new and now in flight.
func (s *System) reserve(tx *state.Tx, call *gate.Call, key string) (*gate.Answer, error) {
	if len(key) > maxKey {
		return s.refusal(call, keyTooLong(len(key)))
	}
	endpoint, params := call.Path, canonicalParams(call)
	known, found, err := tx.Key(key)
	if err != nil {
		return nil, err
	}
	age := call.Now.Sub(known.StartedAt)
	abandoned := known.Status == 0 && age >= longestCall
	switch {
	case !found || abandoned || age >= keyLife:
		id, err := call.NewID("req_", 14)
		if err != nil {
			return nil, err
		}
		return nil, tx.PutKey(state.Key{Key: key, Endpoint: endpoint, Params: params, RequestID: id, StartedAt: call.Now})
	case known.Endpoint != endpoint:
		return s.refusal(call, otherEndpoint(key, endpoint, known.Endpoint))
	case known.Params != params:
		return s.refusal(call, otherParams(key))
	case known.Status == 0:
		return s.refusal(call, keyInUse(key))
	default:
		return s.replay(call, known)
	}
}

// canonicalParams is what two requests must share to be the same.
func canonicalParams(call *gate.Call) string {
	form, err := url.ParseQuery(string(call.Body))
	if err != nil {
		return string(call.Body)
	}
	return form.Encode()
}

func (s *System) replay(call *gate.Call, known state.Key) (*gate.Answer, error) {
	answer := gate.Answer{
		Status: known.Status, Body: known.Body, Replayed: true,
		Header: http.Header{
			"Content-Type":        {"application/json"},
			"Idempotent-Replayed": {"true"},
			"Original-Request":    {known.RequestID},
		},
	}
	return &answer, s.sign(call, &answer)
}

// settle stores the answer under its key, or frees the key.
func (s *System) settle(tx *state.Tx, key string, answer gate.Answer, store bool) error {
	if !store {
		return tx.ForgetKey(key)
	}
	known, _, err := tx.Key(key)
	if err != nil {
		return err
	}
	known.Status, known.Body, known.RequestID = answer.Status, answer.Body, answer.Header.Get("Request-Id")
	answer.Header.Set("Original-Request", known.RequestID)
	return tx.PutKey(known)
}

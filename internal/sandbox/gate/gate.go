package gate

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// maxBody bounds a request's body.
const maxBody = 1 << 20

// Gate is the HTTP handler of one system.
type Gate struct {
	System System
	Store  *state.Store
	Clock  clock.Clock
	// Random is read inside transactions only, so it need not be safe for
	// concurrent use unless several gates share it.
	Random io.Reader
	Logger *slog.Logger
}

// ServeHTTP implements http.Handler.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call, err := g.read(w, r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	// What a vendor has begun it finishes, also when the client has gone.
	ctx := context.WithoutCancel(r.Context())
	var answer Answer
	err = g.Store.Update(ctx, func(tx *state.Tx) error {
		if call.Fault, err = claim(tx, g.System.Name(), call); err != nil || call.Fault != nil {
			return err
		}
		answer, err = g.complete(tx, call)
		return err
	})
	switch {
	case err != nil:
		g.fail(w, call, err)
	case call.Fault != nil:
		g.suffer(ctx, w, r, call)
	default:
		answer.send(w)
	}
}

func (g *Gate) read(w http.ResponseWriter, r *http.Request) (*Call, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, err
	}
	prefix := "/" + g.System.Name()
	return &Call{
		Method: r.Method, Path: strings.TrimPrefix(r.URL.Path, prefix), Query: r.URL.Query(), Header: r.Header, Body: body,
		Base: "http://" + r.Host + prefix, Now: g.Clock.Now(), Random: g.Random,
	}, nil
}

// complete takes a call all the way in one transaction.
func (g *Gate) complete(tx *state.Tx, call *Call) (Answer, error) {
	refusal, err := g.System.Admit(tx, call)
	if err != nil {
		return Answer{}, err
	}
	if refusal != nil {
		return *refusal, g.log(tx, call, *refusal)
	}
	return g.finish(tx, call)
}

// finish does what an admitted call asks for.
func (g *Gate) finish(tx *state.Tx, call *Call) (Answer, error) {
	answer, err := g.System.Serve(tx, call)
	if err != nil {
		return Answer{}, err
	}
	return answer, g.log(tx, call, answer)
}

// log writes the line of a call; an Answer without status is one never sent.
func (g *Gate) log(tx *state.Tx, call *Call, answer Answer) error {
	line := state.Request{
		At: call.Now, System: g.System.Name(), Method: call.Method, Path: call.Path, Query: call.Query.Encode(),
		IdempotencyKey: call.Header.Get("Idempotency-Key"), Status: answer.Status, Replayed: answer.Replayed,
		Duration: g.Clock.Now().Sub(call.Now),
	}
	if call.Fault != nil {
		line.Fault = string(call.Fault.Effect)
		if unanswered(call.Fault.Effect) {
			line.Status = 0
		}
	}
	return tx.AddRequest(line)
}

// fail answers for a sandbox that broke.
func (g *Gate) fail(w http.ResponseWriter, call *Call, err error) {
	if !errors.Is(err, context.Canceled) {
		g.Logger.Error("sandbox failed", "system", g.System.Name(), "method", call.Method, "path", call.Path, "error", err)
	}
	http.Error(w, "the sandbox itself failed: "+err.Error(), http.StatusInternalServerError)
}

package gate

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

const (
	defaultLatency = time.Second
	defaultHiding  = 5 * time.Second
)

// page is what a proxy shows when the system behind it has trouble.
const page = `<!DOCTYPE html>
<html><head><title>Bad gateway</title></head>
<body><h1>Bad gateway</h1><p>The upstream server did not answer.</p></body></html>
`

// unanswered tells whether the client of a call never sees an answer.
func unanswered(e Effect) bool {
	return e == TimeoutBefore || e == TimeoutAfter || e == DropBefore || e == DropAfter
}

// suffer lets the call's fault have its effect.
func (g *Gate) suffer(ctx context.Context, w http.ResponseWriter, r *http.Request, call *Call) {
	answer, err := g.strike(ctx, call)
	if err != nil {
		g.fail(w, call, err)
		return
	}
	switch call.Fault.Effect {
	case TimeoutBefore, TimeoutAfter:
		g.hang(r.Context(), time.Duration(call.Fault.Delay))
		cut(w)
	case DropBefore, DropAfter:
		cut(w)
	default:
		answer.send(w)
	}
}

// cut breaks the connection off in the middle of the header. Without its
// beginning Go's own client, which takes a POST with an Idempotency-Key for
// idempotent, would quietly send it again and no caller would see the fault.
func cut(w http.ResponseWriter) {
	connection, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // the client has gone already
	}
	_, _ = buffered.WriteString("HTTP/1.1 200 OK\r\nContent-Type: ") // the client may have gone
	_ = buffered.Flush()
	_ = connection.Close()
}

// strike runs as much of the call as the fault lets happen, and returns the
// answer the client is to see.
func (g *Gate) strike(ctx context.Context, call *Call) (Answer, error) {
	switch call.Fault.Effect {
	case Latency:
		return g.crawl(ctx, call)
	case TimeoutAfter, DropAfter:
		return g.atomically(ctx, func(tx *state.Tx) (Answer, error) { return g.complete(tx, call) })
	case Truncated:
		return g.atomically(ctx, func(tx *state.Tx) (Answer, error) {
			answer, err := g.complete(tx, call)
			answer.Body = answer.Body[:len(answer.Body)/2]
			return answer, err
		})
	case HideCreated:
		return g.atomically(ctx, func(tx *state.Tx) (Answer, error) { return g.hide(tx, call) })
	case StoredError:
		return g.atomically(ctx, func(tx *state.Tx) (Answer, error) { return g.complete(tx, call) })
	default:
		return g.atomically(ctx, func(tx *state.Tx) (Answer, error) { return g.refuse(tx, call) })
	}
}

// crawl is slow between admission and effect, and others see the call in flight.
func (g *Gate) crawl(ctx context.Context, call *Call) (Answer, error) {
	var refusal *Answer
	_, err := g.atomically(ctx, func(tx *state.Tx) (answer Answer, err error) {
		refusal, err = g.System.Admit(tx, call)
		return answer, err
	})
	if err != nil {
		return Answer{}, err
	}
	if err := g.Clock.Sleep(ctx, orDefault(call.Fault.Delay, defaultLatency)); err != nil {
		return Answer{}, err
	}
	return g.atomically(ctx, func(tx *state.Tx) (Answer, error) {
		if refusal != nil {
			return *refusal, g.log(tx, call, *refusal)
		}
		return g.finish(tx, call)
	})
}

func (g *Gate) hide(tx *state.Tx, call *Call) (Answer, error) {
	answer, err := g.complete(tx, call)
	if err != nil {
		return Answer{}, err
	}
	return answer, tx.HideCreated(call.Now.Add(orDefault(call.Fault.Delay, defaultHiding)))
}

// refuse answers with a failure, after the effect if the fault says so.
func (g *Gate) refuse(tx *state.Tx, call *Call) (Answer, error) {
	if call.Fault.Commit {
		if refusal, err := g.System.Admit(tx, call); err != nil || refusal != nil {
			return g.logged(tx, call, refusal, err)
		}
		if _, err := g.System.Serve(tx, call); err != nil {
			return Answer{}, err
		}
	}
	answer := g.failure(call)
	return answer, g.log(tx, call, answer)
}

func (g *Gate) logged(tx *state.Tx, call *Call, answer *Answer, err error) (Answer, error) {
	if err != nil {
		return Answer{}, err
	}
	return *answer, g.log(tx, call, *answer)
}

func (g *Gate) failure(call *Call) Answer {
	f := call.Fault
	switch f.Effect {
	case TimeoutBefore, DropBefore:
		return Answer{}
	case HTML:
		status := f.Status
		if status == 0 {
			status = http.StatusBadGateway
		}
		return Answer{Status: status, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(page)}
	default:
		answer := g.System.Failure(f.Effect, call)
		if f.RetryAfter > 0 {
			seconds := math.Ceil(time.Duration(f.RetryAfter).Seconds())
			answer.Header.Set("Retry-After", strconv.Itoa(int(seconds)))
		}
		return answer
	}
}

// hang waits until the client or the server gives up, or the limit has passed.
func (g *Gate) hang(ctx context.Context, limit time.Duration) {
	if limit <= 0 {
		<-ctx.Done()
		return
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

func (g *Gate) atomically(ctx context.Context, do func(*state.Tx) (Answer, error)) (answer Answer, err error) {
	err = g.Store.Update(ctx, func(tx *state.Tx) error {
		answer, err = do(tx)
		return err
	})
	return answer, err
}

func orDefault(d Duration, otherwise time.Duration) time.Duration {
	if d > 0 {
		return time.Duration(d)
	}
	return otherwise
}

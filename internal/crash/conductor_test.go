package crash_test

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// The moments of a call that the fronts announce; those of a ledger write are
// package announce's.
const (
	beforeSend  = "before send"
	afterSend   = "after send"
	afterAnswer = "after answer"
)

// boundary is a moment of one run of terraform: the nth time its name came.
// Names and not ordinals: actions that run side by side change places.
type boundary struct {
	name string
	nth  int
}

func (b boundary) String() string { return fmt.Sprintf("%s #%d", b.name, b.nth) }

// about tells whether the boundary belongs to a component's backend or, with
// "ledger", to a ledger write.
func (b boundary) about(component string) bool { return strings.HasPrefix(b.name, component+" ") }

// at tells whether the boundary is such a moment.
func (b boundary) at(moment string) bool { return strings.HasSuffix(b.name, "· "+moment) }

// strike is what happens at a boundary.
type strike struct {
	at boundary
	// kill ends the victim; it returns when the victim is dead.
	kill func() error
	// ends tells that the provider is the victim: from then on nothing of the
	// run passes, whatever was under way.
	ends bool
	// goesOn tells that neither the provider nor the server is the victim: the
	// call itself passes.
	goesOn bool
}

// run is one run of terraform as the conductor sees it.
type run struct {
	mu     sync.Mutex
	counts map[string]int
	passed []boundary
	strike strike
	struck bool
	dead   bool
	err    error
	// later counts what was announced after the strike.
	later int
}

// pass announces a moment and strikes if it is the one. It returns false when
// the call must go no further: neither to the server nor back to the provider.
func (r *run) pass(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead {
		return false
	}
	r.counts[name]++
	b := boundary{name: name, nth: r.counts[name]}
	r.passed = append(r.passed, b)
	if r.struck {
		r.later++
		return true
	}
	if b != r.strike.at {
		return true
	}
	r.struck, r.dead = true, r.strike.ends
	r.err = r.strike.kill()
	return r.strike.goesOn
}

// isDead tells whether the run's provider was killed.
func (r *run) isDead() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dead
}

// all returns what was announced so far, in order.
func (r *run) all() []boundary {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.passed)
}

// end tells whether the run came to its strike, and how many boundaries it
// passed after that.
func (r *run) end() (struck bool, later int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.struck, r.later
}

// failure is why a kill failed.
func (r *run) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// conductor leads the runs of one sample, one after the other.
type conductor struct{ current atomic.Pointer[run] }

// begin starts a run; what is left of the one before stays with that.
func (c *conductor) begin(s strike) *run {
	r := &run{counts: map[string]int{}, strike: s}
	c.current.Store(r)
	return r
}

// ServeHTTP takes the announcements of package announce. One that must not
// pass is never answered.
func (c *conductor) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r := c.current.Load()
	moment, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	if !r.pass(string(moment)) && r.isDead() {
		<-request.Context().Done()
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

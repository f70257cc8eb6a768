package executor

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// step is one action with what it takes to carry it out.
type step struct {
	action  engine.Action
	target  backend.Target
	backend backend.Backend
	intent  ledger.Intent
	seen    engine.Sighting
}

// act carries out one action. Backend faults are remembered in the pass; the
// error is the ledger's own.
func (p *pass) act(ctx context.Context, a engine.Action) error {
	p.mu.Lock()
	st := step{action: a, target: p.view.target(a.Object), seen: p.view.Seen[a.Object.ID]}
	p.mu.Unlock()
	b, f := p.Backends(a.Object.ID.Component, p.view.Desired.Subject.Region)
	if f != nil {
		p.fail(a.Object.ID, f)
		return nil
	}
	st.backend = b
	if recordOnly(a, st.seen) {
		return p.recordKnown(ctx, st)
	}
	if err := p.note(ctx, &st); err != nil {
		return err
	}
	if f := undecidable(st, p.now()); f != nil {
		return p.refused(ctx, st, f)
	}
	return p.call(ctx, st)
}

// recordOnly tells whether an action changes nothing outside the ledger.
func recordOnly(a engine.Action, s engine.Sighting) bool {
	switch a.Verb {
	case engine.Forget:
		return true
	case engine.Adopt:
		// A container that is taken over gets our marker; a record set that is
		// what we want is left as it is.
		marked := s.Owner == engine.Ours || s.Owner == engine.Unmarked && a.Object.AdoptIdentical
		return len(a.Changes) == 0 && !s.Disabled && s.ArchivedUntil.IsZero() && marked
	default:
		return false
	}
}

// note writes the intent. A call that is being repeated keeps the key it was
// first made with, so that the backend can tell a repetition from a new wish.
func (p *pass) note(ctx context.Context, st *step) error {
	a := st.action
	key := a.Key
	if a.Verb != engine.Create {
		key += "/" + p.NewID()
	}
	open, err := p.openIntent(ctx, a.Object.ID)
	if err != nil {
		return err
	}
	hash := a.Object.Fields.Fingerprint()
	if open != nil && open.Verb == string(a.Verb) && open.Epoch == a.Epoch && (open.RequestHash == hash || !asksForContent(a.Verb)) {
		key = open.Key
	}
	intent, err := p.Ledger.OpenIntent(p.lasting, p.currentLease(), ledger.Intent{
		Component: a.Object.ID.Component, Object: a.Object.ID.Object, Verb: string(a.Verb), Key: key,
		RequestHash: hash, Epoch: a.Epoch, Attempt: a.Attempt,
	})
	if err != nil {
		return fmt.Errorf("note %s of tenant %s: %w", a.ID(), st.target.Subject.ID, err)
	}
	st.intent = intent
	return nil
}

// asksForContent tells whether a verb's call depends on the content wanted.
func asksForContent(v engine.Verb) bool {
	return v == engine.Create || v == engine.Adopt || v == engine.Update
}

func (p *pass) openIntent(ctx context.Context, object engine.ObjectID) (*ledger.Intent, error) {
	intents, err := p.Ledger.OpenIntents(ctx, p.view.Desired.Subject.ID)
	if err != nil {
		return nil, fmt.Errorf("load intents of tenant %s: %w", p.view.Desired.Subject.ID, err)
	}
	for _, i := range intents {
		if i.Component == object.Component && i.Object == object.Object {
			return &i, nil
		}
	}
	return nil, nil
}

func (p *pass) currentLease() ledger.Lease {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lease
}

// undecidable stops a repeated creation that neither the backend's key table
// nor a look can decide: repeating it could make a second object.
func undecidable(st step, now time.Time) *fault.Fault {
	if st.action.Verb != engine.Create || st.intent.Tries < 2 {
		return nil
	}
	capabilities := st.backend.Capabilities()
	keyAlive := now.Sub(st.intent.FirstUsedAt) < capabilities.KeyWindow
	if capabilities.ExactLookup || keyAlive {
		return nil
	}
	return fault.NewTerminal(st.target.Component+".needs_human", st.target.Path,
		fmt.Sprintf("an earlier creation under key %s has an unknown outcome and the system offers no way to look", st.intent.Key),
		fmt.Sprintf("look there for an object of this tenant and remove it; then take %[1]s out of the configuration, apply, put %[1]s back and apply again",
			st.target.Component))
}

// call makes the backend call and settles what came of it.
func (p *pass) call(ctx context.Context, st step) error {
	begin := p.Clock.Now()
	p.calls.Add(1)
	under, end := p.actionSpan(ctx, st)
	settle, err := p.perform(under, st)
	end(err)
	p.countAttempt(ctx, st, err)
	p.report(ctx, st, begin, err)
	if err == nil {
		return settle()
	}
	f := describeFault(err, st.target)
	switch {
	case f.Kind == fault.Ambiguous:
		return p.probe(ctx, st, f)
	case f.Kind == fault.NotFound && st.action.Verb != engine.Create:
		return p.unsettled(st, fault.NewRetryable(st.target.Component+".vanished", "the object vanished between the look and the call", err))
	case !keySpent(f) && (f.Kind == fault.Retryable || f.Kind == fault.NotFound):
		return p.unsettled(st, f)
	default:
		return p.refused(ctx, st, f)
	}
}

// perform calls the backend method the verb stands for and returns how to
// settle its success.
func (p *pass) perform(ctx context.Context, st step) (func() error, error) {
	switch st.action.Verb {
	case engine.Create, engine.Adopt, engine.Update:
		got, err := st.backend.Ensure(ctx, st.want())
		return func() error { return p.settleAlive(st, got) }, err
	case engine.Disable:
		disabler, offered := st.backend.(backend.Disabler)
		if !offered {
			return func() error {
				return p.settleDisabled(st, backend.Receipt{Outcome: "nothing to disable"})
			}, nil
		}
		receipt, err := disabler.Disable(ctx, st.target, st.intent.Key)
		return func() error { return p.settleDisabled(st, receipt) }, err
	case engine.Archive:
		archiver, offered := st.backend.(backend.Archiver)
		if !offered {
			return nil, fault.NewTerminal(st.target.Component+".no_archive", st.target.Path+".on_destroy",
				"this backend cannot archive", `set the data policy to "delete" or "retain"`)
		}
		receipt, err := archiver.Archive(ctx, st.removal())
		return func() error { return p.settleArchived(st, receipt) }, err
	default:
		receipt, err := st.backend.Remove(ctx, st.removal())
		return func() error { return p.settleGone(st, receipt) }, err
	}
}

// want is what Ensure is asked for.
func (st step) want() backend.Want {
	w := backend.Want{Target: st.target, Fields: st.action.Object.Fields, Inputs: st.action.Object.Inputs, Key: st.intent.Key}
	if st.action.Verb == engine.Create {
		w.ExternalID = "" // a recorded id belongs to a life that is over
		if st.intent.Tries > 1 {
			w.Inputs = withResume(w.Inputs)
		}
		return w
	}
	w.ExternalID = st.seen.ExternalID
	w.Observed = &backend.Observation{
		ExternalID: st.seen.ExternalID, Fields: st.seen.Fields, Disabled: st.seen.Disabled,
		ArchivedUntil: st.seen.ArchivedUntil, Marker: st.seen.Marker,
	}
	return w
}

func withResume(inputs map[string]string) map[string]string {
	out := map[string]string{backend.ResumeInput: "true"}
	for name, value := range inputs {
		out[name] = value
	}
	return out
}

func (st step) removal() backend.Removal {
	return backend.Removal{
		Target: st.target, Key: st.intent.Key, Data: st.action.Object.Finalization.Data,
		TakeUnmarked: st.action.TakeUnmarked, RetainUntil: st.action.RetainUntil,
	}
}

// probe looks after a call with an unknown outcome. What is found decides;
// what cannot be seen leaves the intent open for the next pass.
func (p *pass) probe(ctx context.Context, st step, f *fault.Fault) error {
	s := st.seen
	target := st.target
	if st.action.Verb == engine.Create {
		target.ExternalID = ""
	}
	p.sight(ctx, target, &s)
	took := s.Fault == nil && s.Present && s.Owner == engine.Ours && len(s.Fields.Diff(st.action.Object.Fields)) == 0
	if took && asksForContent(st.action.Verb) {
		p.Logger.LogAttrs(ctx, slog.LevelInfo, "the call took effect although its answer was lost", append(p.attrs(st), slog.String("outcome", "adopted"))...)
		return p.settleSighting(st, s)
	}
	if keySpent(f) && s.Fault == nil {
		return p.refused(ctx, st, f)
	}
	return p.unsettled(st, f)
}

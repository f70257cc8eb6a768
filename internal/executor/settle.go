package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// row is the object's ledger row after a step.
func (p *pass) row(st step, condition ledger.Condition) ledger.Object {
	o := st.action.Object
	external := st.seen.Record.ExternalID
	if st.action.Verb == engine.Create {
		external = "" // a recorded id belongs to a life that is over
	}
	return ledger.Object{
		Component: o.ID.Component, Object: o.ID.Object, Name: o.Name, Spec: o.Spec,
		Epoch: st.action.Epoch, Attempt: st.action.Attempt, Condition: condition,
		Generation: p.view.Tenant.DesiredGeneration,
		ExternalID: external, Fields: st.seen.Fields,
	}
}

// settle writes a step's outcome with a context that outlives a Ctrl-C.
func (p *pass) settle(st step, s ledger.Settlement) error {
	s.Generation = p.view.Tenant.DesiredGeneration
	if err := p.Ledger.Settle(p.lasting, p.currentLease(), s); err != nil {
		return fmt.Errorf("record %s of tenant %s: %w", st.action.ID(), st.target.Subject.ID, err)
	}
	return nil
}

// settleAlive records an object that exists as wanted.
func (p *pass) settleAlive(st step, got backend.Observation) error {
	if changes := got.Fields.Diff(st.action.Object.Fields); len(changes) > 0 {
		f := storedOther(st.action.Object, changes)
		p.fail(st.action.Object.ID, f)
		row := p.row(st, conditionOf(f))
		row.ExternalID, row.Fields, row.Message = got.ExternalID, got.Fields, f.Error()
		return p.settle(st, ledger.Settlement{Object: row})
	}
	return p.settleSighting(st, sighting(st.target, got, engine.Record{}))
}

// storedOther is the fault for a system that accepted a call and stored
// something else than was asked for: repeating would go on for ever.
func storedOther(o engine.Object, changes []tenant.Change) *fault.Fault {
	c := changes[0]
	return fault.NewTerminal(o.ID.Component+".stored_other", o.Path+"."+c.Field,
		fmt.Sprintf("the system stored %q where %q was asked for", c.From, c.To),
		"write it as the system does, or report this as a defect of the provider")
}

// recordKnown settles an action that needs no call.
func (p *pass) recordKnown(ctx context.Context, st step) error {
	if st.action.Verb == engine.Forget {
		return p.settleGone(st, backend.Receipt{Outcome: st.action.Reason})
	}
	if open, err := p.openIntent(ctx, st.action.Object.ID); err != nil {
		return err
	} else if open != nil {
		st.intent = *open
	}
	p.report(ctx, st, p.Clock.Now(), nil)
	return p.settleSighting(st, st.seen)
}

func (p *pass) settleSighting(st step, s engine.Sighting) error {
	row := p.row(st, ledger.ConditionReady)
	row.ExternalID, row.Fields = s.ExternalID, s.Fields
	ready, err := p.event(event.ComponentReady, map[string]any{
		"component": row.Component, "object": row.Object, "external_id": row.ExternalID, "action": string(st.action.Verb),
	})
	if err != nil {
		return err
	}
	if err := p.settle(st, ledger.Settlement{Object: row, Events: []event.Event{ready}, Revived: p.revived(st)}); err != nil {
		return err
	}
	s.Record = engine.Record{Known: true, ExternalID: row.ExternalID, Name: row.Name, Epoch: row.Epoch, Attempt: row.Attempt}
	s.Disabled = false
	p.succeed(st.action, s)
	return nil
}

// settleDisabled records that access is off.
func (p *pass) settleDisabled(st step, receipt backend.Receipt) error {
	row := p.row(st, ledger.ConditionDisabled)
	if row.ExternalID == "" {
		row.ExternalID = st.seen.ExternalID
	}
	err := p.settle(st, ledger.Settlement{Object: row, Evidence: []ledger.Evidence{p.evidence(st, receipt)}})
	if err != nil {
		return err
	}
	s := st.seen
	s.Disabled, s.Record.IntentOpen = true, false
	p.succeed(st.action, s)
	return nil
}

// settleGone records a removal. What the system finishes later keeps its row,
// with the date.
func (p *pass) settleGone(st step, receipt backend.Receipt) error {
	if !receipt.PendingUntil.IsZero() {
		return p.settleDated(st, receipt, ledger.ConditionPendingDeletion)
	}
	s := ledger.Settlement{
		Object: p.row(st, ledger.ConditionDeleted), Forget: true, Evidence: []ledger.Evidence{p.evidence(st, receipt)},
	}
	if err := p.settle(st, s); err != nil {
		return err
	}
	p.succeed(st.action, engine.Sighting{Record: engine.Record{Epoch: st.action.Epoch, Ended: true}})
	return nil
}

// settleArchived records data that is kept for a while.
func (p *pass) settleArchived(st step, receipt backend.Receipt) error {
	if receipt.Outcome == "already absent" {
		return p.settleGone(st, receipt)
	}
	if receipt.PendingUntil.IsZero() {
		receipt.PendingUntil = st.action.RetainUntil
	}
	return p.settleDated(st, receipt, ledger.ConditionArchived)
}

// settleDated ends the object's life and keeps what is left of it under a name
// of its own, "object@epoch": a next life may begin before the date.
func (p *pass) settleDated(st step, receipt backend.Receipt, condition ledger.Condition) error {
	remnant := p.row(st, condition)
	remnant.Object = fmt.Sprintf("%s@%d", remnant.Object, remnant.Epoch)
	remnant.PendingUntil = receipt.PendingUntil
	remnant.Message = receipt.Outcome
	if name := receipt.Details["archive"]; name != "" {
		remnant.Name = name
	}
	entry := p.evidence(st, receipt)
	entry.Details["retain_until"] = receipt.PendingUntil.UTC().Format("2006-01-02T15:04:05Z")
	s := ledger.Settlement{
		Object: p.row(st, ledger.ConditionDeleted), Forget: true, Remnant: &remnant, Evidence: []ledger.Evidence{entry},
	}
	if err := p.settle(st, s); err != nil {
		return err
	}
	p.succeed(st.action, engine.Sighting{Record: engine.Record{Epoch: st.action.Epoch, Ended: true}})
	return nil
}

// revived lists the remnants that name the object that lives now, as an archive
// in place does once the object is back in service: nothing may end it on their
// account. A remnant that was moved away has another name.
func (p *pass) revived(st step) []ledger.Object {
	var out []ledger.Object
	for _, id := range sortedIDs(p.view.Rows) {
		row := p.view.Rows[id]
		if id.Component == st.target.Component && strings.HasPrefix(id.Object, st.target.Object+"@") &&
			row.ExternalID == st.seen.ExternalID && row.Name == st.action.Object.Name {
			out = append(out, row)
		}
	}
	return out
}

// refused records a fault that no repetition mends. A key under which the
// backend replays a stored failure is given up for the next attempt's, one that
// made an object which is gone for the next life's.
func (p *pass) refused(ctx context.Context, st step, f *fault.Fault) error {
	row := p.row(st, conditionOf(f))
	row.Message, row.DriftSince = f.Error(), p.driftSince(st)
	switch {
	case lifeOver(f):
		row.Epoch, row.Attempt = row.Epoch+1, 1
	case keySpent(f):
		row.Attempt++
	}
	p.fail(st.action.Object.ID, f)
	return p.settle(st, ledger.Settlement{Object: row, KeepIntent: p.leftSomething(ctx, st, f)})
}

// leftSomething tells whether a refused creation may have left an object, or a
// part of one: only an open intent lets the next pass, or a destroy, know it for
// ours. An earlier try may have, whatever is seen now.
func (p *pass) leftSomething(ctx context.Context, st step, f *fault.Fault) bool {
	switch {
	case st.action.Verb != engine.Create, keySpent(f), f.Kind == fault.Conflict && st.intent.Tries <= 1:
		return false
	case st.intent.Tries > 1:
		return true
	}
	target, now := st.target, st.seen
	target.ExternalID = ""
	p.sight(ctx, target, &now)
	return now.Fault != nil || now.Present && now.Owner != engine.Foreign
}

// unsettled records a fault after which the call is to be repeated: the intent
// stays open, so that the repetition uses the same key and looks first.
func (p *pass) unsettled(st step, f *fault.Fault) error {
	row := p.row(st, ledger.ConditionProgressing)
	row.Message, row.DriftSince = f.Error(), p.driftSince(st)
	p.fail(st.action.Object.ID, f)
	return p.settle(st, ledger.Settlement{Object: row, KeepIntent: true})
}

// driftSince keeps the age of drift that an action did not mend.
func (p *pass) driftSince(st step) time.Time { return p.view.Rows[st.action.Object.ID].DriftSince }

// evidence is the proof of one step of finalization.
func (p *pass) evidence(st step, receipt backend.Receipt) ledger.Evidence {
	details := map[string]string{"name": st.action.Object.Name, "external_id": st.target.ExternalID}
	for key, value := range receipt.Details {
		details[key] = value
	}
	for key, value := range details {
		if value == "" {
			delete(details, key)
		}
	}
	return ledger.Evidence{
		Time: p.now(), Actor: p.actor, Step: st.action.ID(), Outcome: receipt.Outcome, Details: details,
	}
}

// event makes an event about this tenant; data must be encodable.
func (p *pass) event(kind string, data map[string]any) (event.Event, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return event.Event{}, fmt.Errorf("encode event %s: %w", kind, err)
	}
	return event.Event{
		ID: p.NewID(), Type: kind, Tenant: p.view.Desired.Subject.ID,
		Correlation: p.view.Tenant.CorrelationID, Time: p.now(), Data: text,
	}, nil
}

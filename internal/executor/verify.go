package executor

import (
	"context"
	"fmt"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// settleTime is how long a finalization waits before it looks again: a writer
// that is still at work needs no longer to put back what was removed (C62).
const settleTime = time.Second

// verify looks again at everything a finalization removed, after a settle
// time, and returns what is there nevertheless or cannot be seen. The view is
// the new one. A pass that removed nothing has just looked.
func (p *pass) verify(ctx context.Context) ([]engine.ObjectFault, error) {
	if p.acted > 0 {
		if err := p.Clock.Sleep(ctx, settleTime); err != nil {
			return nil, err
		}
		removed := p.view.objects()
		view, err := p.look(ctx, p.view.Tenant.Spec, p.view.Tenant)
		if err != nil {
			return nil, err
		}
		p.view = p.withSightings(ctx, view, removed)
	}
	plan := p.destroyPlan()
	back := plan.Faults
	for _, a := range plan.Actions {
		back = append(back, engine.ObjectFault{Object: a.Object.ID, Fault: fault.NewRetryable(a.Object.ID.Component+".recreated",
			fmt.Sprintf("%s is there again after it was removed", a.Object.ID), nil)})
	}
	return append(back, p.strays()...), nil
}

// withSightings adds to a view the objects that it does not know of any more,
// as they departed, and looks at them.
func (p *pass) withSightings(ctx context.Context, view View, removed []engine.Object) View {
	var lost []engine.Object
	for _, o := range removed {
		if _, known := view.Seen[o.ID]; !known {
			lost = append(lost, o)
			view.Seen[o.ID] = engine.Sighting{Record: p.view.Seen[o.ID].Record}
		}
	}
	view.Departing = append(view.Departing, lost...)
	for _, o := range lost {
		s := view.Seen[o.ID]
		p.sight(ctx, view.target(o), &s)
		view.Seen[o.ID] = s
	}
	return view
}

// strays are containers of data that stand under a name of ours where an ended
// life was, without a marker. Somebody who still writes made them, and only a
// person can tell what is in them.
func (p *pass) strays() []engine.ObjectFault {
	var out []engine.ObjectFault
	for _, o := range p.view.objects() {
		s := p.view.Seen[o.ID]
		if !s.Present || s.Owner != engine.Unmarked || !s.Record.Ended || o.Finalization.Data == "" {
			continue
		}
		out = append(out, engine.ObjectFault{Object: o.ID, Fault: fault.NewTerminal(o.ID.Component+".recreated", o.Path,
			fmt.Sprintf("%s is there again after it was removed, without a marker: something still writes to it", o.Name),
			"stop what writes to it, move or remove what it holds, then destroy again")})
	}
	return out
}

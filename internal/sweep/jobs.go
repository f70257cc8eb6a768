package sweep

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// The queues. Each has workers of its own.
const (
	queueTicks   = "tenant_ticks"
	queueEvents  = "tenant_events"
	queueTenants = "tenants"
	queueFailing = "tenants_failing"
)

// tickArgs asks for the due tenants to be lined up.
type tickArgs struct{}

// Kind implements river.JobArgs.
func (tickArgs) Kind() string { return "tenant_tick" }

// dispatchArgs asks for due events to be sent.
type dispatchArgs struct{}

// Kind implements river.JobArgs.
func (dispatchArgs) Kind() string { return "tenant_dispatch" }

// visitArgs asks for one tenant to be visited.
type visitArgs struct {
	Tenant     string `json:"tenant"`
	Generation int64  `json:"generation"`
	// Due is when the tenant became due, in microseconds since 1970.
	Due int64 `json:"due"`
	// Round is the span of time in which the job was inserted.
	Round int64 `json:"round"`
}

// Kind implements river.JobArgs.
func (visitArgs) Kind() string { return "tenant_visit" }

// unfinished are the states of a job that may still run.
func unfinished() []rivertype.JobState {
	return []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRunning,
		rivertype.JobStateRetryable, rivertype.JobStateScheduled,
	}
}

// visitJob is the job that visits a due tenant.
func visitJob(d ledger.Due, failing bool, round int64) river.InsertManyParams {
	queue := queueTenants
	if failing {
		queue = queueFailing
	}
	return river.InsertManyParams{
		Args: visitArgs{Tenant: string(d.ID), Generation: int64(d.Generation), Due: d.At.UnixMicro(), Round: round},
		// What a visit fails for is in the ledger, with the next date: River
		// need not try again.
		InsertOpts: &river.InsertOpts{Queue: queue, MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: unfinished()}},
	}
}

// periodic is a job that the leader inserts every so often, unless the last one
// still waits or runs. River takes the job of a killed worker for running until
// it is rescued, so each round may have one of its own.
func periodic(args river.JobArgs, queue string, every, round time.Duration) *river.PeriodicJob {
	return river.NewPeriodicJob(river.PeriodicInterval(every), func() (river.JobArgs, *river.InsertOpts) {
		return args, &river.InsertOpts{
			Queue: queue, MaxAttempts: 1,
			UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: round, ByState: unfinished()},
		}
	}, &river.PeriodicJobOpts{RunOnStart: true})
}

// visitor works visit jobs.
type visitor struct {
	river.WorkerDefaults[visitArgs]
	work Work
	// limit bounds a visit.
	limit time.Duration
}

// Timeout implements river.Worker.
func (v *visitor) Timeout(*river.Job[visitArgs]) time.Duration { return v.limit }

// Work implements river.Worker. It never fails: River has nothing to repeat. A
// tenant that was visited while the job waited is not due any more: another
// round's job, or a wake-up's, was first.
func (v *visitor) Work(ctx context.Context, job *river.Job[visitArgs]) error {
	id := tenant.ID(job.Args.Tenant)
	row, err := v.work.Ledger.Tenant(ctx, id)
	if err == nil && row.NextReconcileAt.After(v.work.Clock.Now()) {
		return nil
	}
	if err == nil {
		_, err = v.work.Visit(ctx, id)
	}
	v.work.tell(ctx, id, err)
	return nil
}

// dispatcher works dispatch jobs.
type dispatcher struct {
	river.WorkerDefaults[dispatchArgs]
	work  Work
	limit time.Duration
}

// Timeout implements river.Worker.
func (d *dispatcher) Timeout(*river.Job[dispatchArgs]) time.Duration { return d.limit }

// Work implements river.Worker.
func (d *dispatcher) Work(ctx context.Context, _ *river.Job[dispatchArgs]) error {
	if err := d.work.dispatchAll(ctx); err != nil && ctx.Err() == nil {
		d.work.Logger.WarnContext(ctx, "events could not be sent", "error", err.Error())
	}
	return nil
}

package sweep

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Database is the ledger's open database, in which the jobs are kept too.
type Database struct {
	DB *sql.DB
	// Postgres tells PostgreSQL from SQLite.
	Postgres bool
	// Lock keeps two processes from making the jobs' tables at once; the returned
	// function gives it back. nil: River's own checks must do.
	Lock func(ctx context.Context) (unlock func(), err error)
}

// Settings are how a Service works.
type Settings struct {
	Work
	Database Database
	// Tick is how often due tenants are looked for; at least a second.
	Tick time.Duration
	// Grace is how long visits under way may take at a shutdown.
	Grace time.Duration
	// VisitLimit bounds a visit; 0 means 10 minutes.
	VisitLimit time.Duration
	// DrainWindow is how long a backlog takes to be let go (C70); 0 means 150
	// seconds.
	DrainWindow time.Duration
	// Round is after which time the job of a tenant that is still due is lined up
	// once more, since its worker may have been killed; 0 means a minute.
	Round time.Duration
	// Spacing is the least time between a visit and the one that a wake-up asks
	// for.
	Spacing time.Duration
}

func (s Settings) withDefaults() Settings {
	s.Tick = max(s.Tick, time.Second)
	s.Workers = max(s.Workers, 1)
	if s.VisitLimit <= 0 {
		s.VisitLimit = 10 * time.Minute
	}
	if s.Round <= 0 {
		s.Round = time.Minute
	}
	if s.DrainWindow <= 0 {
		s.DrainWindow = 150 * time.Second
	}
	return s
}

// tickRound is Round for the jobs of the service itself: they take moments, and
// everybody waits for them.
func (s Settings) tickRound() time.Duration { return min(s.Round, 5*s.Tick) }

// Service sweeps all the time. Any number of them may work on one ledger.
type Service struct {
	settings Settings
	client   *river.Client[*sql.Tx]
}

// drainFloor is how many overdue tenants a second are always let go, for each
// worker.
const drainFloor = 2

// New prepares a service and makes the jobs' tables where they are missing.
func New(ctx context.Context, s Settings) (*Service, error) {
	s = s.withDefaults()
	driver := s.Database.driver()
	if err := migrate(ctx, s, driver); err != nil {
		return nil, err
	}
	service := &Service{settings: s}
	floor := float64(s.Workers * drainFloor)
	tick := &ticker{work: s.Work, every: s.Tick, round: s.Round, insert: service.insert, drain: map[ledger.Health]*drain{
		ledger.Healthy: {window: s.DrainWindow, floor: floor}, ledger.Failing: {window: s.DrainWindow, floor: floor / FailingShare},
	}}
	workers := river.NewWorkers()
	for _, err := range []error{
		river.AddWorkerSafely(workers, tick),
		river.AddWorkerSafely(workers, &visitor{work: s.Work, limit: s.VisitLimit}),
		river.AddWorkerSafely(workers, &dispatcher{work: s.Work, limit: s.VisitLimit}),
	} {
		if err != nil {
			return nil, fmt.Errorf("register jobs: %w", err)
		}
	}
	client, err := river.NewClient(driver, s.config(workers))
	if err != nil {
		return nil, fmt.Errorf("prepare the job engine: %w", err)
	}
	service.client = client
	return service, nil
}

func (d Database) driver() riverdriver.Driver[*sql.Tx] {
	if d.Postgres {
		return riverdatabasesql.New(d.DB)
	}
	return riversqlite.New(d.DB)
}

// config is the job engine's. It polls rather than listens: that works through
// a transaction pooler, and what is urgent comes with a wake-up anyway.
func (s Settings) config(workers *river.Workers) *river.Config {
	failing := failingWorkers(s.Workers)
	jobs := []*river.PeriodicJob{periodic(tickArgs{}, queueTicks, s.Tick, s.tickRound())}
	queues := map[string]river.QueueConfig{
		queueTicks: {MaxWorkers: 1}, queueTenants: {MaxWorkers: max(1, s.Workers-failing)}, queueFailing: {MaxWorkers: failing},
	}
	if s.Dispatch != nil {
		jobs = append(jobs, periodic(dispatchArgs{}, queueEvents, s.Tick, s.tickRound()))
		queues[queueEvents] = river.QueueConfig{MaxWorkers: 1}
	}
	const kept = 10 * time.Minute
	return &river.Config{
		Queues: queues, Workers: workers, PeriodicJobs: jobs, PollOnly: true, Logger: quiet(s.Logger),
		FetchCooldown: 50 * time.Millisecond, FetchPollInterval: 500 * time.Millisecond,
		JobTimeout: s.VisitLimit, RescueStuckJobsAfter: s.VisitLimit + time.Minute, SoftStopTimeout: s.Grace, MaxAttempts: 1,
		CompletedJobRetentionPeriod: kept, CancelledJobRetentionPeriod: kept, DiscardedJobRetentionPeriod: kept,
	}
}

// migrate makes or updates the jobs' tables.
func migrate(ctx context.Context, s Settings, driver riverdriver.Driver[*sql.Tx]) error {
	if s.Database.Lock != nil {
		unlock, err := s.Database.Lock(ctx)
		if err != nil {
			return fmt.Errorf("lock the job engine's tables: %w", err)
		}
		defer unlock()
	}
	migrator, err := rivermigrate.New(driver, &rivermigrate.Config{Logger: quiet(s.Logger)})
	if err != nil {
		return fmt.Errorf("prepare the job engine's tables: %w", err)
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("make the job engine's tables: %w", err)
	}
	return nil
}

// quiet passes on what the job engine warns of, and nothing less.
func quiet(to *slog.Logger) *slog.Logger { return slog.New(warnings{to.Handler()}) }

// warnings is a handler that drops what is less than a warning.
type warnings struct{ slog.Handler }

// Enabled implements slog.Handler.
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

// insert puts jobs into the queues.
func (s *Service) insert(ctx context.Context, jobs []river.InsertManyParams) error {
	if len(jobs) == 0 {
		return nil
	}
	if _, err := s.client.InsertMany(ctx, jobs); err != nil {
		return fmt.Errorf("line up %d visits: %w", len(jobs), err)
	}
	return nil
}

// Run works until ctx ends, then lets visits under way end within Grace, and
// cancels them after that.
func (s *Service) Run(ctx context.Context) error {
	if err := s.client.Start(ctx); err != nil {
		return fmt.Errorf("start the job engine: %w", err)
	}
	<-s.client.Stopped()
	return nil
}

// Halt cancels the visits under way.
func (s *Service) Halt(ctx context.Context) error {
	if err := s.client.StopAndCancel(ctx); err != nil {
		return fmt.Errorf("halt the job engine: %w", err)
	}
	return nil
}

// Wake has a tenant visited soon: at once, or Spacing after its last visit. It
// only makes the visit come sooner; what the visit does is decided by what it
// finds. ledger.ErrNotFound for a tenant that is not in the ledger.
func (s *Service) Wake(ctx context.Context, id tenant.ID) error {
	row, err := s.settings.Ledger.Wake(ctx, id, s.settings.Spacing)
	if err != nil {
		return fmt.Errorf("wake tenant %s: %w", id, err)
	}
	return s.lineUp(ctx, row)
}

// Told lines up a tenant that the ledger has said to be due.
func (s *Service) Told(ctx context.Context, id tenant.ID) error {
	row, err := s.settings.Ledger.Tenant(ctx, id)
	if err != nil {
		return fmt.Errorf("load tenant %s: %w", id, err)
	}
	return s.lineUp(ctx, row)
}

// lineUp inserts a tenant's visit, if it is due; otherwise a tick will.
func (s *Service) lineUp(ctx context.Context, row ledger.Tenant) error {
	now := s.settings.Clock.Now()
	if row.NextReconcileAt.After(now) || row.Status == ledger.Deleted {
		return nil
	}
	due := ledger.Due{ID: row.ID, Generation: row.DesiredGeneration, At: row.NextReconcileAt}
	return s.insert(ctx, []river.InsertManyParams{visitJob(due, row.FailureCount > 0, roundOf(now, s.settings.Round))})
}

// Ready tells why the service is not in order, nil when it is: the ledger
// answers, and some worker looked for due tenants not long ago.
func (s *Service) Ready(ctx context.Context) error {
	if _, err := s.settings.Ledger.Installation(ctx); err != nil {
		return fmt.Errorf("the ledger does not answer: %w", err)
	}
	select {
	case <-s.client.Stopped():
		return errors.New("it is shutting down")
	default:
	}
	ticks, err := s.client.JobList(ctx, river.NewJobListParams().Kinds(tickArgs{}.Kind()).
		States(rivertype.JobStateCompleted).OrderBy(river.JobListOrderByFinalizedAt, river.SortOrderDesc).First(1))
	if err != nil {
		return fmt.Errorf("the job engine does not answer: %w", err)
	}
	if len(ticks.Jobs) == 0 {
		return errors.New("nobody has looked for due tenants yet")
	}
	if age := s.settings.Clock.Now().Sub(*ticks.Jobs[0].FinalizedAt); age > 3*s.settings.Tick+10*time.Second {
		return fmt.Errorf("nobody has looked for due tenants for %s", age.Round(time.Second))
	}
	return nil
}

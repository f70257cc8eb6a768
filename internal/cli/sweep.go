package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/sweep"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// sweepFlags are the flags of sweep.
type sweepFlags struct {
	once        bool
	workers     int
	listen      string
	tick, grace time.Duration
	spacing     time.Duration
	cadence     executor.Cadence
	compress    int64
}

func sweepCommand(o *options, program provider.Program) *cobra.Command {
	f := sweepFlags{}
	cmd := &cobra.Command{
		Use: "sweep", Short: "Keep tenants true between applies", Args: cobra.NoArgs,
		Long: "Visits the tenants that are due: goes on with what an apply left, ends what its date has come for, dates drift,\n" +
			"repairs it where drift.policy says so, and sends events.\n\n" +
			"Without --once it is a service and runs until it is told to stop. Any number of them may share a PostgreSQL ledger.\n" +
			"It serves /healthz, /readyz, /wake and webhooks; their secrets come from " + tokenVariable + ",\n" +
			stripeVariable + ", " + githubVariable + " and " + keycloakVariable + ",\n" +
			"several separated by spaces while one is exchanged for another.",
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, o, program) },
	}
	cmd.Flags().BoolVar(&f.once, "once", false, "visit what is due now, and end: for cron and pipelines")
	cmd.Flags().IntVar(&f.workers, "workers", 4, "how many tenants to visit at a time")
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:8439", "address of the HTTP server; empty for none")
	cmd.Flags().DurationVar(&f.tick, "tick", 2*time.Second, "how often to look for due tenants")
	cmd.Flags().DurationVar(&f.grace, "grace", 25*time.Second, "how long visits under way may take when it is told to stop")
	cmd.Flags().DurationVar(&f.spacing, "spacing", 10*time.Second, "least time between a visit and the next one that a wake-up asks for")
	cmd.Flags().DurationVar(&f.cadence.Critical, "critical-interval", 5*time.Minute, "how often to look at who gets in and where users are sent")
	cmd.Flags().DurationVar(&f.cadence.Stable, "interval", time.Hour, "how often to look at everything")
	cmd.Flags().Int64Var(&f.compress, "compress", 1, "for soaks: be as many times less patient with failures")
	_ = cmd.Flags().MarkHidden("compress") // the flag exists
	readsProviderBlock(cmd, o)
	return cmd
}

func (f sweepFlags) run(cmd *cobra.Command, o *options, program provider.Program) error {
	logger := newLogger(cmd.ErrOrStderr())
	program.Logger, program.Cadence, program.Patience = logger, f.cadence, executor.DefaultPatience().Compressed(f.compress)
	session, err := openSession(cmd.Context(), program, o)
	if err != nil {
		return err
	}
	defer session.Close()
	dispatcher, closeSinks, err := session.Dispatcher(cmd.Context())
	if err != nil {
		return err
	}
	defer closeSinks()
	if err := program.Telemetry.ObserveFleet(session.Fleet); err != nil {
		return err
	}
	work := sweep.Work{
		Dispatch: dispatcher.Once,
		Ledger:   session.Ledger(), Visit: visitWith(session), Workers: max(1, f.workers), Clock: clock.System{}, Logger: logger,
	}
	if f.once {
		return f.sweepOnce(cmd, o, work)
	}
	return f.serve(cmd.Context(), session, work)
}

// visitWith visits with a session's executor.
func visitWith(session *provider.Session) sweep.Visit {
	return func(ctx context.Context, id tenant.ID) (int, error) {
		outcome, err := session.Executor.Visit(ctx, id, "sweep "+session.Executor.Worker)
		return len(outcome.Faults), err
	}
}

func (f sweepFlags) sweepOnce(cmd *cobra.Command, o *options, work sweep.Work) error {
	var bar *progressBar
	report, err := sweep.Once(cmd.Context(), work, func(_, of int) {
		if bar == nil {
			bar = newProgress(cmd.ErrOrStderr(), "visiting tenants", of)
		}
		bar.step()
	})
	if bar != nil {
		bar.stop()
	}
	if err != nil {
		return err
	}
	if err := printReport(cmd.OutOrStdout(), o.output, report); err != nil {
		return err
	}
	if report.Undone > 0 {
		return fmt.Errorf("%d visits could not be recorded; see the log above", report.Undone)
	}
	return nil
}

func printReport(out io.Writer, output string, r sweep.Report) error {
	if output == "json" {
		return printJSON(out, r)
	}
	_, err := fmt.Fprintf(out, "%d tenants visited, %d not as declared, %d busy\n", r.Visited, r.Failing, r.Busy)
	return err
}

// serve sweeps until the context or a signal ends it.
func (f sweepFlags) serve(ctx context.Context, session *provider.Session, work sweep.Work) error {
	jobs, err := session.Jobs()
	if err != nil {
		return err
	}
	if jobs.Postgres {
		jobs.DB.SetMaxOpenConns(8 + 2*work.Workers) // the visits' own, and the job engine's
	}
	service, err := sweep.New(ctx, sweep.Settings{Work: work, Database: jobs, Tick: f.tick, Grace: f.grace, Spacing: f.spacing})
	if err != nil {
		return err
	}
	stopping, stop := untilSignalled(ctx, service, work.Logger)
	defer stop()
	served, err := f.startServer(stopping, session, service, work)
	if err != nil {
		return err
	}
	go keepListening(stopping, session, service, work)
	work.Logger.InfoContext(ctx, "sweeping", "workers", work.Workers, "tick", f.tick.String())
	err = service.Run(stopping)
	stop()
	work.Logger.InfoContext(ctx, "ended")
	return errors.Join(err, <-served)
}

// newLogger writes lines for people to a terminal, and JSON elsewhere.
func newLogger(out io.Writer) *slog.Logger {
	if isTerminal(out) {
		return slog.New(slog.NewTextHandler(out, nil))
	}
	return slog.New(slog.NewJSONHandler(out, nil))
}

// The variables that hold the secrets of wake-ups.
const (
	tokenVariable    = "TENANT_SWEEP_TOKEN"
	stripeVariable   = "TENANT_STRIPE_WEBHOOK_SECRET"
	githubVariable   = "TENANT_GITHUB_WEBHOOK_SECRET"
	keycloakVariable = "TENANT_KEYCLOAK_WEBHOOK_SECRET"
)

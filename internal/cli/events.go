package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/tenantplane/terraform-provider-tenant/internal/event"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func eventsCommand(o *options, program provider.Program) *cobra.Command {
	f := ledger.EventFilter{}
	cmd := &cobra.Command{
		Use: "events [TENANT]", Short: "Show what happened to tenants, and what sinks are owed", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				f.Tenant = tenant.ID(args[0])
			}
			return withLedger(cmd, o, func(store ledger.Store) error {
				events, err := store.Events(cmd.Context(), f)
				if err != nil {
					return fmt.Errorf("load events: %w", err)
				}
				return printEvents(cmd.OutOrStdout(), o.output, events)
			})
		},
	}
	cmd.Flags().StringSliceVar(&f.Types, "type", nil, "only events of this type")
	cmd.Flags().IntVar(&f.Limit, "limit", 100, "how many at most, the newest first")
	cmd.AddCommand(sinksCommand(o), deadCommand(o), replayCommand(o), dispatchCommand(o, program))
	return cmd
}

// withLedger runs do with the ledger open.
func withLedger(cmd *cobra.Command, o *options, do func(ledger.Store) error) error {
	store, err := openLedger(cmd.Context(), o.ledger)
	if err != nil {
		return err
	}
	defer store.Close()
	return do(store)
}

func printEvents(out io.Writer, output string, events []event.Event) error {
	if output == "json" {
		return printJSON(out, events)
	}
	t := newTable(out, "Time", "Tenant", "Type", "Id", "Data")
	for _, e := range events {
		t.AppendRow([]any{moment(e.Time), e.Tenant, e.Type, e.ID, string(e.Data)})
	}
	t.Render()
	return nil
}

// sinkView is a sink as printed.
type sinkView struct {
	Name        string `json:"name"`
	Pending     int64  `json:"pending"`
	Dead        int64  `json:"dead"`
	Oldest      string `json:"oldest_pending,omitempty"`
	PausedUntil string `json:"paused_until,omitempty"`
	Outages     int64  `json:"outages"`
	LastError   string `json:"last_error,omitempty"`
}

func sinksCommand(o *options) *cobra.Command {
	forget := ""
	cmd := &cobra.Command{
		Use: "sinks", Short: "Show the sinks and what they are owed", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withLedger(cmd, o, func(store ledger.Store) error {
				if forget != "" {
					if err := store.ForgetSink(cmd.Context(), forget); err != nil {
						return err
					}
				}
				sinks, err := store.Sinks(cmd.Context())
				if err != nil {
					return fmt.Errorf("load sinks: %w", err)
				}
				return printSinks(cmd.OutOrStdout(), o.output, sinks)
			})
		},
	}
	cmd.Flags().StringVar(&forget, "forget", "", "forget this sink and all it is owed")
	return cmd
}

func printSinks(out io.Writer, output string, sinks []ledger.Sink) error {
	views := make([]sinkView, 0, len(sinks))
	t := newTable(out, "Sink", "Pending", "Dead", "Oldest", "Paused until", "Last error")
	for _, s := range sinks {
		v := sinkView{Name: s.Name, Pending: s.Pending, Dead: s.Dead, Outages: s.Outages, LastError: s.LastError}
		if !s.Oldest.IsZero() {
			v.Oldest = moment(s.Oldest)
		}
		if !s.PausedUntil.IsZero() {
			v.PausedUntil = moment(s.PausedUntil)
		}
		views = append(views, v)
		t.AppendRow([]any{v.Name, v.Pending, v.Dead, v.Oldest, v.PausedUntil, v.LastError})
	}
	if output == "json" {
		return printJSON(out, views)
	}
	t.Render()
	return nil
}

// deadView is a dead letter as printed.
type deadView struct {
	Sink     string      `json:"sink"`
	Attempts int64       `json:"attempts"`
	Error    string      `json:"error"`
	Event    event.Event `json:"event"`
}

func deadCommand(o *options) *cobra.Command {
	return &cobra.Command{
		Use: "dead [SINK]", Short: "Show the events that were given up", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withLedger(cmd, o, func(store ledger.Store) error {
				dead, err := store.DeadDeliveries(cmd.Context(), first(args))
				if err != nil {
					return fmt.Errorf("load dead events: %w", err)
				}
				return printDead(cmd.OutOrStdout(), o.output, dead)
			})
		},
	}
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func printDead(out io.Writer, output string, dead []ledger.Delivery) error {
	views := make([]deadView, 0, len(dead))
	t := newTable(out, "Sink", "Time", "Tenant", "Type", "Id", "Attempts", "Error")
	for _, d := range dead {
		views = append(views, deadView{d.Sink, d.Attempts, d.LastError, d.Event})
		t.AppendRow([]any{d.Sink, moment(d.Event.Time), d.Event.Tenant, d.Event.Type, d.Event.ID, d.Attempts, d.LastError})
	}
	if output == "json" {
		return printJSON(out, views)
	}
	t.Render()
	return nil
}

func replayCommand(o *options) *cobra.Command {
	id, eventID, all := "", "", false
	cmd := &cobra.Command{
		Use: "replay SINK", Short: "Send dead events again, in their order and under their ids", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if id == "" && eventID == "" && !all {
				return errors.New("say which: --event ID, --tenant TENANT or --all")
			}
			return withLedger(cmd, o, func(store ledger.Store) error {
				n, err := store.Replay(cmd.Context(), args[0], tenant.ID(id), eventID)
				if err != nil {
					return fmt.Errorf("replay: %w", err)
				}
				if o.output == "json" {
					return printJSON(cmd.OutOrStdout(), map[string]int64{"replayed": n})
				}
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d events are owed to %s again\n", n, args[0])
				return err
			})
		},
	}
	cmd.Flags().StringVar(&id, "tenant", "", "the dead events of this tenant")
	cmd.Flags().StringVar(&eventID, "event", "", "this event")
	cmd.Flags().BoolVar(&all, "all", false, "all dead events of the sink")
	cmd.MarkFlagsMutuallyExclusive("tenant", "event", "all")
	return cmd
}

func dispatchCommand(o *options, program provider.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use: "dispatch", Short: "Send the events that are due, and end", Args: cobra.NoArgs,
		Long: "Does what sweeps do with events, without visiting tenants.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			program.Logger = newLogger(cmd.ErrOrStderr())
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
			for more := true; more; {
				if more, err = dispatcher.Once(cmd.Context()); err != nil {
					return err
				}
			}
			sinks, err := session.Ledger().Sinks(cmd.Context())
			if err != nil {
				return fmt.Errorf("load sinks: %w", err)
			}
			return printSinks(cmd.OutOrStdout(), o.output, sinks)
		},
	}
	readsProviderBlock(cmd, o)
	return cmd
}

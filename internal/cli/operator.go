package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// order is a person's order about one tenant.
type order struct {
	reason string
	later  bool
	wait   time.Duration
}

func suspendCommand(o *options, program provider.Program) *cobra.Command {
	ord := order{}
	cmd := &cobra.Command{
		Use: "suspend TENANT", Short: "Let nobody into a tenant, and keep everything", Args: cobra.ExactArgs(1),
		Long: "Switches off what lets people and programs in: sign-in, database roles. Data, billing and DNS stay.\n" +
			"Applies and sweeps keep it so until: resume TENANT.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return ord.carryOut(cmd, o, program, tenant.ID(args[0]), ledger.Suspended, (*executor.Executor).Suspend)
		},
	}
	ord.flags(cmd, o)
	_ = cmd.MarkFlagRequired("reason") // the flag exists: flags has just made it
	return cmd
}

func resumeCommand(o *options, program provider.Program) *cobra.Command {
	ord := order{}
	cmd := &cobra.Command{
		Use: "resume TENANT", Short: "Take a suspension back", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return ord.carryOut(cmd, o, program, tenant.ID(args[0]), ledger.Ready, (*executor.Executor).Resume)
		},
	}
	ord.flags(cmd, o)
	return cmd
}

func (ord *order) flags(cmd *cobra.Command, o *options) {
	cmd.Flags().StringVar(&ord.reason, "reason", "", "why; kept in the ledger and in the event")
	cmd.Flags().BoolVar(&ord.later, "later", false, "only note it: the next apply or sweep carries it out")
	cmd.Flags().DurationVar(&ord.wait, "timeout", 2*time.Minute, "how long to try")
	readsProviderBlock(cmd, o)
}

// carryOut gives the order and, unless it is for later, sees it done.
func (ord *order) carryOut(
	cmd *cobra.Command, o *options, program provider.Program, id tenant.ID, want ledger.Status,
	give func(x *executor.Executor, ctx context.Context, id tenant.ID, reason, actor string) (ledger.Tenant, error),
) error {
	session, err := openSession(cmd.Context(), program, o)
	if err != nil {
		return err
	}
	defer session.Close()
	if _, err := give(session.Executor, cmd.Context(), id, ord.reason, person()); err != nil {
		return err
	}
	if !ord.later {
		ctx, cancel := context.WithTimeout(cmd.Context(), ord.wait)
		defer cancel()
		outcome, err := session.Executor.VisitUntil(ctx, id, want, person())
		if err != nil {
			return fmt.Errorf("%w; the order is noted, and the next apply or sweep goes on with it", err)
		}
		if outcome.Status != want {
			return fmt.Errorf("tenant %s is %s: %w; the order is noted, and the next apply or sweep goes on with it", id, outcome.Status, outcome.Faults[0].Fault)
		}
	}
	return showTenant(cmd.Context(), session.Ledger(), id, o.output, cmd.OutOrStdout())
}

// person names who gives an order.
func person() string {
	name := cmp.Or(os.Getenv("USER"), os.Getenv("LOGNAME"))
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, _ := os.Hostname() // without one the name has to do
	return name + "@" + host
}

func pauseCommand(o *options) *cobra.Command {
	reason, long, end := "", time.Duration(0), false
	cmd := &cobra.Command{
		Use: "pause TENANT", Short: "Leave a tenant's drift alone for a while", Args: cobra.ExactArgs(1),
		Long: "For somebody who has to change a live system by hand: sweeps repair no drift of the tenant until the time\n" +
			"is over. They still report it. An apply does what its plan says.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if long <= 0 && !end {
				return fmt.Errorf("say for how long: --for 2h, or --end to end a pause")
			}
			store, err := openLedger(cmd.Context(), o.ledger)
			if err != nil {
				return err
			}
			defer store.Close()
			until := time.Now().Add(long)
			if end {
				until = time.Time{}
			}
			if _, err := store.Pause(cmd.Context(), tenant.ID(args[0]), until, reason); err != nil {
				return err
			}
			return showTenant(cmd.Context(), store, tenant.ID(args[0]), o.output, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for example an incident's number")
	cmd.Flags().DurationVar(&long, "for", 0, "for how long, for example 2h")
	cmd.Flags().BoolVar(&end, "end", false, "end the pause now")
	cmd.MarkFlagsMutuallyExclusive("for", "end")
	return cmd
}

package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/tenantplane/terraform-provider-tenant/internal/executor"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// statusColours colour a status on a terminal.
var statusColours = map[ledger.Status]text.Color{
	ledger.Ready: text.FgGreen, ledger.Degraded: text.FgYellow, ledger.Waiting: text.FgYellow,
	ledger.Failed: text.FgRed, ledger.Blocked: text.FgRed, ledger.Deleted: text.FgHiBlack,
}

func statusCommand(o *options) *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use: "status [TENANT]", Short: "Show the tenants, or one with its objects", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := openLedger(cmd.Context(), o.ledger)
			if err != nil {
				return err
			}
			defer store.Close()
			if len(args) == 1 {
				return showTenant(cmd.Context(), store, tenant.ID(args[0]), o.output, cmd.OutOrStdout())
			}
			return showTenants(cmd.Context(), store, all, o.output, cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "include deleted tenants")
	return cmd
}

// tenantView is a tenant as printed.
type tenantView struct {
	Tenant   string `json:"tenant_id"`
	Region   string `json:"region"`
	Status   string `json:"status"`
	Desired  int64  `json:"desired_generation"`
	Observed int64  `json:"observed_generation"`
	Error    string `json:"last_error,omitempty"`
	// Suspended and Paused are people's orders, with their reasons.
	Suspended string `json:"suspended,omitempty"`
	Paused    string `json:"paused,omitempty"`
	// Due is when a sweep looks at it next.
	Due      string       `json:"next_reconcile_at,omitempty"`
	Failures int64        `json:"failures"`
	Objects  []objectView `json:"objects"`
}

// objectView is an object as printed.
type objectView struct {
	Component    string `json:"component"`
	Object       string `json:"object"`
	Condition    string `json:"condition"`
	ExternalID   string `json:"external_id"`
	Name         string `json:"name,omitempty"`
	Epoch        int64  `json:"epoch"`
	DriftSince   string `json:"drift_since,omitempty"`
	PendingUntil string `json:"pending_until,omitempty"`
	Message      string `json:"message,omitempty"`
}

func viewOf(ctx context.Context, store ledger.Store, row ledger.Tenant) (tenantView, error) {
	objects, err := store.Objects(ctx, row.ID)
	if err != nil {
		return tenantView{}, fmt.Errorf("load objects of tenant %s: %w", row.ID, err)
	}
	view := tenantView{
		Tenant: string(row.ID), Region: row.Region, Status: string(row.Status), Desired: int64(row.DesiredGeneration),
		Observed: int64(row.ObservedGeneration), Error: row.LastError, Objects: []objectView{},
	}
	view.Failures = row.FailureCount
	switch {
	case executor.IsWithdrawn(row):
		view.Due = "never: its create failed; apply again"
	case !row.NextReconcileAt.IsZero():
		view.Due = moment(row.NextReconcileAt)
	}
	if row.IsSuspended() {
		view.Suspended = fmt.Sprintf("since %s: %s", moment(row.SuspendedAt), row.SuspendReason)
	}
	if row.PausedUntil.After(time.Now()) {
		view.Paused = fmt.Sprintf("until %s: %s", moment(row.PausedUntil), row.PauseReason)
	}
	for _, obj := range objects {
		shown := objectView{
			Component: obj.Component, Object: obj.Object, Condition: string(obj.Condition), ExternalID: obj.ExternalID,
			Name: obj.Name, Epoch: obj.Epoch, Message: obj.Message,
		}
		if !obj.DriftSince.IsZero() {
			shown.DriftSince = moment(obj.DriftSince)
		}
		if !obj.PendingUntil.IsZero() {
			shown.PendingUntil = moment(obj.PendingUntil)
		}
		view.Objects = append(view.Objects, shown)
	}
	return view, nil
}

func showTenants(ctx context.Context, store ledger.Store, all bool, output string, out io.Writer) error {
	rows, err := store.Tenants(ctx, ledger.Filter{IncludeDeleted: all})
	if err != nil {
		return fmt.Errorf("load tenants: %w", err)
	}
	views := make([]tenantView, 0, len(rows))
	t := newTable(out, "Tenant", "Region", "Status", "Generation", "Objects", "Last pass")
	for _, row := range rows {
		view, err := viewOf(ctx, store, row)
		if err != nil {
			return err
		}
		views = append(views, view)
		status := coloured(out, view.Status, statusColours[row.Status])
		generation := fmt.Sprintf("%d of %d", view.Observed, view.Desired)
		t.AppendRow([]any{view.Tenant, view.Region, status, generation, len(view.Objects), moment(row.LastReconciledAt)})
	}
	if output == "json" {
		return printJSON(out, views)
	}
	t.Render()
	return nil
}

func showTenant(ctx context.Context, store ledger.Store, id tenant.ID, output string, out io.Writer) error {
	row, err := store.Tenant(ctx, id)
	if err != nil {
		return fmt.Errorf("tenant %s: %w", id, err)
	}
	view, err := viewOf(ctx, store, row)
	if err != nil {
		return err
	}
	if output == "json" {
		return printJSON(out, view)
	}
	fmt.Fprintf(out, "%s  %s  %s  generation %d of %d\n", view.Tenant, view.Region, coloured(out, view.Status, statusColours[row.Status]), view.Observed, view.Desired)
	for _, line := range [][2]string{{"suspended ", view.Suspended}, {"drift is left alone ", view.Paused}, {"", view.Error}} {
		if line[1] != "" {
			fmt.Fprintln(out, line[0]+line[1])
		}
	}
	t := newTable(out, "Object", "Condition", "External id", "Epoch", "Since", "Until")
	for _, o := range view.Objects {
		t.AppendRow([]any{o.Component + "." + o.Object, o.Condition, o.ExternalID, o.Epoch, o.DriftSince, o.PendingUntil})
	}
	t.Render()
	return nil
}

package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// evidenceView is an entry as printed.
type evidenceView struct {
	Sequence int64             `json:"sequence"`
	Time     string            `json:"time"`
	Actor    string            `json:"actor"`
	Step     string            `json:"step"`
	Outcome  string            `json:"outcome"`
	Details  map[string]string `json:"details,omitempty"`
	Hash     string            `json:"hash"`
}

func evidenceCommand(o *options) *cobra.Command {
	return &cobra.Command{
		Use: "evidence TENANT", Short: "Show and verify the proof of what was taken away", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := openLedger(cmd.Context(), o.ledger)
			if err != nil {
				return err
			}
			defer store.Close()
			id := tenant.ID(args[0])
			entries, err := store.Evidence(cmd.Context(), id)
			if err != nil {
				return fmt.Errorf("load evidence of tenant %s: %w", id, err)
			}
			if err := verify(cmd.Context(), store, id, entries); err != nil {
				return err
			}
			return printEvidence(cmd, o, entries)
		},
	}
}

// verify checks the chain and, once the tenant has ended, that nothing was cut
// off its end: the last entry of a life says so.
func verify(ctx context.Context, store ledger.Store, id tenant.ID, entries []ledger.Evidence) error {
	if err := ledger.VerifyChain(id, entries); err != nil {
		return err
	}
	row, err := store.Tenant(ctx, id)
	if err != nil {
		return fmt.Errorf("load tenant %s: %w", id, err)
	}
	ended := len(entries) > 0 && entries[len(entries)-1].Step == "verify"
	if row.Status == ledger.Deleted && !ended {
		return fmt.Errorf("evidence of tenant %s: the tenant ended and the last entry that says so is missing", id)
	}
	return nil
}

func printEvidence(cmd *cobra.Command, o *options, entries []ledger.Evidence) error {
	out := cmd.OutOrStdout()
	views := make([]evidenceView, 0, len(entries))
	t := newTable(out, "#", "Step", "Outcome", "Details", "Hash")
	t.SetColumnConfigs([]table.ColumnConfig{
		{Name: "Outcome", WidthMax: 16, WidthMaxEnforcer: text.WrapSoft}, {Name: "Details", WidthMax: 44},
	})
	for _, e := range entries {
		view := evidenceView{e.Sequence, moment(e.Time), e.Actor, e.Step, e.Outcome, e.Details, e.Hash}
		views = append(views, view)
		var details []string
		for _, key := range slices.Sorted(maps.Keys(e.Details)) {
			details = append(details, key+"="+e.Details[key])
		}
		t.AppendRow([]any{e.Sequence, e.Step + "\n" + view.Time, e.Outcome, strings.Join(details, "\n"), e.Hash[:8]})
	}
	if o.output == "json" {
		return printJSON(out, views)
	}
	t.Render()
	_, err := fmt.Fprintf(out, "%d entries, chain verified\n", len(entries))
	return err
}

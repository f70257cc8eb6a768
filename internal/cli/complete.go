package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// completeTenants completes tenants' ids from the ledger, for commands that take
// them. A ledger that cannot be opened completes nothing: a shell is no place
// for its error.
func completeTenants(o *options, atMost int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if atMost > 0 && len(args) >= atMost {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), 3*time.Second)
		defer cancel()
		if enter(o.chdir) != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		store, err := openLedger(ctx, o.ledger)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		defer store.Close()
		rows, err := store.Tenants(ctx, ledger.Filter{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var ids []string
		for _, row := range rows {
			if strings.HasPrefix(string(row.ID), begun) {
				ids = append(ids, string(row.ID)+"\t"+string(row.Status))
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}

// takesTenants completes the arguments of a command that takes up to so many
// tenants; 0 for any number.
func takesTenants(cmd *cobra.Command, o *options, atMost int) *cobra.Command {
	cmd.ValidArgsFunction = completeTenants(o, atMost)
	return cmd
}

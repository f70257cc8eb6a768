package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/tenantplane/terraform-provider-tenant/internal/configfile"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
)

// source is the provider's address in required_providers.
const source = "tenantplane/tenant"

// readsProviderBlock gives a command the flags that have to do with it.
func readsProviderBlock(cmd *cobra.Command, o *options) {
	cmd.Flags().StringVar(&o.alias, "alias", "", "alias of the provider block, when there are several")
	cmd.Flags().StringToStringVar(&o.variables, "var", nil, "value of a Terraform variable, name=value")
}

// openSession opens ledger and backends as the provider block of the working
// directory says.
func openSession(ctx context.Context, program provider.Program, o *options) (*provider.Session, error) {
	attributes, err := configfile.Read(configfile.Options{
		Folder: ".", Source: source, Alias: o.alias, Variables: o.variables, Environment: os.Getenv,
	})
	if errors.Is(err, configfile.ErrNoBlock) {
		return nil, fmt.Errorf("%w; run it in the folder of the configuration, or name that with --chdir", err)
	}
	if err != nil {
		return nil, err
	}
	config, err := provider.ReadConfig(ctx, attributes)
	if err != nil {
		return nil, err
	}
	if o.ledger != "" {
		config.Ledger = provider.LedgerAt(o.ledger)
	}
	return program.Open(ctx, config)
}

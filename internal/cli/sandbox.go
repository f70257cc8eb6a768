package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

func sandboxCommand() *cobra.Command {
	config := provider.SandboxConfig{}
	listen := ""
	serve := &cobra.Command{
		Use: "serve", Short: "Serve a sandbox's state on a fixed address, with its admin endpoint", Args: cobra.NoArgs,
		Long: "Serves the same state file that sandbox = {} in the provider block uses, so that you can look at it,\n" +
			"edit it behind Terraform's back and inject faults while Terraform works on it. Stop it with Ctrl-C.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o := provider.SandboxOptions(config)
			if err := os.MkdirAll(filepath.Dir(o.Path), 0o750); err != nil {
				return fmt.Errorf("make the sandbox's folder: %w", err)
			}
			o.Listen = listen
			server, err := sandbox.Open(cmd.Context(), o)
			if err != nil {
				return fmt.Errorf("start sandbox: %w", err)
			}
			defer server.Close()
			fmt.Fprintf(cmd.OutOrStdout(), "admin     %s\nkeycloak  %s\nstripe    %s\npowerdns  %s\n",
				server.AdminURL(), server.KeycloakURL(), server.StripeURL(), server.PowerDNSURL())
			<-cmd.Context().Done()
			return nil
		},
	}
	serve.Flags().StringVar(&config.Path, "path", "", "folder of the sandbox's state (default .tenant-sandbox)")
	serve.Flags().StringVar(&listen, "listen", "127.0.0.1:8300", "address to serve on")
	serve.Flags().StringSliceVar(&config.Zones, "zones", nil, "DNS zones of a new sandbox")
	serve.Flags().StringSliceVar(&config.Plans, "plans", nil, "price lookup keys of a new sandbox")
	root := &cobra.Command{Use: "sandbox", Short: "Work with the embedded sandbox"}
	root.AddCommand(serve)
	return root
}

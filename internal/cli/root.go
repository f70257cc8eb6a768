package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/spf13/cobra"

	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
)

// pluginCookie is set by Terraform when it starts a provider
// (go-plugin's handshake, terraform-plugin-go's tf6server).
const pluginCookie = "TF_PLUGIN_MAGIC_COOKIE"

// Run serves the provider when Terraform started the process, and runs the
// command line otherwise.
func Run(ctx context.Context, program provider.Program, args []string, out, errOut io.Writer) error {
	if os.Getenv(pluginCookie) != "" {
		return serve(ctx, program, args)
	}
	var flush func()
	program.Telemetry, flush = startTelemetry(ctx, program.Version, os.Getenv, commandFlush, errOut)
	defer flush()
	root := command(program)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	return root.ExecuteContext(ctx)
}

// serve runs the provider's protocol server. The SDK writes trace lines for
// every call and ships them to core even when nobody reads them, which costs a
// large part of a plan of many tenants: they are off unless somebody asks.
func serve(ctx context.Context, program provider.Program, args []string) error {
	var flush func()
	program.Telemetry, flush = startTelemetry(ctx, program.Version, withoutPrometheus(os.Getenv), pluginFlush, os.Stderr)
	defer flush() // Serve returns when Terraform ends the plugin, which then has two seconds
	quietSDK(os.Getenv, os.Setenv)
	debug := len(args) > 0 && args[0] == "-debug"
	if !debug { // in a debugger a person started it, and ends it
		go endOrphaned(os.Getppid, time.Sleep, os.Exit)
	}
	// Serve must outlive an interrupt: Terraform forwards it as a stop request,
	// and what is under way has to be recorded first.
	return providerserver.Serve(context.Background(), provider.New(program), providerserver.ServeOpts{
		Address: provider.Address, Debug: debug,
	})
}

// quietSDK turns the SDK's own logging off unless a TF_LOG variable is set.
func quietSDK(get func(string) string, set func(string, string) error) {
	for _, name := range []string{"TF_LOG", "TF_LOG_PROVIDER", "TF_LOG_SDK", "TF_LOG_PROVIDER_TENANT", "TF_ACC_LOG"} {
		if get(name) != "" {
			return
		}
	}
	_ = set("TF_LOG_SDK", "off") // an environment that cannot be set only costs time
}

// options are the flags all commands share.
type options struct {
	ledger string
	output string
	chdir  string
	// alias and variables are for commands that read the provider block.
	alias     string
	variables map[string]string
}

// outputs is the annotation of commands with output formats of their own.
const outputs = "outputs"

func command(program provider.Program) *cobra.Command {
	o := &options{}
	root := &cobra.Command{
		Use:           "terraform-provider-tenant",
		Short:         "Look after the tenants that Terraform declares",
		Long:          "The provider tenantplane/tenant. Terraform starts it by itself; these commands are for people.",
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			known := cmp.Or(cmd.Annotations[outputs], "table json")
			if !slices.Contains(strings.Fields(known), o.output) {
				return fmt.Errorf("output %q is not known; use one of: %s", o.output, known)
			}
			return enter(o.chdir)
		},
		Version: program.Version,
	}
	root.PersistentFlags().StringVar(&o.ledger, "ledger", "", "the ledger: a SQLite file or a postgres:// URL (default $"+provider.LedgerURLVariable+", or else "+provider.DefaultLedger+")")
	root.PersistentFlags().StringVarP(&o.output, "output", "o", "table", "output format: table or json")
	root.PersistentFlags().StringVar(&o.chdir, "chdir", "", "work in this folder, as terraform -chdir does")
	root.AddCommand(
		takesTenants(driftCommand(o, program), o, 0), sweepCommand(o, program), takesTenants(eventsCommand(o, program), o, 1),
		takesTenants(planCommand(o, program), o, 1), takesTenants(statusCommand(o), o, 1), takesTenants(evidenceCommand(o), o, 1),
		takesTenants(suspendCommand(o, program), o, 1), takesTenants(resumeCommand(o, program), o, 1), takesTenants(pauseCommand(o), o, 1),
		sandboxCommand(), versionCommand(o, program.Version), manCommand(root),
	)
	return root
}

func versionCommand(o *options, version string) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.output == "json" {
				return printJSON(cmd.OutOrStdout(), map[string]string{"version": version})
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), version)
			return err
		},
	}
}

// enter changes the working directory: ledger, sandbox and workspace are found
// from there.
func enter(folder string) error {
	if folder == "" {
		return nil
	}
	if err := os.Chdir(folder); err != nil {
		return fmt.Errorf("--chdir: %w", err)
	}
	return nil
}

package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/drift"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
)

// driftFlags are the flags of drift.
type driftFlags struct {
	out, noise, plan string
	parallel         int
}

func driftCommand(o *options, program provider.Program) *cobra.Command {
	f := driftFlags{}
	cmd := &cobra.Command{
		Use: "drift [TENANT...]", Short: "Compare tenants with the live systems, without Terraform",
		Long: "Looks at every living tenant of the ledger, or those named, and says how it differs from its spec.\n" +
			"Changes nothing but the ledger's note of when a difference was first seen.\n\n" +
			"Exit code: 0 none, 2 drift or an unhealthy tenant, 1 an error or a look that was not complete.\n" +
			"Exit codes get lost in wrappers: pipelines read the verdict of --out, and treat a missing one,\n" +
			"or one whose \"complete\" is not true, as a failure.",
		Annotations: map[string]string{outputs: "table json junit sarif"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd, o, program, args)
		},
	}
	cmd.Flags().StringVar(&f.out, "out", "", "write the verdict to this file, too, as JSON")
	cmd.Flags().StringVar(&f.noise, "noise", "", "file with the drifts to expect: a tenant and a field a line, * and ? as in file names")
	cmd.Flags().StringVar(&f.plan, "plan", "", "read a Terraform plan (terraform show -json PLAN) instead of looking; - is standard input")
	cmd.Flags().IntVar(&f.parallel, "parallel", 8, "how many tenants to look at at a time")
	readsProviderBlock(cmd, o)
	return cmd
}

func (f driftFlags) run(cmd *cobra.Command, o *options, program provider.Program, ids []string) error {
	noise, err := f.readNoise()
	if err != nil {
		return err
	}
	verdict := drift.Begin("", clock.System{}.Now())
	if err := f.keep(verdict); err != nil { // incomplete, until there is more to say
		return err
	}
	if f.plan != "" {
		verdict.Tenants, err = f.readPlan(cmd.InOrStdin())
	} else {
		err = f.look(cmd, o, program, ids, &verdict)
	}
	if err != nil {
		return err
	}
	for i, t := range verdict.Tenants {
		verdict.Tenants[i] = noise.Apply(t)
	}
	verdict = verdict.Finish(clock.System{}.Now())
	if err := f.keep(verdict); err != nil {
		return err
	}
	if err := printVerdict(cmd.OutOrStdout(), o.output, verdict); err != nil {
		return err
	}
	if code := verdict.ExitCode(); code != drift.ExitNone {
		return ExitError{Code: code}
	}
	return nil
}

// look fills a verdict with the tenants of the ledger.
func (f driftFlags) look(cmd *cobra.Command, o *options, program provider.Program, ids []string, verdict *drift.Verdict) error {
	session, err := openSession(cmd.Context(), program, o)
	if err != nil {
		return err
	}
	defer session.Close()
	installation, err := session.Ledger().Installation(cmd.Context())
	if err != nil {
		return fmt.Errorf("read the installation: %w", err)
	}
	verdict.Installation = string(installation)
	rows, err := living(cmd.Context(), session.Ledger(), ids)
	if err != nil {
		return err
	}
	bar := newProgress(cmd.ErrOrStderr(), "looking at tenants", len(rows))
	defer bar.stop()
	verdict.Tenants = inspectAll(cmd.Context(), session.Executor, rows, max(1, f.parallel), bar.step)
	return cmd.Context().Err() // a run that was stopped says nothing
}

func (f driftFlags) keep(v drift.Verdict) error {
	if f.out == "" {
		return nil
	}
	return writeVerdict(v, f.out)
}

func (f driftFlags) readNoise() (drift.Noise, error) {
	if f.noise == "" {
		return nil, nil
	}
	file, err := os.Open(f.noise)
	if err != nil {
		return nil, fmt.Errorf("--noise: %w", err)
	}
	defer file.Close()
	return drift.ReadNoise(file)
}

func (f driftFlags) readPlan(in io.Reader) ([]drift.Tenant, error) {
	if f.plan != "-" {
		file, err := os.Open(f.plan)
		if err != nil {
			return nil, fmt.Errorf("--plan: %w", err)
		}
		defer file.Close()
		in = file
	}
	content, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("--plan: %w", err)
	}
	return drift.ReadPlan(content)
}

package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func planCommand(o *options, program provider.Program) *cobra.Command {
	destroy := false
	cmd := &cobra.Command{
		Use: "plan TENANT", Short: "Show what an apply or a destroy would do, step by step, with reasons", Args: cobra.ExactArgs(1),
		Long:        "Plans from the spec in the ledger, which is that of the last apply, and from the live systems. Changes nothing.",
		Annotations: map[string]string{outputs: "table json dot mermaid"},
		RunE: func(cmd *cobra.Command, args []string) error {
			session, err := openSession(cmd.Context(), program, o)
			if err != nil {
				return err
			}
			defer session.Close()
			row, err := session.Ledger().Tenant(cmd.Context(), tenant.ID(args[0]))
			if err != nil {
				return fmt.Errorf("tenant %s: %w", args[0], err)
			}
			view, err := session.Executor.Look(cmd.Context(), row.Spec)
			if err != nil {
				return err
			}
			plan := engine.Converge(view.Desired, view.Departing, view.Seen, clock.System{}.Now())
			if destroy {
				plan = session.Executor.DestroyPlan(view)
			}
			return printPlan(cmd.OutOrStdout(), o.output, args[0], plan)
		},
	}
	cmd.Flags().BoolVar(&destroy, "destroy", false, "plan the finalization")
	readsProviderBlock(cmd, o)
	return cmd
}

// planView is a plan as printed.
type planView struct {
	Tenant string     `json:"tenant_id"`
	Steps  []stepView `json:"steps"`
	// Blocked says what no step can deal with.
	Blocked []string `json:"blocked"`
	// Held lists objects that wait for what is blocked.
	Held []string `json:"held"`
}

// stepView is a step as printed.
type stepView struct {
	Step    string       `json:"step"`
	Stage   string       `json:"stage"`
	Reason  string       `json:"reason"`
	Key     string       `json:"idempotency_key"`
	Changes []changeView `json:"changes,omitempty"`
	Needs   []string     `json:"needs,omitempty"`
}

// changeView is a field that a step changes, as printed.
type changeView struct {
	Field string   `json:"field"`
	From  []string `json:"from"`
	To    []string `json:"to"`
}

func planViewOf(id string, plan engine.Plan) planView {
	view := planView{Tenant: id, Steps: []stepView{}, Blocked: []string{}, Held: []string{}}
	for _, a := range plan.Actions {
		step := stepView{Step: a.ID(), Stage: a.Stage.String(), Reason: a.Reason, Key: a.Key, Needs: a.Needs}
		for _, c := range a.Changes {
			step.Changes = append(step.Changes, changeView(c))
		}
		view.Steps = append(view.Steps, step)
	}
	for _, f := range plan.Faults {
		view.Blocked = append(view.Blocked, fmt.Sprintf("%s: %s", f.Object, f.Fault))
	}
	for _, id := range plan.Held {
		view.Held = append(view.Held, id.String())
	}
	return view
}

func printPlan(out io.Writer, form, id string, plan engine.Plan) error {
	view := planViewOf(id, plan)
	switch form {
	case "json":
		return printJSON(out, view)
	case "dot":
		return printDot(out, view)
	case "mermaid":
		return printMermaid(out, view)
	}
	t := newTable(out, "#", "Step", "Stage", "Why")
	for i, s := range view.Steps {
		lines := []string{s.Reason}
		for _, c := range s.Changes {
			lines = append(lines, fmt.Sprintf("%s: %s → %s", c.Field, words(c.From), words(c.To)))
		}
		t.AppendRow([]any{i + 1, s.Step, s.Stage, strings.Join(lines, "\n")})
	}
	if len(view.Steps) > 0 {
		t.Render()
	}
	for _, line := range view.Blocked {
		if _, err := fmt.Fprintln(out, "blocked  "+line); err != nil {
			return err
		}
	}
	for _, object := range view.Held {
		if _, err := fmt.Fprintln(out, "waits    "+object); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "%s: %d steps\n", id, len(view.Steps))
	return err
}

func words(values []string) string {
	if len(values) == 0 {
		return "not set"
	}
	return strings.Join(values, ", ")
}

// printDot prints the steps as a graph for Graphviz: an arrow leads from a step
// to the one that needs it.
func printDot(out io.Writer, view planView) error {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %q {\n  rankdir=LR;\n", view.Tenant)
	for _, s := range view.Steps {
		fmt.Fprintf(&b, "  %q [shape=box, tooltip=%q];\n", s.Step, s.Reason)
		for _, need := range s.Needs {
			fmt.Fprintf(&b, "  %q -> %q;\n", need, s.Step)
		}
	}
	b.WriteString("}\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// printMermaid prints the same for Mermaid, which many forges render.
func printMermaid(out io.Writer, view planView) error {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	number := map[string]int{}
	for i, s := range view.Steps {
		number[s.Step] = i + 1
		fmt.Fprintf(&b, "  s%d[%q]\n", i+1, s.Step)
	}
	for i, s := range view.Steps {
		for _, need := range s.Needs {
			if from, shown := number[need]; shown {
				fmt.Fprintf(&b, "  s%d --> s%d\n", from, i+1)
			}
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/mattn/go-isatty"
)

// stage is a scratch folder with the example, a built provider and a terraform.
type stage struct {
	out       io.Writer
	colour    bool
	folder    string
	terraform string
	binary    string
}

// newStage copies the example and points terraform at the built provider.
func newStage(_ context.Context, out *os.File) (*stage, error) {
	terraform, err := findTerraform()
	if err != nil {
		return nil, err
	}
	binary, err := filepath.Abs(filepath.Join("bin", "terraform-provider-tenant"))
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(binary); err != nil {
		return nil, fmt.Errorf("the provider is not built: %w; run make build first", err)
	}
	folder, err := os.MkdirTemp("", "tenant-demo-")
	if err != nil {
		return nil, err
	}
	s := &stage{out: out, colour: isatty.IsTerminal(out.Fd()), folder: folder, terraform: terraform, binary: binary}
	for _, name := range []string{"main.tf", "roles.sql"} {
		content, err := os.ReadFile(filepath.Join("examples", "quickstart", name))
		if err != nil {
			return nil, fmt.Errorf("run the demo from the repository's root: %w", err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return nil, err
		}
	}
	rc := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"tenantplane/tenant\" = %q\n  }\n  direct {}\n}\n", filepath.Dir(binary))
	return s, os.WriteFile(filepath.Join(folder, "terraform.rc"), []byte(rc), 0o600)
}

// findTerraform takes the binary the tests use, or the first on PATH.
func findTerraform() (string, error) {
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" {
		return path, nil
	}
	for _, name := range []string{"terraform", "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("neither terraform nor tofu is on PATH; make demo builds OpenTofu when both are missing")
}

func (s *stage) clear() { _ = os.RemoveAll(s.folder) }

// run runs terraform and returns what it printed; it is an error when the exit
// code is not the expected one.
func (s *stage) run(ctx context.Context, exit int, args ...string) (string, error) {
	if !s.colour {
		args = append(args, "-no-color")
	}
	s.command("%s %s", filepath.Base(s.terraform), strings.Join(args, " "))
	output, code, err := s.execute(ctx, s.terraform, args...)
	if err != nil {
		return output, err
	}
	if code != exit {
		return output, fmt.Errorf("exit code %d, expected %d:\n%s", code, exit, output)
	}
	return output, nil
}

// tool runs the provider's own command line.
func (s *stage) tool(ctx context.Context, args ...string) (string, error) {
	output, code, err := s.execute(ctx, s.binary, args...)
	if err == nil && code != 0 {
		err = fmt.Errorf("exit code %d:\n%s", code, output)
	}
	return output, err
}

func (s *stage) execute(ctx context.Context, program string, args ...string) (string, int, error) {
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = s.folder
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+filepath.Join(s.folder, "terraform.rc"), "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1")
	if s.colour {
		cmd.Env = append(cmd.Env, "CLICOLOR_FORCE=1")
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return output.String(), exit.ExitCode(), nil
	}
	return output.String(), 0, err
}

func (s *stage) heading(title string) {
	s.say("")
	s.say("%s", s.paint("━━ "+title, text.Bold, text.FgCyan))
}

func (s *stage) command(format string, args ...any) {
	s.say("%s", s.paint("$ "+fmt.Sprintf(format, args...), text.FgHiBlack))
}

func (s *stage) good(what string) {
	s.say("%s %s", s.paint("✓", text.FgGreen), what)
}

func (s *stage) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

func (s *stage) paint(word string, colours ...text.Color) string {
	if !s.colour {
		return word
	}
	return text.Colors(colours).Sprint(word)
}

// excerpt prints the lines of output from the first that says from up to the
// next that says to, which is left out. Colours do not count.
func (s *stage) excerpt(output, from, to string) error {
	printing := false
	for line := range strings.Lines(output) {
		plain := text.StripEscape(line)
		switch {
		case !printing && strings.Contains(plain, from):
			printing = true
		case printing && strings.Contains(plain, to):
			return nil
		}
		if printing {
			s.say("  %s", strings.TrimRight(strings.TrimPrefix(line, "│ "), "\n"))
		}
	}
	if !printing {
		return fmt.Errorf("the output does not say %q:\n%s", from, output)
	}
	return nil
}

// says tells whether output says something, whatever its colours.
func says(output, words string) bool { return strings.Contains(text.StripEscape(output), words) }

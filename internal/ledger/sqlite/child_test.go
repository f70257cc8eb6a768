package sqlite_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// childEnv makes the test binary one of the other processes of a test.
const childEnv = "LEDGER_TEST_CHILD"

// children are what such a process can be told to do. Each gets the ledger's
// path and one argument.
var children = map[string]func(path, arg string) (report, error){
	"open":  openChild,
	"work":  workChild,
	"hold":  holdChild,
	"crash": crashChild,
	"full":  fullChild,
}

// report is what a child tells its parent on standard output.
type report struct {
	Installation string
	// Increments and Declarations count what the child knows was committed.
	Increments, Declarations int64
	// Code and Error are those of the fault that ended the child.
	Code, Error string
}

func TestMain(m *testing.M) {
	name, rest, isChild := strings.Cut(os.Getenv(childEnv), " ")
	if !isChild {
		os.Exit(m.Run())
	}
	path, arg, _ := strings.Cut(rest, "\x01")
	_, _ = io.ReadAll(os.Stdin) // the parent lets all children go at once
	out, err := children[name](path, arg)
	if err != nil {
		out.Error = err.Error()
		var f *fault.Fault
		if errors.As(err, &f) {
			out.Code = f.Code
		}
	}
	emit(out)
}

func emit(out report) {
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// child is a process of its own on the ledger.
type child struct {
	t    *testing.T
	cmd  *exec.Cmd
	gate io.Closer
	out  *bytes.Buffer
}

// spawn starts a child that waits for release.
func spawn(t *testing.T, name, path, arg string) *child {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return spawnAs(t, nil, binary, name, path, arg)
}

func spawnAs(t *testing.T, user *syscall.Credential, binary, name, path, arg string) *child {
	t.Helper()
	c := &child{t: t, cmd: exec.Command(binary), out: &bytes.Buffer{}}
	c.cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s\x01%s", childEnv, name, path, arg))
	c.cmd.Stdout, c.cmd.Stderr = c.out, os.Stderr
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: user}
	c.cmd.Dir = "/"
	gate, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.gate = gate
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.cmd.Process.Kill() }) // already gone unless the test failed
	return c
}

func (c *child) release() {
	if err := c.gate.Close(); err != nil {
		c.t.Error(err)
	}
}

// wait returns the last report of a child; killed tells whether it ended by
// SIGKILL.
func (c *child) wait() (last report, killed bool) {
	c.t.Helper()
	err := c.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		killed = exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
	}
	if err != nil && !killed {
		c.t.Fatalf("child: %v", err)
	}
	for line := range strings.Lines(c.out.String()) {
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			c.t.Fatalf("child said %q: %v", line, err)
		}
	}
	return last, killed
}

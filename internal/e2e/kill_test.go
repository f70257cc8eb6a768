package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

// killProvider ends the provider process that belongs to a terraform process,
// as the kernel does when memory runs out: no signal handler runs.
func killProvider(t *testing.T, parent int) {
	t.Helper()
	pid, err := child(parent, acctest.Provider(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill the provider: %v", err)
	}
}

// child finds the child of parent that runs a program.
func child(parent int, program string) (int, error) {
	program, err := filepath.EvalSymlinks(program)
	if err != nil {
		return 0, err
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	for _, stat := range stats {
		folder := filepath.Dir(stat)
		exe, err := os.Readlink(filepath.Join(folder, "exe"))
		if err != nil || exe != program || parentOf(folder) != parent {
			continue // other people's processes cannot be looked into
		}
		return strconv.Atoi(filepath.Base(folder))
	}
	return 0, fmt.Errorf("process %d has no child that runs %s", parent, program)
}

// parentOf reads the parent from /proc/‹pid›/status (proc_pid_status(5)).
func parentOf(folder string) int {
	content, err := os.ReadFile(filepath.Join(folder, "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(content)) {
		var pid int
		if _, err := fmt.Sscanf(line, "PPid:\t%d", &pid); err == nil {
			return pid
		}
	}
	return 0
}

package e2e_test

import (
	"bytes"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// gracePeriod is how soon an interrupted run has to end.
const gracePeriod = 10 * time.Second

// interrupt is how people and machines stop a run.
type interrupt struct {
	// group: the whole process group hears of it, as with Ctrl-C in a terminal;
	// otherwise terraform alone, as with a runner that is cancelled.
	group bool
	times int
}

var interrupts = map[string]interrupt{
	"once":   {group: true, times: 1},
	"runner": {times: 1},
	"twice":  {group: true, times: 2},
}

// interruptedRun runs terraform until moment, interrupts it, and wants it to end soon.
func (w workdir) interruptedRun(t *testing.T, how interrupt, moment <-chan struct{}, log string, args ...string) string {
	t.Helper()
	cmd, _ := w.command(t, log, args...)
	output := &screen{}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-moment:
	case err := <-ended:
		t.Fatalf("terraform ended too early: %v\n%s", err, output)
	case <-time.After(time.Minute):
		t.Fatal("nothing happened within a minute")
	}
	begun := time.Now()
	signalTo(t, cmd, how.group)
	if how.times > 1 {
		output.wait("Interrupt received", gracePeriod) // else the kernel may make one signal of two
		signalTo(t, cmd, how.group)
	}
	select {
	case err := <-ended:
		if took := time.Since(begun); took > gracePeriod {
			t.Errorf("terraform took %s to stop", took)
		}
		if heard := strings.Contains(output.String(), "Two interrupts received"); err == nil || heard != (how.times > 1) {
			t.Errorf("terraform did not hear of %d interrupts: %v\n%s", how.times, err, output)
		}
	case <-time.After(3 * gracePeriod):
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		t.Fatalf("terraform does not stop:\n%s", output)
	}
	return output.String()
}

// screen is what terraform prints, to be read while it runs.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// wait waits for words; when they do not come, what follows fails.
func (s *screen) wait(words string, limit time.Duration) {
	for end := time.Now().Add(limit); time.Now().Before(end) && !strings.Contains(s.String(), words); {
		time.Sleep(time.Millisecond)
	}
}

func signalTo(t *testing.T, cmd *exec.Cmd, group bool) {
	t.Helper()
	pid := cmd.Process.Pid
	if group {
		pid = -pid
	}
	if err := syscall.Kill(pid, syscall.SIGINT); err != nil {
		t.Errorf("interrupt terraform: %v", err)
	}
}

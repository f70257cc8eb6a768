package soak

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// workers are sweep processes of the real binary.
type workers struct {
	t       *testing.T
	binary  string
	folder  string
	args    []string
	running []*exec.Cmd
	logs    []*os.File

	mu sync.Mutex
	// most is the most memory any worker ever used, in MiB.
	most  int
	kills int
}

func (w *workers) start(i int) {
	w.t.Helper()
	log, err := os.OpenFile(filepath.Join(w.folder, fmt.Sprintf("worker-%d.log", i)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(w.binary, w.args...)
	cmd.Dir, cmd.Stderr, cmd.Stdout = w.folder, log, log
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	for len(w.running) <= i {
		w.running, w.logs = append(w.running, nil), append(w.logs, nil)
	}
	w.running[i], w.logs[i] = cmd, log
}

// kill kills a worker and starts another one in its place.
func (w *workers) kill(i int) {
	w.measure()
	_ = w.running[i].Process.Kill()
	_ = w.running[i].Wait()
	_ = w.logs[i].Close()
	w.kills++
	w.start(i)
}

// stop ends all workers as an operator does, and wants them to end well.
func (w *workers) stop() {
	w.measure()
	for _, cmd := range w.running {
		_ = cmd.Process.Signal(os.Interrupt)
	}
	for i, cmd := range w.running {
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			if err != nil {
				w.t.Errorf("worker %d ended with %v", i, err)
			}
		case <-time.After(time.Minute):
			_ = cmd.Process.Kill()
			w.t.Errorf("worker %d does not end", i)
		}
	}
}

// measure reads how much memory the workers have used at most (proc_pid_status(5)).
func (w *workers) measure() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, cmd := range w.running {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		if err != nil {
			continue // it has just ended
		}
		_, rest, _ := bytes.Cut(text, []byte("VmHWM:"))
		fields := bytes.Fields(rest)
		if len(fields) == 0 {
			continue
		}
		kib, err := strconv.Atoi(string(fields[0]))
		if err != nil {
			w.t.Fatal(err)
		}
		w.most = max(w.most, kib/1024)
	}
}

// Package acctest starts the real servers that tests talk to, each on a free
// port of 127.0.0.1, and stops only what it started. A server is started at
// most once per test binary; a missing program fails the test with the name of
// the package that brings it.
//
// A test package that uses a server has
//
//	func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }
package acctest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// startLimit bounds how long a server may take until it answers.
const startLimit = 60 * time.Second

// processes are the servers this test binary started. It is the one piece of
// global state here: a test binary has one Main.
var processes struct {
	sync.Mutex
	running []*process
	folders []string
}

// process is one running server.
type process struct {
	name   string
	cmd    *exec.Cmd
	output *bytes.Buffer
	done   chan struct{}
	// stopSignal asks the server to end without waiting for its clients.
	stopSignal syscall.Signal
}

// Main runs the tests of a package and then stops its servers. It returns the
// exit code for os.Exit.
func Main(m *testing.M) int {
	defer stopAll()
	return m.Run()
}

// stopAll ends the servers in reverse order of their start.
func stopAll() {
	processes.Lock()
	defer processes.Unlock()
	for i := len(processes.running) - 1; i >= 0; i-- {
		processes.running[i].stop()
	}
	for _, folder := range processes.folders {
		_ = os.RemoveAll(folder)
	}
	processes.running, processes.folders = nil, nil
}

// program returns the path of the first of names found on PATH or in the extra
// folders, and fails the test naming the Debian package otherwise.
func program(t testing.TB, debianPackage string, names []string, extraFolders ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
		for _, folder := range extraFolders {
			path := filepath.Join(folder, name)
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				return path
			}
		}
	}
	t.Fatalf("the test needs the program %v; install the Debian package %s (make test does so as root)", names, debianPackage)
	return ""
}

// folder makes a scratch folder that lives as long as the test binary and is
// readable by the unprivileged users some servers insist on.
func folder(t testing.TB, name string) string {
	t.Helper()
	path, err := os.MkdirTemp("", "tenant-acctest-"+name+"-")
	if err != nil {
		t.Fatalf("make scratch folder: %v", err)
	}
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatalf("open scratch folder: %v", err)
	}
	processes.Lock()
	defer processes.Unlock()
	processes.folders = append(processes.folders, path)
	return path
}

// FreePort returns a TCP port of 127.0.0.1 that was free a moment ago.
func FreePort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("find a free port: %v", err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// start runs cmd and waits until ready returns nil. The server dies with the
// test binary even when that is killed.
func start(t testing.TB, name string, cmd *exec.Cmd, ready func() error) *process {
	t.Helper()
	p := &process{name: name, cmd: cmd, output: &bytes.Buffer{}, done: make(chan struct{}), stopSignal: syscall.SIGTERM}
	cmd.Stdout, cmd.Stderr = p.output, p.output
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	go func() { _ = cmd.Wait(); close(p.done) }()
	processes.Lock()
	processes.running = append(processes.running, p)
	processes.Unlock()
	if err := p.await(ready); err != nil {
		p.stop()
		t.Fatalf("start %s: %v\n%s", name, err, p.output.String())
	}
	return p
}

func (p *process) await(ready func() error) error {
	var last error
	for limit := time.Now().Add(startLimit); time.Now().Before(limit); {
		if last = ready(); last == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("exited before it answered: %w", last)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("no answer within %s: %w", startLimit, last)
}

// stop asks the server to end and insists after five seconds.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(p.stopSignal)
	select {
	case <-p.done:
	case <-time.After(5 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

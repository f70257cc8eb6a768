package acctest

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Mortal is a server of a test's own that can be killed with SIGKILL and
// started again on its port, with its data.
type Mortal struct {
	process *process
	ready   func() error
}

// OwnPostgres starts a PostgreSQL that nobody else uses.
func OwnPostgres(t testing.TB) (PostgresServer, *Mortal) {
	t.Helper()
	s := startPostgres(t)
	return s, mortal(t, fmt.Sprintf("port=%d", s.Port), s.ping)
}

// OwnPowerDNS starts a PowerDNS that nobody else uses and that serves zones.
func OwnPowerDNS(t testing.TB, zones ...string) (PowerDNSServer, *Mortal) {
	t.Helper()
	s := startPowerDNS(t)
	for _, zone := range zones {
		s.createZone(t, zone)
	}
	return s, mortal(t, "--webserver-port="+s.URL[strings.LastIndex(s.URL, ":")+1:], s.ready)
}

// OwnS3 starts an S3 server that nobody else uses.
func OwnS3(t testing.TB) (S3Server, *Mortal) {
	t.Helper()
	s := startVersityGW(t)
	return s, mortal(t, strings.TrimPrefix(s.Endpoint, "http://"), s.ready)
}

// Own starts any server that nobody else uses; ready tells whether it answers.
func Own(t testing.TB, name string, cmd *exec.Cmd, ready func() error) *Mortal {
	t.Helper()
	return &Mortal{process: start(t, name, cmd, ready), ready: ready}
}

// mortal finds the server that was started with an argument of its own, its
// address.
func mortal(t testing.TB, argument string, ready func() error) *Mortal {
	t.Helper()
	processes.Lock()
	defer processes.Unlock()
	for _, p := range processes.running {
		for _, a := range p.cmd.Args {
			if a == argument {
				return &Mortal{process: p, ready: ready}
			}
		}
	}
	t.Fatalf("no server was started with the argument %s", argument)
	return nil
}

// Kill ends the server as the kernel does when memory runs out.
func (m *Mortal) Kill() error {
	if err := m.process.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill %s: %w", m.process.name, err)
	}
	<-m.process.done
	return nil
}

// Restart starts the killed server again on its port and waits until it
// answers. What a killed server leaves, a child or a lock, may need a moment
// to go: it tries until the limit of a start.
func (m *Mortal) Restart() error {
	var last error
	for limit := time.Now().Add(startLimit); time.Now().Before(limit); time.Sleep(100 * time.Millisecond) {
		if last = m.process.again(m.ready); last == nil {
			return nil
		}
	}
	return fmt.Errorf("start %s again: %w\n%s", m.process.name, last, m.process.output.String())
}

// again runs the ended process's command once more.
func (p *process) again(ready func() error) error {
	old := p.cmd
	processes.Lock()
	p.cmd = exec.Command(old.Path, old.Args[1:]...)
	p.cmd.Dir, p.cmd.Env, p.cmd.SysProcAttr = old.Dir, old.Env, old.SysProcAttr
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	p.done = make(chan struct{})
	processes.Unlock()
	if err := p.cmd.Start(); err != nil {
		close(p.done)
		return err
	}
	cmd, done := p.cmd, p.done
	go func() { _ = cmd.Wait(); close(done) }()
	err := p.await(ready)
	if err == nil {
		return nil
	}
	select {
	case <-p.done:
	default:
		err = errors.Join(err, cmd.Process.Kill())
	}
	return err
}

// End stops the server for good.
func (m *Mortal) End() { m.process.stop() }

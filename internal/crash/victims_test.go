package crash_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/crash/announce"
)

// victim is whom a strike hits.
type victim string

// The victims. The servers are those behind the components.
const (
	theProvider  victim = "provider"
	theTerraform victim = "terraform"
	theSandbox   victim = "sandbox"
	thePostgres  victim = "postgres"
	thePowerDNS  victim = "powerdns"
	theS3        victim = "s3"
	theLedger    victim = "ledger" // the PostgreSQL it is in
)

// servers are the victims that are started again, with the components behind
// which they stand.
var servers = map[victim][]string{
	theSandbox: {"identity", "billing"}, thePostgres: {"database"}, thePowerDNS: {"domain"}, theS3: {"storage"}, theLedger: {"ledger"},
}

// moments are the boundaries of a server's calls at which it is worth killing.
func (v victim) moments() []string {
	if v == theLedger {
		return []string{announce.Before, announce.After}
	}
	return []string{beforeSend, afterSend}
}

// providersIn lists the processes that run a program in a folder: terraform
// starts its providers in its own.
func providersIn(folder, program string) []int {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil
	}
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	var pids []int
	for _, link := range links {
		exe, err := os.Readlink(link)
		if err != nil || exe != program {
			continue // other people's processes cannot be looked into
		}
		place := filepath.Dir(link)
		if cwd, err := os.Readlink(filepath.Join(place, "cwd")); err != nil || cwd != folder {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(place)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// killAll ends processes as the kernel does when memory runs out: no signal
// handler runs.
func killAll(pids []int) error {
	if len(pids) == 0 {
		return errors.New("there is no process to kill")
	}
	for _, pid := range pids {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// patience is how long a provider may outlive its terraform.
const patience = 5 * time.Second

// leftBehind waits for the providers in a folder to end by themselves, and
// ends and counts those that do not.
func leftBehind(folder, program string) int {
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(50 * time.Millisecond) {
		if len(providersIn(folder, program)) == 0 {
			return 0
		}
	}
	left := providersIn(folder, program)
	_ = killAll(left) // those that ended meanwhile are not left
	return len(left)
}

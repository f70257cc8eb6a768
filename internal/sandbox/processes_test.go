package sandbox_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// crowdFile names the variable that turns the test binary into one of many
// processes at work on the state file it holds.
const crowdFile = "SANDBOX_TEST_CROWD_FILE"

const (
	crowdSize = 4
	crowdKeys = 20
)

// crowdMember opens a sandbox of its own on the file and creates customers
// under the same keys as all the others. It prints the ids.
func crowdMember(path string) int {
	ctx := context.Background()
	server, err := sandbox.Open(ctx, sandbox.Options{Path: path})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer server.Close()
	header := map[string][]string{"Authorization": {"Bearer " + server.Credentials.StripeAPIKey}}
	for i := range crowdKeys {
		key := fmt.Sprint("crowd/", i)
		header["Idempotency-Key"] = []string{key}
		answer, err := try(ctx, "POST", server.StripeURL()+"/v1/customers", header, form("name", key))
		if err != nil || answer.status != 200 {
			fmt.Fprintln(os.Stderr, answer.status, answer.body, err)
			return 1
		}
		fmt.Println(answer.body)
	}
	return 0
}

func TestManyProcessesShareOneWorld(t *testing.T) {
	w := newWorld(t)
	outputs := make([]bytes.Buffer, crowdSize)
	var group sync.WaitGroup
	for i := range crowdSize {
		group.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), crowdFile+"="+w.path)
			cmd.Stdout, cmd.Stderr = &outputs[i], os.Stderr
			if err := cmd.Run(); err != nil {
				t.Errorf("process %d: %v", i, err)
			}
		})
	}
	group.Wait()
	for i := range outputs {
		if outputs[i].String() != outputs[0].String() {
			t.Errorf("process %d got other customers than process 0:\n%s\n%s", i, outputs[i].String(), outputs[0].String())
		}
	}
	if n := strings.Count(outputs[0].String(), `"cus_`); n != crowdKeys {
		t.Errorf("process 0 printed %d customers, want %d", n, crowdKeys)
	}
	if n := w.count("stripe/customer"); n != crowdKeys {
		t.Errorf("there are %d customers, want %d", n, crowdKeys)
	}
}

func TestTheWorldOutlivesItsServer(t *testing.T) {
	w := newWorld(t)
	customer, _, _ := w.subscribed()
	w.keycloak("POST", "/organizations", map[string]any{"name": "acme"}).expect(t, 201)
	w.addFault(sandbox.Fault{System: "powerdns", Effect: sandbox.Unavailable})

	other := &world{t: t, Server: openSandbox(t, sandbox.Options{Path: w.path, Clock: w.clock}), token: w.token}
	other.stripe("GET", "/v1/customers/"+customer).expect(t, 200)
	other.keycloak("GET", "/organizations?search=acme", nil).expect(t, 200) // the token is good there too
	other.pdns("GET", "/zones", "").expect(t, 503)                          // and so is the fault
	w.pdns("GET", "/zones", "").expect(t, 200)                              // which is spent for both
}

func TestAStateFileThatCannotBeIsNamed(t *testing.T) {
	folder := t.TempDir()
	corrupt := folder + "/corrupt.db"
	if err := os.WriteFile(corrupt, []byte(strings.Repeat("this is no database. ", 300)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder + "/missing/sandbox.db", corrupt, folder} {
		_, err := sandbox.Open(t.Context(), sandbox.Options{Path: path})
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("opening %s says %v, want an error that names it", path, err)
		}
	}
	_, err := sandbox.Open(t.Context(), sandbox.Options{Path: folder + "/ok.db", Listen: "127.0.0.1:notaport"})
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:notaport") {
		t.Errorf("a bad address says %v", err)
	}
}

func TestTheStateFileIsPrivate(t *testing.T) {
	w := newWorld(t)
	info, err := os.Stat(w.path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v, %v, want 0600", info.Mode(), err)
	}
}

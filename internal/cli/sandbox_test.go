package cli_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/cli"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

func TestTheSandboxServesUntilItIsStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- cli.Run(ctx, provider.Program{Version: "1.2.3"}, []string{
			"sandbox", "serve", "--listen", "127.0.0.1:0", "--path", filepath.Join(t.TempDir(), "deep", "sandbox"), "--zones", "example.test",
		}, writer, io.Discard)
		_ = writer.Close()
	}()
	addresses := map[string]string{}
	lines := bufio.NewScanner(reader)
	for len(addresses) < 4 && lines.Scan() {
		name, address, _ := strings.Cut(lines.Text(), " ")
		addresses[name] = strings.TrimSpace(address)
	}
	inventory, err := sandbox.Admin{BaseURL: addresses["admin"]}.Objects(ctx, sandbox.Filter{Kind: "zone", Fixtures: true})
	if err != nil || len(inventory.Objects) != 1 || !strings.HasPrefix(inventory.Objects[0].Name, "example.test") {
		t.Errorf("zones %v, %v", inventory.Objects, err)
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("stopped with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not stop")
	}
	if answer, err := http.Get(addresses["admin"] + "/objects"); err == nil {
		_ = answer.Body.Close()
		t.Error("it still answers")
	}
}

func TestASandboxThatCannotListenSaysWhy(t *testing.T) {
	_, err := tool(t, "sandbox", "serve", "--listen", "127.0.0.1:99999", "--path", t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:99999") {
		t.Errorf("got %v", err)
	}
}

func TestTheVersionIsPrinted(t *testing.T) {
	if output := mustTool(t, "version"); output != "1.2.3\n" {
		t.Errorf("got %q", output)
	}
}

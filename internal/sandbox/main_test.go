package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(crowdFile); path != "" {
		os.Exit(crowdMember(path))
	}
	os.Exit(acctest.Main(m))
}

// start is when every virtual clock begins.
var start = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

// world is a sandbox on a state file of its own.
type world struct {
	*sandbox.Server
	t     *testing.T
	path  string
	clock *clock.Virtual
	admin sandbox.Admin
	token string
}

func newWorld(t *testing.T, zones ...string) *world {
	t.Helper()
	w := &world{t: t, path: filepath.Join(t.TempDir(), "sandbox.db"), clock: clock.NewVirtual(start)}
	w.Server = openSandbox(t, sandbox.Options{Path: w.path, Clock: w.clock, Zones: zones})
	w.admin = sandbox.Admin{BaseURL: w.AdminURL()}
	return w
}

func openSandbox(t *testing.T, options sandbox.Options) *sandbox.Server {
	t.Helper()
	server, err := sandbox.Open(t.Context(), options)
	if err != nil {
		t.Fatalf("open sandbox: %v", err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("close sandbox: %v", err)
		}
	})
	return server
}

// reply is what a client sees of an answer.
type reply struct {
	status int
	header http.Header
	body   string
}

// json returns the body as a tree.
func (r reply) json(t *testing.T) map[string]any {
	t.Helper()
	var tree map[string]any
	if err := json.Unmarshal([]byte(r.body), &tree); err != nil {
		t.Fatalf("answer %d is no JSON object: %v\n%s", r.status, err, r.body)
	}
	return tree
}

// at follows keys and indexes into a tree; nil where there is nothing.
func at(tree any, path ...any) any {
	for _, step := range path {
		switch key := step.(type) {
		case string:
			object, _ := tree.(map[string]any)
			tree = object[key]
		case int:
			list, _ := tree.([]any)
			if key >= len(list) {
				return nil
			}
			tree = list[key]
		}
	}
	return tree
}

func try(ctx context.Context, method, target string, header http.Header, body string) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, target, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, string(raw)}, err
}

func (w *world) do(method, target string, header http.Header, body string) reply {
	w.t.Helper()
	answer, err := try(w.t.Context(), method, target, header, body)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, target, err)
	}
	return answer
}

// expect fails the test unless the status is the wanted one.
func (r reply) expect(t *testing.T, status int) reply {
	t.Helper()
	if r.status != status {
		t.Fatalf("got status %d, want %d: %s", r.status, status, r.body)
	}
	return r
}

func (w *world) stripeHeader(key string) http.Header {
	header := http.Header{
		"Authorization": {"Bearer " + w.Credentials.StripeAPIKey},
		"Content-Type":  {"application/x-www-form-urlencoded"},
	}
	if key != "" {
		header["Idempotency-Key"] = []string{key}
	}
	return header
}

// form encodes pairs of names and values.
func form(pairs ...string) string {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	return values.Encode()
}

// post sends a form to Stripe, with an idempotency key unless that is "".
func (w *world) post(path, key string, pairs ...string) reply {
	w.t.Helper()
	return w.do("POST", w.StripeURL()+path, w.stripeHeader(key), form(pairs...))
}

func (w *world) stripe(method, path string) reply {
	w.t.Helper()
	return w.do(method, w.StripeURL()+path, w.stripeHeader(""), "")
}

// keycloak calls the admin API with a token that is fetched once.
func (w *world) keycloak(method, path string, body any) reply {
	w.t.Helper()
	if w.token == "" {
		w.token = at(w.askToken().expect(w.t, 200).json(w.t), "access_token").(string)
	}
	header := http.Header{"Authorization": {"Bearer " + w.token}, "Content-Type": {"application/json"}}
	return w.do(method, w.KeycloakURL()+"/admin/realms/"+w.Credentials.KeycloakRealm+path, header, encode(w.t, body))
}

func (w *world) askToken() reply {
	w.t.Helper()
	c := w.Credentials
	return w.do("POST", w.KeycloakURL()+"/realms/"+c.KeycloakRealm+"/protocol/openid-connect/token",
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
		form("grant_type", "client_credentials", "client_id", c.KeycloakClientID, "client_secret", c.KeycloakClientSecret))
}

// encode spells a body as JSON; a string is sent as it is.
func encode(t *testing.T, body any) string {
	t.Helper()
	if text, ok := body.(string); ok {
		return text
	}
	if body == nil {
		return ""
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(body); err != nil {
		t.Fatalf("encode body: %v", err)
	}
	return b.String()
}

// count returns how many live objects of a kind there are.
func (w *world) count(systemAndKind string) int {
	w.t.Helper()
	inventory, err := w.admin.Objects(w.t.Context(), sandbox.Filter{})
	if err != nil {
		w.t.Fatalf("read inventory: %v", err)
	}
	return inventory.Counts[systemAndKind]
}

package s3

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

func TestWrongCredentialsPauseTheBackendAndStaySecret(t *testing.T) {
	l := newLab(t, nil)
	for option, canary := range map[string]string{"secret_key": "CANARY-SECRET", "access_key": "unknown-key"} {
		s := settings(l.server, nil)
		s.Options[option] = canary
		faults := openOn(t, s).Check(t.Context(), []backend.Want{l.want(true), l.want(false)})
		if len(faults) != 1 {
			t.Fatalf("wrong %s: got %v, want one fault for both buckets", option, faults)
		}
		f := faults[0]
		if f.Kind != fault.Terminal || !f.BackendWide || f.Code != "storage.credentials" || f.Path != `regions["test"].storage.s3.access_key` {
			t.Errorf("wrong %s: got %+v", option, f)
		}
		if text := fmt.Sprint(f, f.Err); strings.Contains(text, "CANARY-SECRET") {
			t.Errorf("the fault shows the secret: %s", text)
		}
	}
}

func TestCheckIsContentWithWhatAnApplyCanDo(t *testing.T) {
	l := newLab(t, nil)
	if faults := l.backend.Check(t.Context(), []backend.Want{l.want(true)}); len(faults) > 0 {
		t.Errorf("before the bucket is made: %v", faults)
	}
	l.ensured(true)
	if faults := l.backend.Check(t.Context(), []backend.Want{l.want(true)}); len(faults) > 0 {
		t.Errorf("with the bucket made: %v", faults)
	}
}

func TestAStoreThatIsDownIsRetried(t *testing.T) {
	l := newLab(t, nil)
	s := settings(l.server, nil)
	s.Options["endpoint"] = fmt.Sprintf("http://127.0.0.1:%d", acctest.FreePort(t))
	_, err := openOn(t, s).Ensure(t.Context(), l.want(true))
	if f := fault.From(err); f.Kind != fault.Retryable || !f.BackendWide {
		t.Errorf("got %v (%+v), want a Retryable fault of the whole backend", err, f)
	}
}

func TestASlowStoreIsGivenUpAfterTheTimeout(t *testing.T) {
	l := newLab(t, nil)
	slow := func(method string) http.RoundTripper {
		return relay(func(request *http.Request) (*http.Response, error) {
			if request.Method != method {
				return http.DefaultTransport.RoundTrip(request)
			}
			<-request.Context().Done()
			return nil, request.Context().Err()
		})
	}
	for method, kind := range map[string]fault.Kind{http.MethodGet: fault.Retryable, http.MethodPut: fault.Ambiguous} {
		s := settings(l.server, slow(method))
		s.Timeout = 300 * time.Millisecond
		_, err := openOn(t, s).Ensure(t.Context(), l.want(true))
		if !fault.Is(err, kind) || !strings.Contains(err.Error(), "300ms") {
			t.Errorf("a slow %s: got %v, want a %s fault that names the timeout", method, err, kind)
		}
	}
}

func TestABucketWeMayNotReadIsNotAbsent(t *testing.T) {
	l := newLab(t, relay(func(request *http.Request) (*http.Response, error) { return denied(request), nil }))
	_, err := l.backend.Observe(t.Context(), l.target())
	if f := fault.From(err); f.Kind != fault.Conflict || f.BackendWide {
		t.Errorf("got %v (%+v), want a Conflict of this tenant only", err, f)
	}
}

func TestOptionsAreCheckedWithoutTouchingTheNetwork(t *testing.T) {
	valid := map[string]string{"access_key": "a", "secret_key": "s"}
	for _, c := range []struct{ option, value, path string }{
		{"endpoint", "s3.example.com", "p.endpoint"},
		{"endpoint", "ftp://s3.example.com", "p.endpoint"},
		{"endpoint", "https://s3.example.com/bucket", "p.endpoint"},
		{"endpoint", "https://user@s3.example.com", "p.endpoint"},
		{"path_style", "maybe", "p.path_style"},
		{"access_key", "", "p.access_key"},
		{"secret_key", "", "p.secret_key"},
		{"region", "eu-central-1", ""},
		{"path_style", "false", ""},
	} {
		options := map[string]string{c.option: c.value}
		for name, value := range valid {
			if name != c.option {
				options[name] = value
			}
		}
		opened, f := Driver().Open(backend.Settings{Path: "p", Options: options})
		switch {
		case c.path == "" && (f != nil || opened == nil):
			t.Errorf("%s = %q was refused: %v", c.option, c.value, f)
		case c.path != "" && (f == nil || f.Kind != fault.Terminal || f.Path != c.path || f.Action == ""):
			t.Errorf("%s = %q: got %+v, want a Terminal fault at %s", c.option, c.value, f, c.path)
		}
	}
}

package s3

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestAnUnmarkedBucketGoesOnlyWhileItHoldsNothing(t *testing.T) {
	l := newLab(t, nil)
	l.made(l.hand, nil)
	l.put(2)
	removal := l.removal(tenant.DeleteData)
	removal.TakeUnmarked, removal.ExternalID = true, l.name()
	if receipt, err := l.backend.Remove(t.Context(), removal); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "2 keys") {
		t.Errorf("remove with keys in it: %+v, %v", receipt, err)
	}
	if held := l.counted(); held.keys != 2 {
		t.Errorf("%d keys are left", held.keys)
	}
}

// An archive that breaks off shows: the next call ends it or takes it back.
func TestAnInterruptedArchiveIsSeen(t *testing.T) {
	broken := false
	l := newLab(t, relay(func(r *http.Request) (*http.Response, error) {
		if broken && r.URL.Query().Has("policy") {
			return nil, http.ErrServerClosed
		}
		return http.DefaultTransport.RoundTrip(r)
	}))
	l.ensured(false)
	broken = true
	removal := l.removal(tenant.ArchiveData)
	removal.RetainUntil = time.Date(2035, 1, 2, 3, 4, 5, 0, time.UTC)
	if receipt, err := l.backend.Archive(t.Context(), removal); err == nil {
		t.Fatalf("archive: %+v", receipt)
	}
	broken = false
	seen, err := l.backend.Observe(t.Context(), l.target())
	if err != nil || seen.ArchivedUntil.IsZero() {
		t.Errorf("observe: %+v, %v", seen, err)
	}
	if _, err := l.backend.Ensure(t.Context(), l.want(false)); err != nil {
		t.Fatal(err)
	}
	if err := l.write(); err != nil {
		t.Errorf("the bucket stayed read-only: %v", err)
	}
}

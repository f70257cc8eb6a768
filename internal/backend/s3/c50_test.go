package s3

import (
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestC50_OddTenantIDsGetBucketsOnTheRealServer(t *testing.T) {
	l := newLab(t, nil)
	tail := string(l.subject.ID) // keeps reruns apart
	for _, id := range []string{"ab", "xn--x", "192-168-0-1", "a--b", strings.Repeat("a", 63-len(tail)) + tail} {
		l.subject.ID = tenant.ID(id)
		if err := storage.CheckBucketName(l.name()); err != nil {
			t.Errorf("tenant %s: %v", id, err)
		}
		l.ensured(false)
		if _, err := l.backend.Remove(t.Context(), l.removal(tenant.RetainData)); err != nil {
			t.Errorf("tenant %s: remove: %v", id, err)
		}
	}
}

func TestC50_ANameAnotherAccountOwnsIsAConflictWithAHint(t *testing.T) {
	l := newLab(t, nil)
	foreigner := hand(t, acctest.S3(t).Account(t, "owner-"+string(l.subject.ID)))
	l.made(foreigner, map[string]string{"team": "data"})
	_, ensured := l.backend.Ensure(t.Context(), l.want(false))
	_, observed := l.backend.Observe(t.Context(), l.target())
	for verb, err := range map[string]error{"ensure": ensured, "observe": observed} {
		if f := fault.From(err); f.Kind != fault.Conflict || f.Path != "storage" || !strings.Contains(f.Action, "another tenant id") {
			t.Errorf("%s: got %v, want a Conflict at storage that says to choose another tenant id", verb, err)
		}
	}
}

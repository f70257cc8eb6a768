package s3

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// archived archives a bucket of three keys until 2035.
func (l *lab) archived() backend.Receipt {
	l.Helper()
	l.ensured(true)
	l.put(3)
	removal := l.removal(tenant.ArchiveData)
	removal.RetainUntil = time.Date(2035, 1, 2, 3, 4, 5, 0, time.UTC)
	receipt, err := l.backend.Archive(l.Context(), removal)
	if err != nil {
		l.Fatalf("archive: %v", err)
	}
	return receipt
}

func (l *lab) write() error {
	_, err := l.hand.PutObject(l.Context(), l.name(), "new", strings.NewReader("x"), 1, minio.PutObjectOptions{})
	return err
}

func TestAnArchivedBucketKeepsItsDataAndRefusesWrites(t *testing.T) {
	l := newLab(t, nil)
	receipt := l.archived()
	until := time.Date(2035, 1, 2, 3, 4, 5, 0, time.UTC)
	if receipt.Outcome != "archived" || !receipt.PendingUntil.Equal(until) || receipt.Details["keys"] != "3" ||
		receipt.Details["archive"] != l.name() || receipt.Details["retain_until"] != "2035-01-02T03:04:05Z" {
		t.Errorf("receipt: %+v", receipt)
	}
	if code := minio.ToErrorResponse(l.write()).Code; code != minio.AccessDenied {
		t.Errorf("a write gave %q, want AccessDenied", code)
	}
	if err := l.hand.RemoveObject(t.Context(), l.name(), "folder/key 0001 & more", minio.RemoveObjectOptions{}); minio.ToErrorResponse(err).Code != minio.AccessDenied {
		t.Errorf("a deletion gave %v, want AccessDenied", err)
	}
	seen, err := l.backend.Observe(t.Context(), l.target())
	if err != nil || !seen.ArchivedUntil.Equal(until) || seen.Marker != l.subject.Marker() {
		t.Errorf("observe: %+v, %v", seen, err)
	}
	removal := l.removal(tenant.ArchiveData)
	removal.RetainUntil = until
	if again, err := l.backend.Archive(t.Context(), removal); err != nil || again.Outcome != "archived" {
		t.Errorf("archive again: %+v, %v", again, err)
	}
}

func TestEnsureTakesABucketOutOfTheArchive(t *testing.T) {
	l := newLab(t, nil)
	l.archived()
	seen, err := l.backend.Ensure(t.Context(), l.want(true))
	if err != nil || !seen.ArchivedUntil.IsZero() {
		t.Fatalf("ensure: %+v, %v", seen, err)
	}
	if err := l.write(); err != nil {
		t.Errorf("a write: %v", err)
	}
}

func TestAnArchivedBucketIsDestroyedAfterItsRetention(t *testing.T) {
	l := newLab(t, nil)
	l.archived()
	receipt, err := l.backend.Remove(t.Context(), l.removal(tenant.DeleteData))
	if err != nil || receipt.Outcome != "deleted" || receipt.Details["keys"] != "3" || l.exists() {
		t.Errorf("remove: %+v, %v", receipt, err)
	}
	if again, err := l.backend.Archive(t.Context(), l.removal(tenant.ArchiveData)); err != nil || again.Outcome != "already absent" {
		t.Errorf("archive what is gone: %+v, %v", again, err)
	}
}

func TestTagsAndPolicyStatementsOfOthersSurvive(t *testing.T) {
	l := newLab(t, nil)
	// An administrator: on this server the hand-made policy would take the
	// owner's rights away.
	l.backend, l.hand = openOn(t, settings(acctest.S3(t), nil)), hand(t, acctest.S3(t))
	l.ensured(true)
	pairs := l.subject.Marker().Pairs()
	pairs["cost-centre"] = "4711"
	l.tag(pairs)
	policy := `{"Version":"2012-10-17","Statement":[{"Sid":"Auditors","Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::` + l.name() + `/*"}]}`
	if err := l.hand.SetBucketPolicy(t.Context(), l.name(), policy); err != nil {
		t.Fatalf("set a policy by hand: %v", err)
	}
	l.archived()
	during, err := l.hand.GetBucketPolicy(t.Context(), l.name())
	if err != nil || !strings.Contains(during, "Auditors") || !strings.Contains(during, archivedSid) {
		t.Errorf("policy while archived: %s, %v", during, err)
	}
	l.ensured(true)
	after, err := l.hand.GetBucketPolicy(t.Context(), l.name())
	if err != nil || !strings.Contains(after, "Auditors") || strings.Contains(after, archivedSid) {
		t.Errorf("policy after the archive: %s, %v", after, err)
	}
	tags, err := l.hand.GetBucketTagging(t.Context(), l.name())
	if err != nil {
		t.Fatal(err)
	}
	if got := tags.ToMap(); got["cost-centre"] != "4711" || got[archivedUntilTag] != "" {
		t.Errorf("tags after the archive: %v", got)
	}
}

func TestASinglePolicyStatementMayStandWithoutAList(t *testing.T) {
	document := map[string]json.RawMessage{}
	statements, err := parsePolicy(`{"Version":"2008-10-17","Statement":{"Sid":"Auditors"}}`, document)
	if err != nil || len(statements) != 1 || statements[0]["Sid"] != "Auditors" || string(document["Version"]) != `"2008-10-17"` {
		t.Errorf("got %v, %v, version %s", statements, err, document["Version"])
	}
	for _, broken := range []string{`{`, `{"Statement":3}`, `{"Version":"2012-10-17"}`} {
		if _, err := parsePolicy(broken, map[string]json.RawMessage{}); err == nil {
			t.Errorf("%s was read as a policy", broken)
		}
	}
}

package localdir

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/backendtest"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func openIn(t *testing.T, path string) *Backend {
	t.Helper()
	opened, f := Driver().Open(backend.Settings{Path: "p", Options: map[string]string{"path": path}})
	if f != nil {
		t.Fatalf("open: %v", f)
	}
	return opened.(*Backend)
}

func TestConformance(t *testing.T) {
	base := t.TempDir()
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	backendtest.Run(t, backendtest.Suite{
		Component: storage.Component{},
		Spec:      `{"versioning":true}`,
		Changed:   `{"versioning":false}`,
		Open:      func(t *testing.T, _ http.RoundTripper) backend.Backend { return openIn(t, base) },
		Edit: func(t *testing.T, target backend.Target) {
			file := filepath.Join(base, target.Name, labelFile)
			text, err := os.ReadFile(file)
			must(t, err)
			must(t, os.WriteFile(file, []byte(strings.Replace(string(text), "true", "false", 1)), 0o600))
		},
		Vanish: func(t *testing.T, target backend.Target) { must(t, os.RemoveAll(filepath.Join(base, target.Name))) },
		Strip: func(t *testing.T, target backend.Target) {
			must(t, os.Remove(filepath.Join(base, target.Name, labelFile)))
		},
		FillData: func(t *testing.T, target backend.Target) {
			must(t, os.WriteFile(filepath.Join(base, target.Name, "data"), []byte("x"), 0o600))
		},
	})
}

// shelf is one tenant in a directory of its own.
type shelf struct {
	*testing.T
	base    string
	backend *Backend
	subject tenant.Subject
}

func newShelf(t *testing.T) *shelf {
	base := t.TempDir()
	return &shelf{
		T: t, base: base, backend: openIn(t, base),
		subject: tenant.Subject{Installation: "acme", ID: "northstar", Region: "test"},
	}
}

func (s *shelf) name() string { return tenant.BucketName.Name(s.subject.Installation, s.subject.ID) }

func (s *shelf) target() backend.Target {
	return backend.Target{Subject: s.subject, Component: storage.Name, Object: storage.Bucket, Name: s.name(), Path: storage.Name}
}

func (s *shelf) ensure() (backend.Observation, error) {
	return s.backend.Ensure(s.Context(), backend.Want{Target: s.target(), Fields: storage.Content(s.name(), false)})
}

func (s *shelf) ensured() {
	s.Helper()
	if _, err := s.ensure(); err != nil {
		s.Fatalf("ensure: %v", err)
	}
}

func (s *shelf) remove(data tenant.DataPolicy, until time.Time) (backend.Receipt, error) {
	return s.backend.Remove(s.Context(), backend.Removal{Target: s.target(), Data: data, RetainUntil: until})
}

func (s *shelf) purge(archive string, now time.Time) (backend.Receipt, error) {
	target := s.target()
	target.Name, target.ExternalID = archive, s.name()
	return s.backend.Purge(s.Context(), backend.Removal{Target: target, RetainUntil: now, Now: now})
}

func (s *shelf) write(parts ...string) {
	s.Helper()
	file := filepath.Join(append([]string{s.base}, parts...)...)
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s *shelf) has(parts ...string) bool {
	_, err := os.Lstat(filepath.Join(append([]string{s.base}, parts...)...))
	return err == nil
}

func TestAnArchivedFolderFreesItsNameAndGoesAfterItsDate(t *testing.T) {
	s := newShelf(t)
	until := time.Date(2035, 1, 2, 3, 4, 5, 0, time.UTC)
	var archives []string
	for life := range 2 {
		s.ensured()
		s.write(s.name(), "folder", "data")
		receipt, err := s.remove(tenant.ArchiveData, until)
		if err != nil || receipt.Outcome != "archived" || !receipt.PendingUntil.Equal(until) || receipt.Details["files"] != "1" {
			t.Fatalf("life %d: archive: %+v, %v", life, receipt, err)
		}
		if data := filepath.Join(receipt.Details["archive"], "folder", "data"); !fileExists(data) {
			t.Errorf("life %d: %s is missing", life, data)
		}
		archives = append(archives, receipt.Details["archive"])
	}
	if _, err := s.backend.Observe(t.Context(), s.target()); !fault.Is(err, fault.NotFound) {
		t.Errorf("observe: got %v, want the name free", err)
	}
	for _, archive := range archives {
		for _, outcome := range []string{"destroyed", "already absent"} {
			if receipt, err := s.purge(archive, until); err != nil || receipt.Outcome != outcome {
				t.Errorf("purge %s: %+v, %v, want %s", archive, receipt, err, outcome)
			}
		}
	}
	if left, _ := os.ReadDir(filepath.Join(s.base, archiveFolder)); len(left) > 0 {
		t.Errorf("the archive still holds %v", left)
	}
}

func fileExists(path string) bool { _, err := os.Lstat(path); return err == nil }

func TestAnInterruptedCreationIsMadeAgain(t *testing.T) {
	s := newShelf(t)
	s.write(makingPrefix+s.name(), unfinishedLabel)
	s.ensured()
	if s.has(makingPrefix + s.name()) {
		t.Error("the interrupted creation is still there")
	}
}

func TestAnArchiveWithoutAMarkIsSomebodysUnlessItsPurgeWasInterrupted(t *testing.T) {
	s := newShelf(t)
	s.ensured() // so that the folder is the one that holds tenants
	past := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	archive := s.name() + ".20200102T030405Z"
	s.write(archiveFolder, archive, "data")
	if receipt, err := s.purge(archive, past); !fault.Is(err, fault.Conflict) || !s.has(archiveFolder, archive, "data") {
		t.Errorf("purge: %+v, %v", receipt, err)
	}
	if err := os.Rename(filepath.Join(s.base, archiveFolder, archive), filepath.Join(s.base, archiveFolder, removingPrefix+archive)); err != nil {
		t.Fatal(err)
	}
	if receipt, err := s.purge(archive, past); err != nil || receipt.Outcome != "destroyed" || s.has(archiveFolder, removingPrefix+archive) {
		t.Errorf("finish the purge: %+v, %v", receipt, err)
	}
}

func TestAnInterruptedPurgeIsFinished(t *testing.T) {
	s := newShelf(t)
	s.write(removingPrefix+s.name(), "data") // its label went first
	receipt, err := s.remove(tenant.DeleteData, time.Time{})
	if err != nil || receipt.Outcome != "deleted" || s.has(removingPrefix+s.name()) {
		t.Errorf("remove: %+v, %v", receipt, err)
	}
}

func TestFilesThatTurnUpDuringARemovalAreRetained(t *testing.T) {
	s := newShelf(t)
	s.ensured()
	s.write(s.name(), "late")
	if err := os.Rename(filepath.Join(s.base, s.name()), filepath.Join(s.base, removingPrefix+s.name())); err != nil {
		t.Fatal(err)
	}
	_, err := s.remove(tenant.RetainData, time.Time{})
	if !fault.Is(err, fault.Terminal) || !strings.Contains(err.Error(), "1 files") || !s.has(s.name(), "late") {
		t.Errorf("remove: got %v, want a Terminal fault with the file back in place", err)
	}
}

func TestAMissingDirectoryIsNotAnEmptyOne(t *testing.T) {
	s := newShelf(t)
	s.backend = openIn(t, filepath.Join(s.base, "not-mounted"))
	_, observed := s.backend.Observe(t.Context(), s.target())
	_, ensured := s.ensure()
	for verb, err := range map[string]error{"observe": observed, "ensure": ensured} {
		if f := fault.From(err); f.Kind != fault.Terminal || !f.BackendWide || f.Path != "p.path" {
			t.Errorf("%s: got %v (%+v), want a Terminal fault of the whole backend", verb, err, f)
		}
	}
	if faults := s.backend.Check(t.Context(), []backend.Want{{Target: s.target()}}); len(faults) != 1 {
		t.Errorf("check: %v", faults)
	}
}

func TestNoSymbolicLinkLeadsOut(t *testing.T) {
	s := newShelf(t)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "precious"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(s.base, s.name())
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ensure(); !fault.Is(err, fault.Conflict) {
		t.Errorf("ensure over a link: got %v, want a Conflict", err)
	}
	if _, err := s.remove(tenant.DeleteData, time.Time{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("remove a link: got %v, want a Conflict", err)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	s.ensured()
	if err := os.Symlink(outside, filepath.Join(s.base, s.name(), "link")); err != nil {
		t.Fatal(err)
	}
	if receipt, err := s.remove(tenant.DeleteData, time.Time{}); err != nil || receipt.Details["files"] != "1" {
		t.Errorf("purge a folder with a link: %+v, %v", receipt, err)
	}
	if !fileExists(filepath.Join(outside, "precious")) {
		t.Error("what the link led to is gone")
	}
}

func TestNamesCannotLeadOut(t *testing.T) {
	s := newShelf(t)
	for _, id := range []string{"../x", "a/b", ".making-x", archiveFolder, ".."} {
		target := s.target()
		target.ExternalID = id
		if _, err := s.backend.Observe(t.Context(), target); !fault.Is(err, fault.Terminal) {
			t.Errorf("observe %q: got %v, want a Terminal fault", id, err)
		}
	}
}

func TestALabelThatCannotBeReadIsNotAMissingOne(t *testing.T) {
	s := newShelf(t)
	s.ensured()
	if err := os.WriteFile(filepath.Join(s.base, s.name(), labelFile), []byte(`{"tenant":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.backend.Observe(t.Context(), s.target()); !fault.Is(err, fault.Retryable) {
		t.Errorf("observe: got %v, want a Retryable fault", err)
	}
	if _, err := s.remove(tenant.DeleteData, time.Time{}); err == nil || !s.has(s.name()) {
		t.Errorf("remove: got %v, want an error and the folder untouched", err)
	}
}

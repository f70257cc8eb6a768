package localdir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func (s *shelf) recorded() backend.Target {
	target := s.target()
	target.ExternalID = s.name()
	return target
}

func TestAnUnmarkedFolderThatHoldsFilesIsNobodysToDestroy(t *testing.T) {
	s := newShelf(t)
	if _, err := s.ensure(); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(s.base, s.name())
	if err := os.Remove(filepath.Join(folder, labelFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "theirs"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	removal := backend.Removal{Target: s.recorded(), Data: tenant.DeleteData, TakeUnmarked: true}
	if receipt, err := s.backend.Remove(t.Context(), removal); !fault.Is(err, fault.Terminal) {
		t.Errorf("remove: %+v, %v", receipt, err)
	}
	if _, err := os.Stat(filepath.Join(folder, "theirs")); err != nil {
		t.Error(err)
	}
}

func TestAnEmptyMountPointProvesNoAbsence(t *testing.T) {
	s := newShelf(t)
	if _, err := s.backend.Observe(t.Context(), s.recorded()); err == nil || fault.Is(err, fault.NotFound) {
		t.Errorf("observe: %v, want an error that is not absence", err)
	}
	if receipt, err := s.backend.Remove(t.Context(), backend.Removal{Target: s.recorded(), Data: tenant.DeleteData}); err == nil {
		t.Errorf("remove reported %+v", receipt)
	}
	if _, err := s.ensure(); err != nil {
		t.Errorf("the first tenant cannot be made: %v", err)
	}
}

func TestTheEngineMayTakeOverAForeignFolderItSaw(t *testing.T) {
	s := newShelf(t)
	if _, err := s.ensure(); err != nil {
		t.Fatal(err)
	}
	seen, err := s.backend.Observe(t.Context(), s.target())
	if err != nil {
		t.Fatal(err)
	}
	want := backend.Want{Target: s.recorded(), Fields: storage.Content(s.name(), false), Observed: &seen}
	want.Subject.Installation = "another"
	if got, err := s.backend.Ensure(t.Context(), want); err != nil || got.Marker != want.Marker() {
		t.Errorf("ensure: %+v, %v", got, err)
	}
}

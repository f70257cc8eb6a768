package executor_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
)

// zombie is an application that goes on writing: it puts the bucket's folder
// back after each of the first times it goes.
type zombie struct {
	backend.Backend
	backend.Archiver
	back func()
}

// Archive implements backend.Archiver.
func (z zombie) Archive(ctx context.Context, r backend.Removal) (backend.Receipt, error) {
	receipt, err := z.Archiver.Archive(ctx, r)
	if err == nil {
		z.back()
	}
	return receipt, err
}

func TestC62_WhatAWriterPutsBackIsFoundBeforeTheEndIsWritten(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	folders, err := filepath.Glob(s.path("storage/tnt-acme-*"))
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	late := filepath.Join(folders[0], "late.txt")
	s.through["storage"] = func(b backend.Backend) backend.Backend {
		return zombie{b, b.(backend.Archiver), func() {
			if err := os.MkdirAll(folders[0], 0o755); err != nil {
				t.Error(err)
			}
			if err := os.WriteFile(late, []byte("still here"), 0o600); err != nil {
				t.Error(err)
			}
		}}
	}
	outcome, err := s.Destroy(t.Context(), "acme", claim)
	if err != nil || outcome.Status != ledger.Deleting || len(outcome.Faults) != 1 {
		t.Fatalf("destroy: %s %v, %v; want a tenant that is not gone yet", outcome.Status, outcome.Faults, err)
	}
	if f := outcome.Faults[0].Fault; f.Kind != fault.Terminal || f.Code != "storage.recreated" {
		t.Errorf("the fault is %+v", f)
	}
	if s.verified() {
		t.Error("the end is in evidence although the writer's data is there")
	}

	delete(s.through, "storage") // the writer is stopped, a person looks at what it left
	again, err := s.Destroy(t.Context(), "acme", claim)
	if err != nil || again.Status != ledger.Deleting {
		t.Errorf("with the leftover still there: %s, %v", again.Status, err)
	}
	if _, err := os.Stat(late); err != nil {
		t.Errorf("what nobody gave up was taken: %v", err)
	}
	if err := os.RemoveAll(folders[0]); err != nil {
		t.Fatal(err)
	}
	s.destroy("acme")
	s.wantGone("acme")
	if !s.verified() {
		t.Error("the end is not in evidence")
	}
}

func (s *stage) verified() bool {
	s.t.Helper()
	for _, e := range s.evidence("acme") {
		if e.Step == "verify" {
			return true
		}
	}
	return false
}

// reviver makes an object again after its first removal, marker and all, as a
// second pipeline does that has not heard of the end.
type reviver struct {
	backend.Backend
	removals *int
}

// Remove implements backend.Backend.
func (r reviver) Remove(ctx context.Context, removal backend.Removal) (backend.Receipt, error) {
	receipt, err := r.Backend.Remove(ctx, removal)
	if *r.removals++; err != nil || *r.removals > 1 {
		return receipt, err
	}
	target := removal.Target
	target.ExternalID = ""
	_, err = r.Ensure(ctx, backend.Want{Target: target, Fields: target.Hints, Key: removal.Key})
	return receipt, err
}

func TestC62_WhatComesBackWithOurMarkerIsRemovedAgain(t *testing.T) {
	s := newStage(t)
	s.apply(spec("acme"), ledger.Ready)
	removals := 0
	s.through["domain"] = func(b backend.Backend) backend.Backend { return reviver{b, &removals} }
	s.destroy("acme")
	if removals != 2 {
		t.Errorf("the record was removed %d times, want twice", removals)
	}
	if diff := cmp.Diff(nothing, s.exists("acme")); diff != "" {
		t.Error(diff)
	}
}

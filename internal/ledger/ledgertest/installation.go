package ledgertest

import (
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

var installationTests = []sentence{
	{"a new ledger draws an id and keeps it", func(w *world) {
		id := w.installation(w.store)
		if _, err := tenant.ParseInstallation(string(id)); err != nil {
			w.Fatalf("drawn installation %q: %v", id, err)
		}
		w.equal("the id after another open", w.installation(w.open()), id)
	}},
	{"an empty ledger becomes the one it is told to be", func(w *world) {
		w.must(w.store.AdoptInstallation(w.ctx, "lost1"))
		w.equal("the id", w.installation(w.store), tenant.Installation("lost1"))
		w.equal("the id after another open", w.installation(w.open()), tenant.Installation("lost1"))
	}},
	{"the same id again is no error, with tenants too", func(w *world) {
		w.must(w.store.AdoptInstallation(w.ctx, "lost1"))
		w.declare(acme, 1)
		w.must(w.store.AdoptInstallation(w.ctx, "lost1"))
	}},
	{"the drawn id may be confirmed and then stays", func(w *world) {
		w.must(w.store.AdoptInstallation(w.ctx, w.installation(w.store)))
		w.wantErr(w.store.AdoptInstallation(w.ctx, "other1"), ledger.ErrInstallation)
	}},
	{"a chosen id cannot be replaced", func(w *world) {
		w.must(w.store.AdoptInstallation(w.ctx, "lost1"))
		w.wantErr(w.store.AdoptInstallation(w.ctx, "other1"), ledger.ErrInstallation)
		w.equal("the id", w.installation(w.store), tenant.Installation("lost1"))
	}},
	{"a ledger with tenants cannot become another", func(w *world) {
		drawn := w.installation(w.store)
		w.declare(acme, 1)
		w.wantErr(w.store.AdoptInstallation(w.ctx, "lost1"), ledger.ErrInstallation)
		w.bury(acme)
		w.wantErr(w.store.AdoptInstallation(w.ctx, "lost1"), ledger.ErrInstallation)
		w.equal("the id", w.installation(w.store), drawn)
	}},
	{"a malformed id is refused", func(w *world) {
		drawn := w.installation(w.store)
		if w.store.AdoptInstallation(w.ctx, "No Such'); --") == nil {
			w.Fatal("a malformed id was accepted")
		}
		w.equal("the id", w.installation(w.store), drawn)
	}},
}

func (w *world) installation(store ledger.Store) tenant.Installation {
	w.Helper()
	id, err := store.Installation(w.ctx)
	w.must(err)
	return id
}

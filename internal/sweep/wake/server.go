package wake

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// maxBody bounds a request's body; Stripe's and GitHub's events are far smaller.
const maxBody = 1 << 20

// Service is what a wake-up is handed to.
type Service interface {
	// Wake has a tenant visited soon; ledger.ErrNotFound for an unknown one.
	Wake(ctx context.Context, id tenant.ID) error
	// Ready tells why the service is not in order, nil when it is.
	Ready(ctx context.Context) error
}

// Secrets are what callers prove themselves with. Several are valid at a time,
// so that they can be rotated; without one, a route does not exist.
type Secrets struct {
	// Tokens are bearer tokens for /wake.
	Tokens []string
	// Stripe, GitHub and Keycloak are signing secrets.
	Stripe, GitHub, Keycloak []string
}

// Options are what a handler works with.
type Options struct {
	Service Service
	// OwnerOf finds whose an external object is; ledger.ErrNotFound for nobody's.
	OwnerOf func(ctx context.Context, externalID string) (tenant.ID, error)
	// Installation is ours: events about another one's tenants are ignored.
	Installation tenant.Installation
	Secrets      Secrets
	Clock        clock.Clock
	Logger       *slog.Logger
}

// Handler serves the routes of the package.
func Handler(o Options) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "alive", "") })
	mux.HandleFunc("GET /readyz", o.ready)
	if len(o.Secrets.Tokens) > 0 {
		mux.HandleFunc("POST /wake", o.wake)
	}
	for _, h := range []hook{stripeHook(o.Secrets.Stripe), githubHook(o.Secrets.GitHub), keycloakHook(o.Secrets.Keycloak)} {
		if len(h.secrets) > 0 {
			mux.HandleFunc("POST /webhooks/"+h.name, func(w http.ResponseWriter, r *http.Request) { o.hear(w, r, h) })
		}
	}
	return mux
}

// ready answers /readyz.
func (o Options) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	if err := o.Service.Ready(ctx); err != nil {
		answer(w, http.StatusServiceUnavailable, "not ready", err.Error())
		return
	}
	answer(w, http.StatusOK, "ready", "")
}

// wake answers /wake.
func (o Options) wake(w http.ResponseWriter, r *http.Request) {
	if !bearer(r.Header.Get("Authorization"), o.Secrets.Tokens) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		answer(w, http.StatusUnauthorized, "refused", "send the token: Authorization: Bearer …")
		return
	}
	var asked struct {
		TenantID string `json:"tenant_id"`
	}
	body, ok := read(w, r)
	if !ok {
		return
	}
	if err := json.Unmarshal(body, &asked); err != nil || asked.TenantID == "" {
		answer(w, http.StatusBadRequest, "refused", `send {"tenant_id": "…"}`)
		return
	}
	o.hand(w, r, tenant.ID(asked.TenantID), http.StatusNotFound)
}

// hear answers a webhook. An event about nothing of ours is accepted and
// ignored: its sender would only send it again.
func (o Options) hear(w http.ResponseWriter, r *http.Request, h hook) {
	body, ok := read(w, r)
	if !ok {
		return
	}
	if !h.signed(r.Header, body, h.secrets, o.Clock.Now()) {
		answer(w, http.StatusUnauthorized, "refused", "the signature does not fit")
		return
	}
	about, err := h.about(body)
	if err != nil {
		answer(w, http.StatusBadRequest, "refused", err.Error())
		return
	}
	id, err := o.find(r.Context(), about)
	if err != nil {
		o.failed(w, r, err)
		return
	}
	if id == "" {
		answer(w, http.StatusAccepted, "ignored", "")
		return
	}
	o.hand(w, r, id, http.StatusAccepted)
}

// find is the tenant that an event is about, "" for none of ours.
func (o Options) find(ctx context.Context, about subject) (tenant.ID, error) {
	if m := about.marker; m.Tenant != "" && m.Installation == o.Installation {
		return m.Tenant, nil
	}
	for _, external := range about.externalIDs {
		id, err := o.OwnerOf(ctx, external)
		if err == nil {
			return id, nil
		}
		if !errors.Is(err, ledger.ErrNotFound) {
			return "", err
		}
	}
	return "", nil
}

// hand hands a tenant to the service.
func (o Options) hand(w http.ResponseWriter, r *http.Request, id tenant.ID, unknown int) {
	err := o.Service.Wake(r.Context(), id)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		answer(w, unknown, "unknown", "")
	case err != nil:
		o.failed(w, r, err)
	default:
		answer(w, http.StatusAccepted, "due", "")
	}
}

// failed answers so that the sender tries again. What went wrong is for the
// log: it may say more than a stranger should read.
func (o Options) failed(w http.ResponseWriter, r *http.Request, err error) {
	o.Logger.WarnContext(r.Context(), "a wake-up could not be taken", "path", r.URL.Path, "error", err.Error())
	answer(w, http.StatusServiceUnavailable, "not now", "try again")
}

// read reads a body of bounded size.
func read(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		answer(w, http.StatusRequestEntityTooLarge, "refused", "the body could not be read, or is too long")
		return nil, false
	}
	return body, true
}

func answer(w http.ResponseWriter, code int, status, reason string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	reply := map[string]string{"status": status}
	if reason != "" {
		reply["reason"] = reason
	}
	_ = json.NewEncoder(w).Encode(reply) // a caller that went away is not our news
}

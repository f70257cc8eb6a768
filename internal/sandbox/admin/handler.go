package admin

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// maxBody bounds a request's body.
const maxBody = 1 << 20

// Handler serves the admin endpoint.
type Handler struct {
	Store  *state.Store
	Clock  clock.Clock
	Random io.Reader
	// Systems are the vendors by name.
	Systems map[string]gate.System
	// Realm is Keycloak's one realm.
	Realm string
	// Seed fills an empty state.
	Seed func(*state.Tx) error
}

// Routes returns the handler; paths are below the prefix /admin.
func (h *Handler) Routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /objects", h.handle(objects))
	mux.HandleFunc("GET /requests", h.handle(requests))
	mux.HandleFunc("DELETE /requests", h.handle(func(tx *state.Tx, _ *http.Request) (any, error) { return nil, tx.ForgetRequests() }))
	mux.HandleFunc("GET /faults", h.handle(faults))
	mux.HandleFunc("POST /faults", h.handle(addFault))
	mux.HandleFunc("DELETE /faults", h.handle(func(tx *state.Tx, _ *http.Request) (any, error) { return nil, tx.ForgetFaults() }))
	mux.HandleFunc("POST /reset", h.handle(h.reset))
	mux.HandleFunc("PUT /powerdns/{zone}/{name}/{type}", h.handle(h.putRecords))
	mux.HandleFunc("DELETE /powerdns/{zone}/{name}/{type}", h.handle(h.deleteRecords))
	mux.HandleFunc("POST /stripe/{collection}", h.handle(h.editStripe))
	mux.HandleFunc("PATCH /stripe/{collection}/{id}", h.handle(h.editStripe))
	mux.HandleFunc("DELETE /stripe/{collection}/{id}", h.handle(h.deleteStripe))
	mux.HandleFunc("POST /keycloak/organizations", h.handle(h.createOrganization))
	mux.HandleFunc("PATCH /keycloak/organizations/{id}", h.handle(h.editOrganization))
	mux.HandleFunc("DELETE /keycloak/organizations/{id}", h.handle(h.deleteOrganization))
	return mux
}

// problem is an error with a status of its own.
type problem struct {
	status int
	text   string
}

func (p *problem) Error() string { return p.text }

func badRequest(format string, args ...any) error {
	return &problem{status: http.StatusBadRequest, text: fmt.Sprintf(format, args...)}
}

// handle runs do in a transaction and sends its result as JSON.
func (h *Handler) handle(do func(*state.Tx, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		var result any
		err := h.Store.Update(r.Context(), func(tx *state.Tx) (err error) {
			result, err = do(tx, r)
			return err
		})
		if err != nil {
			sendError(w, err)
			return
		}
		if result == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		send(w, http.StatusOK, result)
	}
}

func send(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that went away is not our failure
}

func objects(tx *state.Tx, r *http.Request) (any, error) {
	all, err := tx.All()
	if err != nil {
		return nil, err
	}
	query := r.URL.Query()
	inventory := Inventory{Objects: []Object{}, Counts: map[string]int{}}
	for _, o := range all {
		wanted := (o.Live || query.Get("gone") == "true") && (!o.Fixture || query.Get("fixtures") == "true") &&
			(!query.Has("system") || query.Get("system") == o.System) && (!query.Has("kind") || query.Get("kind") == o.Kind)
		if wanted {
			inventory.Objects = append(inventory.Objects, fromObject(o))
			inventory.Counts[o.System+"/"+o.Kind]++
		}
	}
	return inventory, nil
}

func requests(tx *state.Tx, r *http.Request) (any, error) {
	after := int64(0)
	if text := r.URL.Query().Get("after"); text != "" {
		var err error
		if after, err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, badRequest("after is the id of a line, not %q", text)
		}
	}
	lines, err := tx.Requests(after)
	shown := make([]Request, len(lines))
	for i, line := range lines {
		shown[i] = fromRequest(line)
	}
	return shown, err
}

func faults(tx *state.Tx, _ *http.Request) (any, error) { return gate.Faults(tx) }

func addFault(tx *state.Tx, r *http.Request) (any, error) {
	var f gate.Fault
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		return nil, badRequest("a fault is a JSON object: %v", err)
	}
	if err := f.Check(); err != nil {
		return nil, badRequest("%v", err)
	}
	id, err := gate.AddFault(tx, f)
	return map[string]int64{"id": id}, err
}

func (h *Handler) reset(tx *state.Tx, _ *http.Request) (any, error) {
	if err := tx.Clear(); err != nil {
		return nil, err
	}
	return nil, h.Seed(tx)
}

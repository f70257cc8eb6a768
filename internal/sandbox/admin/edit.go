package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

func sendError(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	var p *problem
	if errors.As(err, &p) {
		status = p.status
	}
	send(w, status, map[string]string{"error": err.Error()})
}

// do has a vendor carry out a call behind the clients' back. What the vendor
// refuses is a problem with the vendor's status.
func (h *Handler) do(tx *state.Tx, system, method, path string, body []byte) (gate.Answer, error) {
	answer, err := h.Systems[system].Serve(tx, &gate.Call{
		Method: method, Path: path, Query: url.Values{}, Header: http.Header{}, Body: body, Now: h.Clock.Now(), Random: h.Random,
		OutOfBand: true,
	})
	if err == nil && answer.Status >= http.StatusBadRequest {
		err = &problem{status: answer.Status, text: fmt.Sprintf("%s says: %s", system, answer.Body)}
	}
	return answer, err
}

// result is what the vendor answered, nil for an empty body.
func result(answer gate.Answer, err error) (any, error) {
	if err != nil || len(answer.Body) == 0 {
		return nil, err
	}
	return json.RawMessage(answer.Body), nil
}

func readObject(r *http.Request) (map[string]any, error) {
	var fields map[string]any
	decoder := json.NewDecoder(r.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil {
		return nil, badRequest("the body is a JSON object: %v", err)
	}
	return fields, nil
}

func (h *Handler) putRecords(tx *state.Tx, r *http.Request) (any, error) {
	var set RecordSet
	if err := json.NewDecoder(r.Body).Decode(&set); err != nil {
		return nil, badRequest("the body is a record set: %v", err)
	}
	records := []map[string]any{}
	for _, content := range set.Contents {
		records = append(records, map[string]any{"content": content, "disabled": false})
	}
	return h.patchZone(tx, r, map[string]any{"changetype": "REPLACE", "ttl": set.TTL, "records": records})
}

func (h *Handler) deleteRecords(tx *state.Tx, r *http.Request) (any, error) {
	return h.patchZone(tx, r, map[string]any{"changetype": "DELETE"})
}

func (h *Handler) patchZone(tx *state.Tx, r *http.Request, change map[string]any) (any, error) {
	change["name"], change["type"] = absolute(r.PathValue("name")), r.PathValue("type")
	body, err := json.Marshal(map[string]any{"rrsets": []any{change}})
	if err != nil {
		return nil, fmt.Errorf("encode change: %w", err)
	}
	return result(h.do(tx, "powerdns", http.MethodPatch, "/api/v1/servers/localhost/zones/"+r.PathValue("zone"), body))
}

func absolute(name string) string {
	if name[len(name)-1] == '.' {
		return name
	}
	return name + "."
}

func (h *Handler) editStripe(tx *state.Tx, r *http.Request) (any, error) {
	fields, err := readObject(r)
	if err != nil {
		return nil, err
	}
	form := url.Values{}
	flatten(form, "", fields)
	path := "/v1/" + r.PathValue("collection")
	if id := r.PathValue("id"); id != "" {
		path += "/" + id
	}
	return result(h.do(tx, "stripe", http.MethodPost, path, []byte(form.Encode())))
}

// flatten writes a JSON tree the way Stripe's forms spell it.
func flatten(form url.Values, name string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, child := range v {
			flatten(form, below(name, key), child)
		}
	case []any:
		for i, child := range v {
			flatten(form, below(name, strconv.Itoa(i)), child)
		}
	case nil:
		form.Set(name, "")
	default:
		form.Set(name, fmt.Sprint(v))
	}
}

func below(name, key string) string {
	if name == "" {
		return key
	}
	return name + "[" + key + "]"
}

func (h *Handler) deleteStripe(tx *state.Tx, r *http.Request) (any, error) {
	path := "/v1/" + r.PathValue("collection") + "/" + r.PathValue("id")
	return result(h.do(tx, "stripe", http.MethodDelete, path, nil))
}

// realmPath is the collection of organizations of the one realm.
func (h *Handler) realmPath() string { return "/admin/realms/" + h.Realm + "/organizations" }

func (h *Handler) createOrganization(tx *state.Tx, r *http.Request) (any, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, badRequest("read body: %v", err)
	}
	answer, err := h.do(tx, "keycloak", http.MethodPost, h.realmPath(), body)
	if err != nil {
		return nil, err
	}
	return map[string]string{"location": answer.Header.Get("Location")}, nil
}

func (h *Handler) editOrganization(tx *state.Tx, r *http.Request) (any, error) {
	fields, err := readObject(r)
	if err != nil {
		return nil, err
	}
	path := h.realmPath() + "/" + r.PathValue("id")
	before, err := h.do(tx, "keycloak", http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	merged := map[string]any{}
	if err := json.Unmarshal(before.Body, &merged); err != nil {
		return nil, fmt.Errorf("decode organization: %w", err)
	}
	maps.Copy(merged, fields)
	body, err := json.Marshal(merged)
	if err != nil {
		return nil, fmt.Errorf("encode organization: %w", err)
	}
	return result(h.do(tx, "keycloak", http.MethodPut, path, body))
}

func (h *Handler) deleteOrganization(tx *state.Tx, r *http.Request) (any, error) {
	return result(h.do(tx, "keycloak", http.MethodDelete, h.realmPath()+"/"+r.PathValue("id"), nil))
}

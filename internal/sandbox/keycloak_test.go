package sandbox_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

type object = map[string]any

// organization creates one and returns its id.
func (w *world) organization(body object) string {
	w.t.Helper()
	answer := w.keycloak("POST", "/organizations", body).expect(w.t, 201)
	location := answer.header.Get("Location")
	prefix := w.KeycloakURL() + "/admin/realms/" + w.Credentials.KeycloakRealm + "/organizations/"
	id, found := strings.CutPrefix(location, prefix)
	if !found || answer.body != "" {
		w.t.Fatalf("a create answers Location %q and body %q, want %s… and none", location, answer.body, prefix)
	}
	return id
}

// says checks an error of the Organizations API.
func (r reply) says(t *testing.T, status int, body string) {
	t.Helper()
	if r.status != status || r.body != body {
		t.Errorf("got %d %s, want %d %s", r.status, r.body, status, body)
	}
}

func TestC37_ATokenLivesForAMinute(t *testing.T) {
	w := newWorld(t)
	w.keycloak("GET", "/organizations", nil).expect(t, 200)
	w.clock.Advance(time.Minute - time.Second)
	w.keycloak("GET", "/organizations", nil).expect(t, 200)
	w.clock.Advance(time.Second)
	w.keycloak("GET", "/organizations", nil).says(t, 401, `{"error":"HTTP 401 Unauthorized"}`)
	w.token = ""
	w.keycloak("GET", "/organizations", nil).expect(t, 200)
}

func TestATokenIsGivenToTheRightClientOnly(t *testing.T) {
	w := newWorld(t)
	c := w.Credentials
	right := []string{"grant_type", "client_credentials", "client_id", c.KeycloakClientID, "client_secret", c.KeycloakClientSecret}
	tests := []struct {
		realm, form string
		status      int
		want        string
	}{
		{c.KeycloakRealm, form(right...), 200, `"expires_in":60`},
		{c.KeycloakRealm, form(append(right[:4:4], "client_secret", "wrong")...), 401, `"error":"invalid_client"`},
		{c.KeycloakRealm, form(right[2:]...), 400, "Missing form parameter: grant_type"},
		{c.KeycloakRealm, form(append(right[2:6:6], "grant_type", "password")...), 400, `"error":"unsupported_grant_type"`},
		{"nowhere", form(right...), 404, "Realm does not exist"},
	}
	for _, test := range tests {
		answer := w.do("POST", w.KeycloakURL()+"/realms/"+test.realm+"/protocol/openid-connect/token", nil, test.form)
		if answer.status != test.status || !strings.Contains(answer.body, test.want) {
			t.Errorf("%s %s: got %d %s, want %d with %s", test.realm, test.form, answer.status, answer.body, test.status, test.want)
		}
	}
}

func TestAnOrganizationIsReadAsItWasWritten(t *testing.T) {
	w := newWorld(t)
	id := w.organization(object{
		"name": "acme", "description": "Acme Ltd", "attributes": object{"tenant-id": []string{"acme"}, "two": []string{"a", "b"}},
		"domains": []object{{"name": "Acme.Example"}, {"name": "a.example", "verified": true}},
	})
	w.keycloak("GET", "/organizations/"+id, nil).says(t, 200, `{"id":"`+id+`","name":"acme","alias":"acme","enabled":true,"description":"Acme Ltd",`+
		`"attributes":{"tenant-id":["acme"],"two":["a","b"]},"domains":[{"name":"a.example","verified":true},{"name":"acme.example","verified":false}]}`)
	w.keycloak("GET", "/organizations/none", nil).says(t, 404, `{"errorMessage":"Organization not found."}`)
	w.keycloak("PATCH", "/organizations/"+id, nil).says(t, 405, `{"error":"HTTP 405 Method Not Allowed"}`)
}

func TestC35_WhatIsTakenIsRefusedByName(t *testing.T) {
	w := newWorld(t)
	w.organization(object{"name": "acme", "alias": "a", "domains": []object{{"name": "northstar.example"}}})
	taken := func(domain string) string {
		return `{"errorMessage":"Domain ` + domain + ` is already linked to organization acme in realm ` + w.Credentials.KeycloakRealm + `"}`
	}
	tests := []struct {
		body   any
		status int
		want   string
	}{
		{object{"name": "acme"}, 409, `{"errorMessage":"A organization with the same name already exists."}`},
		{object{"name": "b", "alias": "a"}, 409, `{"errorMessage":"A organization with the same alias already exists"}`},
		{object{"name": "b", "domains": []object{{"name": "NorthStar.Example"}}}, 400, taken("northstar.example")},
		{object{"name": "b", "domains": []object{{"name": "no domain"}}}, 400, `{"errorMessage":"The specified domain is invalid: no domain"}`},
		{object{}, 400, `{"errorMessage":"Name can not be null"}`},
		{object{"name": "with space"}, 400, `{"errorMessage":"Name cannot be used as alias: Empty Space not allowed."}`},
		{object{"name": "with space", "alias": "a/b"}, 400, `{"errorMessage":"Character '/' not allowed."}`},
		{"", 400, `{"errorMessage":"Organization cannot be null."}`},
		{"{", 400, `{"error":"invalid_request","error_description":"Cannot parse the JSON"}`},
	}
	for _, test := range tests {
		w.keycloak("POST", "/organizations", test.body).says(t, test.status, test.want)
	}
	if n := w.count("keycloak/organization"); n != 1 {
		t.Errorf("there are %d organizations, want 1", n)
	}
	w.organization(object{"name": "with space", "alias": "spaced"})
}

func TestC34_AnUpdateReplacesAllButAliasAndAttributes(t *testing.T) {
	w := newWorld(t)
	id := w.organization(object{
		"name": "Acme", "alias": "acme", "enabled": false, "description": "d", "attributes": object{"k": []string{"v"}},
		"domains": []object{{"name": "acme.example"}},
	})
	path := "/organizations/" + id
	w.keycloak("PUT", path, object{"name": "Acme", "alias": "other"}).says(t, 400, `{"errorMessage":"Cannot change the alias"}`)
	w.keycloak("PUT", path, object{"name": "Acme"}).says(t, 400, `{"errorMessage":"Cannot change the alias"}`)
	w.keycloak("PUT", path, object{"name": "Acme Corp", "alias": "acme"}).says(t, 204, "")
	w.keycloak("GET", path, nil).says(t, 200, `{"id":"`+id+`","name":"Acme Corp","alias":"acme","enabled":true,"attributes":{"k":["v"]}}`)
	w.keycloak("PUT", path, object{"name": "Acme Corp", "alias": "acme", "attributes": object{}}).says(t, 204, "")
	w.keycloak("GET", path, nil).says(t, 200, `{"id":"`+id+`","name":"Acme Corp","alias":"acme","enabled":true,"attributes":{}}`)

	w.organization(object{"name": "other", "domains": []object{{"name": "acme.example"}}}) // the domain is free again
	w.keycloak("PUT", path, object{"name": "other", "alias": "acme"}).says(t, 409, `{"errorMessage":"A organization with the same name already exists."}`)
	w.keycloak("DELETE", path, nil).says(t, 204, "")
	w.keycloak("DELETE", path, nil).says(t, 404, `{"errorMessage":"Organization not found."}`)
}

func TestOrganizationsAreSearchedAndPaged(t *testing.T) {
	w := newWorld(t)
	for i := range 12 {
		w.organization(object{
			"name": fmt.Sprintf("Org%02d", i), "alias": fmt.Sprintf("alias%02d", i), "domains": []object{{"name": fmt.Sprintf("d%02d.example", i)}},
			"attributes": object{"tenant-id": []string{fmt.Sprint("t", i)}, "installation": []string{"my inst"}},
		})
	}
	tests := []struct{ query, want string }{
		{"", "Org00 Org01 Org02 Org03 Org04 Org05 Org06 Org07 Org08 Org09"},
		{"max=-1&first=10", "Org10 Org11"},
		{"first=11&max=5", "Org11"},
		{"max=2", "Org00 Org01"},
		{"search=org1", "Org10 Org11"},
		{"search=D03.exa", "Org03"},
		{"search=alias", ""},
		{"search=org01&exact=true", ""},
		{"search=Org01&exact=true", "Org01"},
		{"search=d01.example&exact=true", "Org01"},
		{"q=" + url.QueryEscape("tenant-id:t4"), "Org04"},
		{"q=" + url.QueryEscape(`tenant-id:t4 installation:"my inst"`), "Org04"},
		{"q=" + url.QueryEscape(`tenant-id:t4 installation:other`), ""},
		{"q=alias:alias07", "Org07"},
		{"q=nothing:here", ""},
	}
	for _, test := range tests {
		var names []string
		answer := w.keycloak("GET", "/organizations?"+test.query, nil).expect(t, 200)
		for _, o := range at(reply{body: `{"list":` + answer.body + `}`}.json(t), "list").([]any) {
			names = append(names, at(o, "name").(string))
			if at(o, "attributes") != nil {
				t.Errorf("a brief list shows attributes: %v", o)
			}
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("?%s finds %q, want %q", test.query, got, test.want)
		}
	}
	full := w.keycloak("GET", "/organizations?briefRepresentation=false&max=1", nil).expect(t, 200).body
	if !strings.Contains(full, `"attributes":{"installation":["my inst"],"tenant-id":["t0"]}`) {
		t.Errorf("a full list shows no attributes: %s", full)
	}
	w.keycloak("GET", "/organizations/count?search=org1", nil).says(t, 200, "2")
}

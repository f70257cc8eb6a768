package keycloak

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// organization is an OrganizationRepresentation.
type organization struct {
	ID          string               `json:"id,omitempty"`
	Name        string               `json:"name"`
	Alias       string               `json:"alias"`
	Enabled     *bool                `json:"enabled"`
	Description *string              `json:"description,omitempty"`
	RedirectURL string               `json:"redirectUrl,omitempty"`
	Attributes  *map[string][]string `json:"attributes,omitempty"`
	Domains     []domain             `json:"domains,omitempty"`
}

type domain struct {
	Name     string `json:"name"`
	Verified bool   `json:"verified"`
}

// request is what a client may send: it knows fields that are of no use here.
type request struct {
	organization
	Members           json.RawMessage `json:"members"`
	IdentityProviders json.RawMessage `json:"identityProviders"`
	Groups            json.RawMessage `json:"groups"`
}

// parse reads a body; null and nothing give nil.
func parse(body []byte) (*organization, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	var r *request
	if err := decoder.Decode(&r); err != nil {
		if field, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
			return nil, protest(http.StatusBadRequest, "Unrecognized field "+field+
				" (class org.keycloak.representations.idm.OrganizationRepresentation), not marked as ignorable")
		}
		return nil, explain(http.StatusBadRequest, "invalid_request", "Cannot parse the JSON")
	}
	if r == nil {
		return nil, nil
	}
	return &r.organization, nil
}

// object makes what is stored of an organization.
func (o organization) object() (state.Object, error) {
	body, err := json.Marshal(o)
	if err != nil {
		return state.Object{}, fmt.Errorf("encode organization: %w", err)
	}
	index := map[string][]string{"name": {o.Name}, "alias": {o.Alias}}
	for _, d := range o.Domains {
		index["domain"] = append(index["domain"], d.Name)
	}
	pairs := map[string]string{}
	for key, values := range *o.Attributes {
		for _, value := range values {
			index["attribute"] = append(index["attribute"], attribute(key, value))
			pairs[key] = value
		}
	}
	return state.Object{
		System: Name, Kind: kindOrganization, ID: o.ID, Name: o.Name, Live: true, Body: body, Index: index,
		Marker: tenant.MarkerFromPairs(pairs),
	}, nil
}

// attribute is the index value of one attribute.
func attribute(key, value string) string { return fmt.Sprintf("%q=%q", key, value) }

func fromObject(o state.Object) (organization, error) {
	var org organization
	if err := json.Unmarshal(o.Body, &org); err != nil {
		return organization{}, fmt.Errorf("decode organization %s: %w", o.ID, err)
	}
	return org, nil
}

// brief is how a list shows an organization.
func (o organization) brief() organization {
	o.Attributes = nil
	return o
}

// merge puts a request's content into o, as Organizations.toModel does: what
// is absent is cleared, attributes excepted.
func (o *organization) merge(r organization) error {
	alias := r.Alias
	if strings.TrimSpace(alias) == "" {
		alias = r.Name
	}
	if o.Alias != "" && alias != o.Alias {
		return refuse(http.StatusBadRequest, "Cannot change the alias")
	}
	domains, err := normalise(r.Domains)
	if err != nil {
		return err
	}
	enabled := r.Enabled == nil || *r.Enabled
	o.Name, o.Alias, o.Enabled, o.Domains = r.Name, alias, &enabled, domains
	o.Description, o.RedirectURL = r.Description, r.RedirectURL
	if r.Attributes != nil {
		o.Attributes = r.Attributes
	}
	if o.Attributes == nil {
		o.Attributes = &map[string][]string{}
	}
	return nil
}

// normalise folds domains to lower case, drops repeated ones and sorts: the
// real order is that of a hash set, so clients must not rely on any.
func normalise(domains []domain) ([]domain, error) {
	kept := make([]domain, 0, len(domains))
	for _, d := range domains {
		d.Name = strings.ToLower(strings.TrimSpace(d.Name))
		if !validDomain(d.Name) {
			return nil, refuse(http.StatusBadRequest, "The specified domain is invalid: "+d.Name)
		}
		if !slices.ContainsFunc(kept, func(k domain) bool { return k.Name == d.Name }) {
			kept = append(kept, d)
		}
	}
	slices.SortFunc(kept, func(a, b domain) int { return strings.Compare(a.Name, b.Name) })
	return kept, nil
}

// validDomain follows EmailValidationUtil's rule for the part after the @.
func validDomain(name string) bool {
	if name == "" || len(name) > 255 {
		return false
	}
	for _, label := range strings.Split(name, ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
		if strings.ContainsFunc(label, func(r rune) bool { return r <= ' ' || strings.ContainsRune("@/:;,<>()[]\\\"", r) }) {
			return false
		}
	}
	return true
}

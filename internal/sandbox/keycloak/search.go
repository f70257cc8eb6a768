package keycloak

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// matching returns the organizations that search, exact and q ask for, sorted
// by name. q wins over search.
func (o organizations) matching() ([]organization, error) {
	query := o.call.Query
	objects, err := o.candidates(query.Get("q"), query.Get("search"), query.Get("exact") == "true")
	if err != nil {
		return nil, err
	}
	found := []organization{}
	for _, object := range objects {
		if object.HiddenAt(o.call.Now) {
			continue
		}
		org, err := fromObject(object)
		if err != nil {
			return nil, err
		}
		found = append(found, org)
	}
	slices.SortFunc(found, func(a, b organization) int { return strings.Compare(a.Name, b.Name) })
	return found, nil
}

func (o organizations) candidates(q, search string, exact bool) ([]state.Object, error) {
	switch {
	case strings.TrimSpace(q) != "":
		return o.byAttributes(fields(q))
	case strings.TrimSpace(search) == "":
		return o.tx.List(Name, kindOrganization)
	case exact:
		return o.byNameOrDomain(search)
	default:
		return o.bySubstring(strings.ToLower(search))
	}
}

func (o organizations) byNameOrDomain(search string) ([]state.Object, error) {
	named, err := o.tx.Find(Name, kindOrganization, "name", search)
	if err != nil {
		return nil, err
	}
	owning, err := o.tx.Find(Name, kindOrganization, "domain", search)
	if err != nil {
		return nil, err
	}
	for _, owner := range owning {
		if !slices.ContainsFunc(named, func(n state.Object) bool { return n.ID == owner.ID }) {
			named = append(named, owner)
		}
	}
	return named, nil
}

// bySubstring looks into names and domains, not into aliases.
func (o organizations) bySubstring(part string) ([]state.Object, error) {
	all, err := o.tx.List(Name, kindOrganization)
	if err != nil {
		return nil, err
	}
	var found []state.Object
	for _, object := range all {
		org, err := fromObject(object)
		if err != nil {
			return nil, err
		}
		inDomain := slices.ContainsFunc(org.Domains, func(d domain) bool { return strings.Contains(d.Name, part) })
		if inDomain || strings.Contains(strings.ToLower(org.Name), part) {
			found = append(found, object)
		}
	}
	return found, nil
}

// byAttributes returns the organizations that have all wanted attributes; the
// key "alias" means the alias.
func (o organizations) byAttributes(wanted map[string]string) ([]state.Object, error) {
	if len(wanted) == 0 {
		return o.tx.List(Name, kindOrganization)
	}
	var terms []state.Term
	for key, value := range wanted {
		term := state.Term{Field: "attribute", Value: attribute(key, value)}
		if key == "alias" {
			term = state.Term{Field: "alias", Value: value}
		}
		terms = append(terms, term)
	}
	return o.tx.FindAll(Name, kindOrganization, terms)
}

// pair is one key:value of q; either side may be in double quotes.
var pair = regexp.MustCompile(`(?:"((?:[^"\\]|\\.)*)"|([^\s:"]+)):(?:"((?:[^"\\]|\\.)*)"|(\S+))`)

// fields reads q, `key:value "other key":"other value"`; what is no pair is
// ignored, as SearchQueryUtils does.
func fields(q string) map[string]string {
	wanted := map[string]string{}
	for _, m := range pair.FindAllStringSubmatch(q, -1) {
		wanted[unquote(m[1])+m[2]] = unquote(m[3]) + m[4]
	}
	return wanted
}

func unquote(s string) string { return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s) }

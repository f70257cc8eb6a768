package keycloak

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/gate"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

// organizations serves one call to /admin/realms/{realm}/organizations.
type organizations struct {
	tx    *state.Tx
	call  *gate.Call
	realm string
}

func notAllowed() error {
	return protest(http.StatusMethodNotAllowed, "HTTP 405 Method Not Allowed")
}

func notFound() error { return refuse(http.StatusNotFound, "Organization not found.") }

func (o organizations) collection() (gate.Answer, error) {
	switch o.call.Method {
	case http.MethodGet:
		return o.search()
	case http.MethodPost:
		return o.create()
	default:
		return gate.Answer{}, notAllowed()
	}
}

func (o organizations) one(id string) (gate.Answer, error) {
	object, found, err := o.tx.Get(Name, kindOrganization, id)
	if err != nil {
		return gate.Answer{}, err
	}
	if !found || o.call.Method == http.MethodGet && object.HiddenAt(o.call.Now) {
		return gate.Answer{}, notFound()
	}
	org, err := fromObject(object)
	if err != nil {
		return gate.Answer{}, err
	}
	switch o.call.Method {
	case http.MethodGet:
		return gate.JSON(http.StatusOK, org), nil
	case http.MethodPut:
		return o.update(org)
	case http.MethodDelete:
		return gate.Empty(http.StatusNoContent), o.tx.Delete(Name, kindOrganization, id)
	default:
		return gate.Answer{}, notAllowed()
	}
}

// below answers for what an organization holds: this sandbox has no users.
func (o organizations) below(id, what string) (gate.Answer, error) {
	if _, found, err := o.tx.Get(Name, kindOrganization, id); err != nil || !found {
		return gate.Answer{}, firstOf(err, notFound())
	}
	switch {
	case o.call.Method != http.MethodGet:
		return gate.Answer{}, notAllowed()
	case what == "members" || what == "identity-providers" || what == "invitations":
		return gate.JSON(http.StatusOK, []any{}), nil
	case what == "members/count":
		return gate.JSON(http.StatusOK, 0), nil
	default:
		return gate.Answer{}, protest(http.StatusNotFound, "Unable to find matching target resource method")
	}
}

func firstOf(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

func (o organizations) create() (gate.Answer, error) {
	wanted, err := parse(o.call.Body)
	switch {
	case err != nil:
		return gate.Answer{}, err
	case wanted == nil:
		return gate.Answer{}, refuse(http.StatusBadRequest, "Organization cannot be null.")
	}
	if err := o.checkNames(*wanted); err != nil {
		return gate.Answer{}, err
	}
	id, err := o.call.NewUUID()
	if err != nil {
		return gate.Answer{}, err
	}
	org := organization{ID: id}
	if err := o.save(&org, *wanted); err != nil {
		return gate.Answer{}, err
	}
	answer := gate.Empty(http.StatusCreated)
	answer.Header.Set("Location", o.call.Base+"/admin/realms/"+o.realm+"/organizations/"+id)
	return answer, nil
}

// reserved are the characters ReservedCharValidator refuses.
const reserved = "<>&\"'=:/?#[]@!$()*+,;%\\^`{}|~"

// checkNames refuses names a new organization cannot have.
func (o organizations) checkNames(wanted organization) error {
	if strings.TrimSpace(wanted.Name) == "" {
		return refuse(http.StatusBadRequest, "Name can not be null")
	}
	alias, prefix := wanted.Alias, ""
	if strings.TrimSpace(alias) == "" {
		alias, prefix = wanted.Name, "Name cannot be used as alias: "
	}
	if strings.ContainsAny(alias, " \t\n") {
		return refuse(http.StatusBadRequest, prefix+"Empty Space not allowed.")
	}
	if i := strings.IndexAny(alias, reserved); i >= 0 {
		return refuse(http.StatusBadRequest, prefix+"Character '"+alias[i:i+1]+"' not allowed.")
	}
	if err := o.free("name", wanted.Name, "A organization with the same name already exists."); err != nil {
		return err
	}
	return o.free("alias", alias, "A organization with the same alias already exists")
}

func (o organizations) free(field, value, message string) error {
	found, err := o.tx.Find(Name, kindOrganization, field, value)
	if err != nil || len(found) == 0 {
		return err
	}
	return refuse(http.StatusConflict, message)
}

func (o organizations) update(org organization) (gate.Answer, error) {
	wanted, err := parse(o.call.Body)
	switch {
	case err != nil:
		return gate.Answer{}, err
	case wanted == nil:
		return gate.Answer{}, explain(http.StatusInternalServerError, "unknown_error", "For more on this error consult the server log.")
	case strings.TrimSpace(wanted.Name) == "":
		return gate.Answer{}, refuse(http.StatusBadRequest, "Name can not be null")
	}
	if wanted.Name != org.Name {
		if err := o.free("name", wanted.Name, "A organization with the same name already exists."); err != nil {
			return gate.Answer{}, err
		}
	}
	if err := o.save(&org, *wanted); err != nil {
		return gate.Answer{}, err
	}
	return gate.Empty(http.StatusNoContent), nil
}

func (o organizations) save(org *organization, wanted organization) error {
	if err := org.merge(wanted); err != nil {
		return err
	}
	for _, d := range org.Domains {
		owners, err := o.tx.Find(Name, kindOrganization, "domain", d.Name)
		if err != nil {
			return err
		}
		for _, owner := range owners {
			if owner.ID != org.ID {
				return refuse(http.StatusBadRequest,
					"Domain "+d.Name+" is already linked to organization "+owner.Name+" in realm "+o.realm)
			}
		}
	}
	object, err := org.object()
	if err != nil {
		return err
	}
	return o.tx.Put(object)
}

func (o organizations) count() (gate.Answer, error) {
	if o.call.Method != http.MethodGet {
		return gate.Answer{}, notAllowed()
	}
	found, err := o.matching()
	return gate.JSON(http.StatusOK, len(found)), err
}

func (o organizations) search() (gate.Answer, error) {
	found, err := o.matching()
	if err != nil {
		return gate.Answer{}, err
	}
	first, err := o.number("first", 0)
	if err != nil {
		return gate.Answer{}, err
	}
	limit, err := o.number("max", 10)
	if err != nil {
		return gate.Answer{}, err
	}
	found = found[min(max(first, 0), len(found)):]
	if limit >= 0 && limit < len(found) {
		found = found[:limit]
	}
	brief := o.call.Query.Get("briefRepresentation") != "false"
	for i := range found {
		if brief {
			found[i] = found[i].brief()
		}
	}
	return gate.JSON(http.StatusOK, found), nil
}

// number reads a paging parameter; what is no number does not match the
// resource, which the web layer answers with 404.
func (o organizations) number(name string, otherwise int) (int, error) {
	text := o.call.Query.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, protest(http.StatusNotFound, "HTTP 404 Not Found")
	}
	return n, nil
}

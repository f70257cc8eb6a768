package stripe

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// params is a form or query as Stripe reads it: "items[0][price]=x" is a tree.
type params struct {
	// path is the parameter's name as error messages spell it.
	path     string
	value    string
	children map[string]*params
}

// parseParams reads an encoded form.
func parseParams(encoded string) (*params, *failure) {
	form, err := url.ParseQuery(encoded)
	if err != nil {
		return nil, badParam("", "", "Invalid request: the parameters are not URL-encoded.")
	}
	root := &params{}
	for _, name := range slices.Sorted(maps.Keys(form)) {
		for _, value := range form[name] {
			root.insert(strings.Split(strings.ReplaceAll(name, "]", ""), "["), value)
		}
	}
	return root, nil
}

func (p *params) insert(keys []string, value string) {
	if len(keys) == 0 {
		p.value = value
		return
	}
	key := keys[0]
	if key == "" { // "a[]" appends
		key = strconv.Itoa(len(p.children))
	}
	if p.children == nil {
		p.children = map[string]*params{}
	}
	child := p.children[key]
	if child == nil {
		child = &params{path: key}
		if p.path != "" {
			child.path = p.path + "[" + key + "]"
		}
		p.children[key] = child
	}
	child.insert(keys[1:], value)
}

// only refuses parameters that are not in the list.
func (p *params) only(known ...string) *failure {
	for _, name := range slices.Sorted(maps.Keys(p.children)) {
		if !slices.Contains(known, name) {
			path := p.children[name].path
			return badParam("parameter_unknown", path, "Received unknown parameter: "+path)
		}
	}
	return nil
}

// has tells whether a parameter was sent at all.
func (p *params) has(name string) bool { return p.children[name] != nil }

// text returns a parameter; "" when it was not sent.
func (p *params) text(name string) string {
	if child := p.children[name]; child != nil {
		return child.value
	}
	return ""
}

// optional returns a parameter's new value; an empty one unsets it, and one
// that was not sent leaves old.
func (p *params) optional(name string, old *string) *string {
	switch value := p.text(name); {
	case !p.has(name):
		return old
	case value == "":
		return nil
	default:
		return &value
	}
}

// list returns the elements of a list in order.
func (p *params) list(name string) []*params {
	child := p.children[name]
	if child == nil {
		return nil
	}
	keys := slices.SortedFunc(maps.Keys(child.children), func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return x - y
	})
	elements := make([]*params, len(keys))
	for i, key := range keys {
		elements[i] = child.children[key]
	}
	return elements
}

// integer returns a whole number of at least least.
func (p *params) integer(name string, otherwise, least int64) (int64, *failure) {
	if !p.has(name) {
		return otherwise, nil
	}
	child := p.children[name]
	n, err := strconv.ParseInt(child.value, 10, 64)
	if err != nil {
		return 0, badParam("parameter_invalid_integer", child.path, "Invalid integer: "+child.value)
	}
	if n < least {
		return 0, badParam("parameter_invalid_integer", child.path,
			"This value must be greater than or equal to "+strconv.FormatInt(least, 10)+".")
	}
	return n, nil
}

// boolean returns true or false.
func (p *params) boolean(name string, otherwise bool) (bool, *failure) {
	if !p.has(name) {
		return otherwise, nil
	}
	child := p.children[name]
	if child.value != "true" && child.value != "false" {
		return false, badParam("", child.path, "Invalid boolean: "+child.value)
	}
	return child.value == "true", nil
}

// choice returns one of the allowed words.
func (p *params) choice(name, otherwise string, allowed ...string) (string, *failure) {
	if !p.has(name) {
		return otherwise, nil
	}
	value := p.text(name)
	if !slices.Contains(allowed, value) {
		return "", badParam("", name, "Invalid "+name+": must be one of "+strings.Join(allowed, ", "))
	}
	return value, nil
}

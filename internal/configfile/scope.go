package configfile

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// scope is what an expression may speak of.
type scope struct {
	folder    string
	workspace string
	variables variables
	locals    map[string]hclsyntax.Expression
	// known are the locals evaluated so far; open are those under way.
	known     map[string]cty.Value
	open      map[string]bool
	functions map[string]function.Function
}

func newScope(bodies []*hclsyntax.Body, o Options) (*scope, error) {
	s := &scope{
		folder: o.Folder, workspace: selectedWorkspace(o), locals: map[string]hclsyntax.Expression{},
		known: map[string]cty.Value{}, open: map[string]bool{}, functions: functions(o.Folder),
	}
	for _, block := range blocks(bodies, "locals") {
		for name, attribute := range block.Body.Attributes {
			s.locals[name] = attribute.Expr
		}
	}
	variables, err := readVariables(bodies, o)
	s.variables = variables
	return s, err
}

// evaluate computes an expression, and what it speaks of before.
func (s *scope) evaluate(expression hclsyntax.Expression) (cty.Value, error) {
	names := map[string]map[string]cty.Value{"var": {}, "local": {}}
	for _, traversal := range expression.Variables() {
		if err := s.resolve(traversal, names); err != nil {
			return cty.NilVal, err
		}
	}
	absolute, err := filepath.Abs(s.folder)
	if err != nil {
		return cty.NilVal, fmt.Errorf("find the configuration's folder: %w", err)
	}
	place := cty.ObjectVal(map[string]cty.Value{
		"module": cty.StringVal(s.folder), "root": cty.StringVal(s.folder), "cwd": cty.StringVal(absolute),
	})
	value, diags := expression.Value(&hcl.EvalContext{
		Functions: s.functions,
		Variables: map[string]cty.Value{
			"var": cty.ObjectVal(names["var"]), "local": cty.ObjectVal(names["local"]), "path": place,
			"terraform": cty.ObjectVal(map[string]cty.Value{"workspace": cty.StringVal(s.workspace)}),
		},
	})
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	return value, nil
}

// resolve adds what a traversal names to the names.
func (s *scope) resolve(traversal hcl.Traversal, names map[string]map[string]cty.Value) error {
	root := traversal.RootName()
	switch root {
	case "path", "terraform":
		return nil
	case "var", "local":
	default:
		return fmt.Errorf("%s: %s is known to Terraform alone; give the value by a variable, or write it out", traversal.SourceRange(), written(traversal))
	}
	if len(traversal) < 2 {
		return fmt.Errorf("%s: %s alone is no value", traversal.SourceRange(), root)
	}
	attribute, isName := traversal[1].(hcl.TraverseAttr)
	if !isName {
		return fmt.Errorf("%s: %s needs a name", traversal.SourceRange(), root)
	}
	value, err := s.named(root, attribute.Name)
	if err != nil {
		return fmt.Errorf("%s: %w", traversal.SourceRange(), err)
	}
	names[root][attribute.Name] = value
	return nil
}

func (s *scope) named(root, name string) (cty.Value, error) {
	if root == "var" {
		return s.variables.value(name)
	}
	if value, done := s.known[name]; done {
		return value, nil
	}
	expression, exists := s.locals[name]
	switch {
	case !exists:
		return cty.NilVal, fmt.Errorf("local.%s is not there", name)
	case s.open[name]:
		return cty.NilVal, fmt.Errorf("local.%s needs itself", name)
	}
	s.open[name] = true
	value, err := s.evaluate(expression)
	s.open[name] = false
	if err != nil {
		return cty.NilVal, fmt.Errorf("local.%s: %w", name, err)
	}
	s.known[name] = value
	return value, nil
}

// written is a traversal as in the configuration.
func written(traversal hcl.Traversal) string {
	parts := []string{traversal.RootName()}
	for _, step := range traversal[1:] {
		if attribute, isName := step.(hcl.TraverseAttr); isName {
			parts = append(parts, attribute.Name)
		}
	}
	return strings.Join(parts, ".")
}

package configfile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	hcljson "github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// variable is a declared variable with what it is worth.
type variable struct {
	kind  cty.Type
	value cty.Value // NilVal when nothing gives it one
}

type variables map[string]variable

// value returns a variable's value.
func (v variables) value(name string) (cty.Value, error) {
	found, declared := v[name]
	switch {
	case !declared:
		return cty.NilVal, fmt.Errorf("var.%s is not declared", name)
	case found.value == cty.NilVal:
		return cty.NilVal, fmt.Errorf("var.%s has no value; give it with --var %s=… or TF_VAR_%s", name, name, name)
	}
	return found.value, nil
}

// readVariables reads declarations and values. As in Terraform, what comes
// later wins: the default, the environment, terraform.tfvars, *.auto.tfvars in
// order of their names, what is given by hand
// (developer.hashicorp.com/terraform/language/values/variables).
func readVariables(bodies []*hclsyntax.Body, o Options) (variables, error) {
	out := variables{}
	for _, block := range blocks(bodies, "variable") {
		if len(block.Labels) != 1 {
			continue
		}
		declared, err := declare(block)
		if err != nil {
			return nil, err
		}
		out[block.Labels[0]] = declared
	}
	for name := range out {
		if text := o.Environment("TF_VAR_" + name); text != "" {
			if err := out.set(name, text, "TF_VAR_"+name); err != nil {
				return nil, err
			}
		}
	}
	if err := out.setFromFiles(o.Folder); err != nil {
		return nil, err
	}
	for name, text := range o.Variables {
		if err := out.set(name, text, "--var "+name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func declare(block *hclsyntax.Block) (variable, error) {
	v := variable{kind: cty.DynamicPseudoType}
	if attribute := block.Body.Attributes["type"]; attribute != nil {
		kind, _, diags := typeexpr.TypeConstraintWithDefaults(attribute.Expr)
		if diags.HasErrors() {
			return v, diags
		}
		v.kind = kind
	}
	attribute := block.Body.Attributes["default"]
	if attribute == nil {
		return v, nil
	}
	value, diags := attribute.Expr.Value(nil)
	if diags.HasErrors() {
		return v, diags
	}
	err := v.take(value, "the default of var."+block.Labels[0])
	return v, err
}

// take converts a value to the variable's type.
func (v *variable) take(value cty.Value, whence string) error {
	converted, err := convert.Convert(value, v.kind)
	if err != nil {
		return fmt.Errorf("%s: %w", whence, err)
	}
	v.value = converted
	return nil
}

// set gives a variable a value as text: a string as it is, anything else as an
// expression.
func (v variables) set(name, text, whence string) error {
	declared, exists := v[name]
	if !exists {
		return fmt.Errorf("%s: var.%s is not declared", whence, name)
	}
	value := cty.StringVal(text)
	if !declared.kind.IsPrimitiveType() && declared.kind != cty.DynamicPseudoType {
		expression, diags := hclsyntax.ParseExpression([]byte(text), whence, hcl.InitialPos)
		if diags.HasErrors() {
			return fmt.Errorf("%s: it is no expression", whence) // the text may be a secret
		}
		if value, diags = expression.Value(nil); diags.HasErrors() {
			return fmt.Errorf("%s: it is no plain value", whence)
		}
	}
	if err := declared.take(value, whence); err != nil {
		return err
	}
	v[name] = declared
	return nil
}

// setFromFiles reads the files that Terraform reads by itself.
func (v variables) setFromFiles(folder string) error {
	files := []string{filepath.Join(folder, "terraform.tfvars"), filepath.Join(folder, "terraform.tfvars.json")}
	for _, pattern := range []string{"*.auto.tfvars", "*.auto.tfvars.json"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return fmt.Errorf("list %s: %w", folder, err)
		}
		files = append(files, found...)
	}
	slices.SortStableFunc(files[2:], func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
	for _, file := range files {
		if err := v.setFromFile(file); err != nil {
			return err
		}
	}
	return nil
}

func (v variables) setFromFile(file string) error {
	content, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read variables: %w", err)
	}
	parse := hclsyntax.ParseConfig
	if strings.HasSuffix(file, ".json") {
		parse = func(source []byte, name string, _ hcl.Pos) (*hcl.File, hcl.Diagnostics) {
			return hcljson.Parse(source, name)
		}
	}
	parsed, diags := parse(content, file, hcl.InitialPos)
	if diags.HasErrors() {
		return fmt.Errorf("read variables: %w", diags)
	}
	attributes, diags := parsed.Body.JustAttributes()
	if diags.HasErrors() {
		return fmt.Errorf("read variables: %w", diags)
	}
	for name, attribute := range attributes {
		declared, exists := v[name]
		if !exists {
			continue // Terraform only warns: one file often serves several configurations
		}
		value, diags := attribute.Expr.Value(nil)
		if diags.HasErrors() {
			return fmt.Errorf("read variables: %w", diags)
		}
		if err := declared.take(value, file+": "+name); err != nil {
			return err
		}
		v[name] = declared
	}
	return nil
}

// selectedWorkspace finds the workspace as Terraform does.
func selectedWorkspace(o Options) string {
	if name := o.Environment("TF_WORKSPACE"); name != "" {
		return name
	}
	data := o.Environment("TF_DATA_DIR")
	if data == "" {
		data = filepath.Join(o.Folder, ".terraform")
	}
	name, err := os.ReadFile(filepath.Join(data, "environment"))
	if err != nil || strings.TrimSpace(string(name)) == "" {
		return "default"
	}
	return strings.TrimSpace(string(name))
}

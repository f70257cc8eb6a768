package configfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// ErrNoBlock means that a folder has no provider block of the kind asked for.
var ErrNoBlock = errors.New("no provider block")

// Options say what to read.
type Options struct {
	// Folder holds the *.tf files.
	Folder string
	// Source is the provider's address, "tenantplane/tenant"; its local name is
	// looked up in required_providers and is the address's last part otherwise.
	Source string
	// Alias chooses among several blocks; "" is the one without an alias.
	Alias string
	// Variables are values given by hand, which win over all others.
	Variables map[string]string
	// Environment looks a variable of the environment up.
	Environment func(name string) string
}

// Read returns the attributes of the provider block as a JSON object. Errors
// name file, line and attribute; without a block it is ErrNoBlock.
func Read(o Options) ([]byte, error) {
	bodies, err := parse(o.Folder)
	if err != nil {
		return nil, err
	}
	block := find(bodies, localName(bodies, o.Source), o.Alias)
	if block == nil {
		return nil, fmt.Errorf("%s: %w %q", o.Folder, ErrNoBlock, o.Source)
	}
	scope, err := newScope(bodies, o)
	if err != nil {
		return nil, err
	}
	return scope.encode(block)
}

// parse reads every *.tf file of a folder, in order of their names.
func parse(folder string) ([]*hclsyntax.Body, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.tf"))
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	slices.Sort(files)
	var bodies []*hclsyntax.Body
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read configuration: %w", err)
		}
		parsed, diags := hclsyntax.ParseConfig(content, file, hcl.InitialPos)
		if diags.HasErrors() {
			return nil, fmt.Errorf("read configuration: %w", diags)
		}
		bodies = append(bodies, parsed.Body.(*hclsyntax.Body))
	}
	return bodies, nil
}

// blocks lists the blocks of a type.
func blocks(bodies []*hclsyntax.Body, kind string) (found []*hclsyntax.Block) {
	for _, body := range bodies {
		for _, block := range body.Blocks {
			if block.Type == kind {
				found = append(found, block)
			}
		}
	}
	return found
}

// localName is what the configuration calls a provider.
func localName(bodies []*hclsyntax.Body, source string) string {
	for _, terraform := range blocks(bodies, "terraform") {
		for _, required := range blocks([]*hclsyntax.Body{terraform.Body}, "required_providers") {
			for name, attribute := range required.Body.Attributes {
				value, diags := attribute.Expr.Value(nil)
				if diags.HasErrors() || !value.Type().IsObjectType() || !value.Type().HasAttribute("source") {
					continue
				}
				if given := value.GetAttr("source"); given.Type() == cty.String && strings.HasSuffix(given.AsString(), source) {
					return name
				}
			}
		}
	}
	return source[strings.LastIndex(source, "/")+1:]
}

// find returns the provider block with a name and an alias.
func find(bodies []*hclsyntax.Body, name, alias string) *hclsyntax.Block {
	for _, block := range blocks(bodies, "provider") {
		if len(block.Labels) != 1 || block.Labels[0] != name {
			continue
		}
		given := ""
		if attribute := block.Body.Attributes["alias"]; attribute != nil {
			if value, diags := attribute.Expr.Value(nil); !diags.HasErrors() && value.Type() == cty.String {
				given = value.AsString()
			}
		}
		if given == alias {
			return block
		}
	}
	return nil
}

// metaArguments are Terraform's own, not the provider's.
var metaArguments = []string{"alias", "version"}

// encode evaluates a block's attributes.
func (s *scope) encode(block *hclsyntax.Block) ([]byte, error) {
	values := map[string]cty.Value{}
	for name, attribute := range block.Body.Attributes {
		if slices.Contains(metaArguments, name) {
			continue
		}
		value, err := s.evaluate(attribute.Expr)
		if err != nil {
			return nil, fmt.Errorf("provider %q, %s: %w", block.Labels[0], name, err)
		}
		values[name] = value
	}
	for _, nested := range block.Body.Blocks {
		return nil, fmt.Errorf("%s: provider %q: %s is an attribute: write %s = { … }", nested.DefRange(), block.Labels[0], nested.Type, nested.Type)
	}
	object := cty.ObjectVal(values)
	content, err := ctyjson.Marshal(object, object.Type())
	if err != nil {
		return nil, fmt.Errorf("provider %q: %w", block.Labels[0], err)
	}
	return content, nil
}

package configfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// functions are those of Terraform's that provider blocks are written with:
// on strings, collections and JSON, and those that read files of the folder.
func functions(folder string) map[string]function.Function {
	return map[string]function.Function{
		"can": tryfunc.CanFunc, "try": tryfunc.TryFunc,
		"chomp": stdlib.ChompFunc, "coalesce": stdlib.CoalesceFunc, "coalescelist": stdlib.CoalesceListFunc, "compact": stdlib.CompactFunc,
		"concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc, "distinct": stdlib.DistinctFunc, "element": stdlib.ElementFunc,
		"flatten": stdlib.FlattenFunc, "format": stdlib.FormatFunc, "formatlist": stdlib.FormatListFunc,
		"join": stdlib.JoinFunc, "jsondecode": stdlib.JSONDecodeFunc, "jsonencode": stdlib.JSONEncodeFunc, "keys": stdlib.KeysFunc,
		"length": stdlib.LengthFunc, "lookup": stdlib.LookupFunc, "lower": stdlib.LowerFunc, "merge": stdlib.MergeFunc,
		"replace": stdlib.ReplaceFunc, "split": stdlib.SplitFunc, "substr": stdlib.SubstrFunc, "title": stdlib.TitleFunc,
		"trim": stdlib.TrimFunc, "trimprefix": stdlib.TrimPrefixFunc, "trimspace": stdlib.TrimSpaceFunc, "trimsuffix": stdlib.TrimSuffixFunc,
		"upper": stdlib.UpperFunc, "values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,
		"sensitive": unchanged(), "nonsensitive": unchanged(),
		"file": file(folder),
	}
}

// unchanged returns its argument: nothing of it is printed here anyway.
func unchanged() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType, AllowNull: true, AllowDynamicType: true}},
		Type:   func(args []cty.Value) (cty.Type, error) { return args[0].Type(), nil },
		Impl:   func(args []cty.Value, _ cty.Type) (cty.Value, error) { return args[0], nil },
	})
}

// file reads a text file; a relative path begins at the configuration, where
// Terraform is run.
func file(folder string) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "path", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			path := args[0].AsString()
			if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(path, "~/") {
				path = filepath.Join(home, path[2:])
			}
			if !filepath.IsAbs(path) && !strings.HasPrefix(path, folder+string(filepath.Separator)) {
				path = filepath.Join(folder, path)
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return cty.NilVal, fmt.Errorf("read %s: %w", args[0].AsString(), err)
			}
			return cty.StringVal(string(content)), nil
		},
	})
}

package configfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tenantplane/terraform-provider-tenant/internal/configfile"
)

// read writes files into a folder and reads its provider block.
func read(t *testing.T, files map[string]string, change func(*configfile.Options)) (string, error) {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := configfile.Options{Folder: folder, Source: "tenantplane/tenant", Environment: func(string) string { return "" }}
	if change != nil {
		change(&o)
	}
	content, err := configfile.Read(o)
	return string(content), err
}

func environment(variables map[string]string) func(*configfile.Options) {
	return func(o *configfile.Options) { o.Environment = func(name string) string { return variables[name] } }
}

// block is a provider block with one attribute, v.
func block(expression string) string { return "provider \"tenant\" {\n  v = " + expression + "\n}\n" }

func TestABlockIsEvaluatedAsTerraformDoes(t *testing.T) {
	for name, c := range map[string]struct {
		files  map[string]string
		change func(*configfile.Options)
		want   string
	}{
		"a literal": {files: map[string]string{"main.tf": block(`{ path = "x.db", zones = ["a", "b"] }`)}, want: `{"v":{"path":"x.db","zones":["a","b"]}}`},
		"a default": {files: map[string]string{"main.tf": block("var.x"), "variables.tf": `variable "x" { default = "d" }`}, want: `{"v":"d"}`},
		"the environment wins over the default": {
			files:  map[string]string{"main.tf": block("var.x") + `variable "x" { default = "d" }`},
			change: environment(map[string]string{"TF_VAR_x": "e"}), want: `{"v":"e"}`,
		},
		"terraform.tfvars wins over the environment": {
			files:  map[string]string{"main.tf": block("var.x") + `variable "x" {}`, "terraform.tfvars": `x = "f"`},
			change: environment(map[string]string{"TF_VAR_x": "e"}), want: `{"v":"f"}`,
		},
		"the last automatic file wins": {
			files: map[string]string{
				"main.tf": block("var.x") + `variable "x" {}`, "terraform.tfvars": `x = "f"`,
				"a.auto.tfvars": `x = "a"`, "b.auto.tfvars.json": `{"x": "b"}`,
			}, want: `{"v":"b"}`,
		},
		"what is given by hand wins": {
			files:  map[string]string{"main.tf": block("var.x") + `variable "x" {}`, "terraform.tfvars": `x = "f"`},
			change: func(o *configfile.Options) { o.Variables = map[string]string{"x": "h"} }, want: `{"v":"h"}`,
		},
		"a list by the environment": {
			files:  map[string]string{"main.tf": block("var.x[1]") + "variable \"x\" {\n  type = list(string)\n}\n"},
			change: environment(map[string]string{"TF_VAR_x": `["a", "b"]`}), want: `{"v":"b"}`,
		},
		"locals of locals": {
			files: map[string]string{"main.tf": block("local.a") + "locals {\n  a = upper(local.b)\n  b = \"${var.x}-${terraform.workspace}\"\n}\nvariable \"x\" { default = \"d\" }\n"},
			want:  `{"v":"D-DEFAULT"}`,
		},
		"a file beside the configuration": {
			files: map[string]string{"main.tf": block(`trimspace(file("${path.module}/secret.txt"))`), "secret.txt": "s3cret\n"}, want: `{"v":"s3cret"}`,
		},
		"the workspace that is selected": {
			files: map[string]string{"main.tf": block("terraform.workspace"), ".terraform/environment": "eu"}, want: `{"v":"eu"}`,
		},
		"another local name": {
			files: map[string]string{"main.tf": "terraform {\n  required_providers {\n    plane = { source = \"tenantplane/tenant\" }\n  }\n}\nprovider \"plane\" {\n  v = 1\n}\n"},
			want:  `{"v":1}`,
		},
		"the one without an alias": {
			files: map[string]string{"main.tf": "provider \"tenant\" {\n  alias = \"eu\"\n  v = 1\n}\n" + block("2")}, want: `{"v":2}`,
		},
		"the one with an alias": {
			files:  map[string]string{"main.tf": "provider \"tenant\" {\n  alias = \"eu\"\n  v = 1\n}\n" + block("2")},
			change: func(o *configfile.Options) { o.Alias = "eu" }, want: `{"v":1}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(t, c.files, c.change)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatOnlyTerraformKnowsIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		config string
		words  []string
	}{
		"a resource":             {block("postgres_database.x.url"), []string{"main.tf:2", "postgres_database.x.url", "Terraform alone"}},
		"a data source":          {block("data.vault.x.token"), []string{"data.vault.x.token"}},
		"a resource in a local":  {block("local.a") + "locals {\n  a = module.m.url\n}\n", []string{"local.a", "module.m.url"}},
		"a variable without one": {block("var.x") + `variable "x" {}`, []string{"var.x has no value", "--var x=", "TF_VAR_x"}},
		"nobody's variable":      {block("var.y"), []string{"var.y is not declared"}},
		"a circle":               {block("local.a") + "locals {\n  a = local.b\n  b = local.a\n}\n", []string{"needs itself"}},
		"a function we lack":     {block(`templatefile("x", {})`), []string{"templatefile"}},
		"a syntax error":         {"provider \"tenant\" {", []string{"main.tf"}},
		"a nested block":         {"provider \"tenant\" {\n  ledger {\n  }\n}\n", []string{"ledger = {"}},
		"a missing file":         {block(`file("nowhere.txt")`), []string{"nowhere.txt"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(t, map[string]string{"main.tf": c.config}, nil)
			if err == nil {
				t.Fatal("it was read")
			}
			for _, word := range c.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("the error does not say %q: %v", word, err)
				}
			}
		})
	}
}

func TestAFolderWithoutABlockSaysSo(t *testing.T) {
	if _, err := read(t, map[string]string{"main.tf": `provider "other" {}`}, nil); !errors.Is(err, configfile.ErrNoBlock) {
		t.Errorf("got %v, want ErrNoBlock", err)
	}
}

func TestASecretThatCannotBeReadIsNotRepeated(t *testing.T) {
	_, err := read(t, map[string]string{"main.tf": block("var.x") + "variable \"x\" {\n  type = map(string)\n}\n"},
		environment(map[string]string{"TF_VAR_x": "s3cret{"}))
	if err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v", err)
	}
}

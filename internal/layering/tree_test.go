package layering_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/layering"
)

const root = "../.."

func TestEveryPackageImportsOnlyWhatTheDesignAllows(t *testing.T) {
	packages := list(t)
	// The check itself is one of them: fewer means that the listing broke.
	if len(packages) < 10 {
		t.Fatalf("go list found %d packages, want the whole tree", len(packages))
	}
	for _, violation := range layering.Design().Violations(packages) {
		t.Error(violation)
	}
}

func TestFilesStaySmallAndNothingRegistersItself(t *testing.T) {
	files, err := layering.Files(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("found %d Go files, want the whole tree", len(files))
	}
	for _, violation := range (layering.Limits{Longest: 500, Median: 150}).Violations(files) {
		t.Error(violation)
	}
}

// list asks the go command for the packages of this module.
func list(t *testing.T) []layering.Package {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = root
	var complaints strings.Builder
	cmd.Stderr = &complaints
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, complaints.String())
	}
	return decode(t, output)
}

func decode(t *testing.T, output []byte) []layering.Package {
	t.Helper()
	var packages []layering.Package
	decoder := json.NewDecoder(strings.NewReader(string(output)))
	for {
		var listed struct {
			ImportPath string
			Imports    []string
		}
		switch err := decoder.Decode(&listed); {
		case errors.Is(err, io.EOF):
			return packages
		case err != nil:
			t.Fatalf("read go list: %v", err)
		}
		packages = append(packages, layering.Package{Path: listed.ImportPath, Imports: listed.Imports})
	}
}

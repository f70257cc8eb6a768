package layering

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Module is the import path of the whole project.
const Module = "github.com/tenantplane/terraform-provider-tenant"

// Package is one package of the tree.
type Package struct {
	// Path is the import path.
	Path string
	// Imports are the import paths of its files, test files left out.
	Imports []string
}

// Row says what some packages may import besides the standard library.
type Row struct {
	// Packages is a pattern of package folders below internal/: "*" stands for
	// one part of the path and a final "/..." for the folder and all below it.
	// "." is the main package.
	Packages string
	// May lists patterns of folders below internal/; ".." is the parent folder.
	May []string
	// Modules lists import path prefixes of third parties, cut at slashes.
	Modules []string
	// Pure packages reach no file, network, database, process or random source.
	Pure bool
	// Bans lists packages of the standard library that are not wanted either.
	Bans []string
}

// Table is the law; the first row whose pattern matches counts.
type Table []Row

// Violations returns one sentence per broken rule, in the order of packages.
func (t Table) Violations(packages []Package) []string {
	var found []string
	for _, p := range packages {
		folder := folderOf(p.Path)
		if name, bad := vagueName(folder); bad {
			found = append(found, fmt.Sprintf("%s: a package called %q says nothing: name it after what it knows", folder, name))
		}
		row, ok := t.row(folder)
		if !ok {
			found = append(found, fmt.Sprintf("%s: no row in internal/layering/table.go: add one that says what it may import, and tell DESIGN section 3", folder))
			continue
		}
		found = append(found, row.violations(folder, p.Imports)...)
	}
	return found
}

func (t Table) row(folder string) (Row, bool) {
	i := slices.IndexFunc(t, func(r Row) bool { return matches(r.Packages, folder) })
	if i < 0 {
		return Row{}, false
	}
	return t[i], true
}

func (r Row) violations(folder string, imports []string) []string {
	var found []string
	for _, imported := range imports {
		if why := r.refuses(folder, imported); why != "" {
			found = append(found, fmt.Sprintf("%s must not import %s: %s", folder, imported, why))
		}
	}
	return found
}

// refuses returns why folder must not import the path, or "".
func (r Row) refuses(folder, imported string) string {
	switch {
	case imported == Module || strings.HasPrefix(imported, Module+"/"):
		return r.refusesOwn(folder, folderOf(imported))
	case !strings.Contains(firstPart(imported), "."):
		return r.refusesStandard(imported)
	case slices.ContainsFunc(r.Modules, func(prefix string) bool { return below(prefix, imported) }):
		return ""
	default:
		return fmt.Sprintf("its row %q does not list that module", r.Packages)
	}
}

func (r Row) refusesOwn(folder, target string) string {
	for _, pattern := range r.May {
		if pattern == ".." && target == path.Dir(folder) || matches(pattern, target) {
			return ""
		}
	}
	return fmt.Sprintf("its row %q allows %v", r.Packages, r.May)
}

func (r Row) refusesStandard(imported string) string {
	if slices.Contains(r.Bans, imported) {
		return fmt.Sprintf("its row %q bans it", r.Packages)
	}
	if r.Pure && slices.Contains(impure(), imported) {
		return fmt.Sprintf("its row %q is pure: data in, data out", r.Packages)
	}
	return ""
}

// impure lists the packages of the standard library through which the outside
// world comes in.
func impure() []string {
	return []string{
		"crypto/rand", "database/sql", "math/rand", "math/rand/v2", "net/http",
		"os", "os/exec", "os/signal", "syscall",
	}
}

// vagueName returns the part of the folder that is no name for a package.
func vagueName(folder string) (string, bool) {
	vague := []string{"base", "common", "helper", "helpers", "misc", "model", "models", "shared", "util", "utils"}
	for part := range strings.SplitSeq(folder, "/") {
		if slices.Contains(vague, part) {
			return part, true
		}
	}
	return "", false
}

// folderOf turns an import path of this module into a folder below internal/,
// "." for the root.
func folderOf(importPath string) string {
	folder := strings.TrimPrefix(strings.TrimPrefix(importPath, Module), "/")
	if folder == "" {
		return "."
	}
	return strings.TrimPrefix(folder, "internal/")
}

// matches tells whether folder fits the pattern of a Row.
func matches(pattern, folder string) bool {
	stem, deep := strings.CutSuffix(pattern, "/...")
	if deep {
		parts := strings.Split(folder, "/")
		folder = strings.Join(parts[:min(len(parts), strings.Count(stem, "/")+1)], "/")
	}
	ok, err := path.Match(stem, folder)
	return err == nil && ok
}

func below(prefix, importPath string) bool {
	return importPath == prefix || strings.HasPrefix(importPath, prefix+"/")
}

func firstPart(importPath string) string {
	first, _, _ := strings.Cut(importPath, "/")
	return first
}

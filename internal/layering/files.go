package layering

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// File is one Go file of the tree.
type File struct {
	// Path is relative to the root of the tree.
	Path string
	// Lines counts its lines.
	Lines int
	// Generated tells that a program wrote it; the rules are for people.
	Generated bool
	// Init tells that it declares an init function.
	Init bool
}

// Files returns the Go files of a tree in the order of their paths. Folders
// that belong to another module, hidden ones and test data are left out. A file
// that does not parse is an error.
func Files(tree fs.FS) ([]File, error) {
	var files []File
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return enter(tree, name)
		case path.Ext(name) != ".go":
			return nil
		}
		file, err := inspect(tree, name)
		files = append(files, file)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the source tree: %w", err)
	}
	return files, nil
}

func enter(tree fs.FS, folder string) error {
	if folder == "." {
		return nil
	}
	name := path.Base(folder)
	if name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return fs.SkipDir
	}
	if _, err := fs.Stat(tree, path.Join(folder, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func inspect(tree fs.FS, name string) (File, error) {
	source, err := fs.ReadFile(tree, name)
	if err != nil {
		return File{}, err
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return File{}, err
	}
	return File{
		Path:      name,
		Lines:     bytes.Count(source, []byte("\n")),
		Generated: ast.IsGenerated(parsed),
		Init:      slices.ContainsFunc(parsed.Decls, isInit),
	}, nil
}

func isInit(d ast.Decl) bool {
	function, ok := d.(*ast.FuncDecl)
	return ok && function.Recv == nil && function.Name.Name == "init"
}

// Limits are the sizes hand-written files should keep.
type Limits struct {
	// Longest is the most lines a file may have.
	Longest int
	// Median is the most lines that half of the files may have.
	Median int
}

// Violations returns one sentence per broken rule, in the order of files.
func (l Limits) Violations(files []File) []string {
	var found []string
	var lengths []int
	for _, file := range files {
		if file.Generated {
			continue
		}
		lengths = append(lengths, file.Lines)
		if file.Lines > l.Longest {
			found = append(found, fmt.Sprintf("%s has %d lines, more than %d: split it by what it knows", file.Path, file.Lines, l.Longest))
		}
		if file.Init {
			found = append(found, file.Path+" declares init: registration is an explicit list")
		}
	}
	if m := median(lengths); m > l.Median {
		found = append(found, fmt.Sprintf("the median of %d hand-written files is %d lines, more than %d", len(lengths), m, l.Median))
	}
	return found
}

func median(values []int) int {
	if len(values) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

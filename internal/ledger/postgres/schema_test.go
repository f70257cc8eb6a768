package postgres_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// One set of statements runs on both databases, so the schemas may differ in
// nothing but what a person or a locale sees.
func TestTheSchemaIsSQLitesColumnByColumn(t *testing.T) {
	files, err := filepath.Glob("migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	for _, file := range files {
		ours, theirs := bare(t, file), bare(t, filepath.Join("..", "sqlite", file))
		if ours != theirs {
			t.Errorf("%s differs:\n%s\n\n%s", file, ours, theirs)
		}
	}
}

var (
	comments = regexp.MustCompile(`(?m)^\s*-- [^+].*$`)
	spaces   = regexp.MustCompile(`\s+`)
)

func bare(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := comments.ReplaceAllString(string(content), "")
	text = strings.ReplaceAll(text, `COLLATE "C"`, "")
	return spaces.ReplaceAllString(strings.TrimSpace(text), " ")
}

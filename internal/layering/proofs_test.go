package layering_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	declared = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	named    = regexp.MustCompile("`(Test\\w+)`")
)

// A promise whose proof was renamed or deleted is none.
func TestEveryProofThatTheGuidesNameExists(t *testing.T) {
	exists := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		content, err := os.ReadFile(path)
		for _, match := range declared.FindAllSubmatch(content, -1) {
			exists[string(match[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	guides, err := filepath.Glob(filepath.Join(root, "templates", "guides", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	proofs := 0
	for _, guide := range guides {
		content, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range named.FindAllSubmatch(content, -1) {
			proofs++
			if name := string(match[1]); !exists[name] {
				t.Errorf("%s names %s, which does not exist", filepath.Base(guide), name)
			}
		}
	}
	if proofs < 40 {
		t.Errorf("the guides name %d proofs only", proofs)
	}
}

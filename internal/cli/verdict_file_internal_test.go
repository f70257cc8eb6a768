package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/drift"
)

func TestAVerdictsFileIsReplacedAsAWholeAndNothingIsLeftBeside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verdict.json")
	begun := drift.Begin("prod", time.Now())
	for _, v := range []drift.Verdict{begun, begun.Finish(time.Now())} {
		if err := writeVerdict(v, path); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(content), `"complete": true`) != v.Complete {
			t.Errorf("read %s (%v), want complete %v", content, err, v.Complete)
		}
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := writeVerdict(begun, filepath.Join(path, "below-a-file")); err == nil {
		t.Error("a verdict was written below a file")
	}
}

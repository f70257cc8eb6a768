package file_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/sink"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink/file"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink/sinktest"
)

func TestConformance(t *testing.T) {
	var folder string
	sinktest.Run(t, sinktest.Suite{
		Open: func(t *testing.T) sink.Sink {
			folder = filepath.Join(t.TempDir(), "events")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			s := file.New(filepath.Join(folder, "log"))
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
		Received: func(t *testing.T) []string {
			text, err := os.ReadFile(filepath.Join(folder, "log"))
			if err != nil {
				t.Fatal(err)
			}
			return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		},
		Stop: func(t *testing.T) {
			if err := os.Rename(folder, folder+".away"); err != nil {
				t.Fatal(err)
			}
		},
		Start: func(t *testing.T) {
			if err := os.Rename(folder+".away", folder); err != nil {
				t.Fatal(err)
			}
		},
	})
}

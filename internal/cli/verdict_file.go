package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tenantplane/terraform-provider-tenant/internal/drift"
)

// writeVerdict puts a verdict into a file, whole or not at all: a reader never sees
// half of one. A run writes its verdict before it looks, incomplete, and again
// when it has: what a killed run leaves is no "none".
func writeVerdict(v drift.Verdict, path string) error {
	content, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write verdict: %w", err)
	}
	unfinished, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write verdict: %w", err)
	}
	_, err = unfinished.Write(append(content, '\n'))
	if closeErr := unfinished.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(unfinished.Name(), path)
	}
	if err != nil {
		_ = os.Remove(unfinished.Name()) // err is the news
		return fmt.Errorf("write verdict: %w", err)
	}
	return nil
}

package databasetf

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/tenantplane/terraform-provider-tenant/internal/component/database"
	"github.com/tenantplane/terraform-provider-tenant/internal/surface"
)

// spec reads the seed files: their content is part of what is wanted.
func spec(_ context.Context, m model) (any, diag.Diagnostics) {
	var diags diag.Diagnostics
	s := database.Spec{
		Isolation: m.Isolation.ValueString(), OnDestroy: m.OnDestroy.ValueString(), Adopt: m.Adopt.ValueString(),
	}
	for i, file := range surface.Strings(m.Seed.Elements()) {
		text, err := os.ReadFile(file)
		if err != nil {
			diags.AddAttributeError(path.Root("database").AtName("seed").AtListIndex(i), "Cannot read seed file",
				fmt.Sprintf("database.seed[%d]: %v. Name an existing file; paths are relative to where Terraform runs, use path.module for a module's own.", i, err))
			continue
		}
		s.Seed = append(s.Seed, database.Seed{Name: seedName(file), SQL: string(text)})
	}
	return s, diags
}

// seedName is the name a file is recorded under: its base name, so that a
// checkout elsewhere does not run it again.
func seedName(file string) string { return filepath.Base(file) }

// seedDigest is one hash over all seed references, "none" without seeds.
func seedDigest(refs []string) string {
	if len(refs) == 0 {
		return "none"
	}
	sum := sha256.Sum256([]byte(strings.Join(refs, "\n")))
	return hex.EncodeToString(sum[:])[:16]
}

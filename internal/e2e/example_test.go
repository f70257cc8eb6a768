package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
)

// TestTheFailureStoryExampleTellsWhatItShould runs the script that people
// watch; it checks each of its steps itself.
func TestTheFailureStoryExampleTellsWhatItShould(t *testing.T) {
	t.Parallel()
	script := filepath.Join("..", "..", "examples", "failure-story", "run.sh")
	cmd := exec.CommandContext(t.Context(), "bash", script, acctest.Provider(t))
	cmd.Env = append(os.Environ(), "TF_ACC_TERRAFORM_PATH="+acctest.Terraform(t))
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if !strings.Contains(string(output), "One of each object at every step") {
		t.Errorf("the script ended before the story did:\n%s", output)
	}
}

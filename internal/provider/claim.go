package provider

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"
)

// A claim is "‹workspace›#‹token›". The workspace says which Terraform state
// the tenant belongs to; the token is drawn by each create and kept in private
// state, so that of two addresses in one state only the newer one owns the
// tenant: a destroy of the older one, left over from a replacement or a rename,
// is void.
const claimSeparator = "#"

// hcpWorkspace holds "‹organization›/‹workspace›" in runs of HCP Terraform
// (developer.hashicorp.com/terraform/cloud-docs/run/run-environment).
const hcpWorkspace = "TFC_WORKSPACE_SLUG" //nolint:gosec // a name, no credential

// newClaim draws a claim of this workspace.
func (s *Session) newClaim() string { return s.Workspace + claimSeparator + uuid.NewString() }

// workspaceOf returns the workspace in a claim.
func workspaceOf(claim string) string {
	workspace, _, _ := strings.Cut(claim, claimSeparator)
	return workspace
}

// encodeClaim is a claim as the JSON that private state wants.
func encodeClaim(claim string) []byte {
	text, err := json.Marshal(claim)
	if err != nil {
		panic(err) // a string always encodes
	}
	return text
}

// decodeClaim reads what encodeClaim wrote; "" when there is none, which is so
// after an import.
func decodeClaim(held []byte) string {
	var claim string
	if json.Unmarshal(held, &claim) != nil {
		return ""
	}
	return claim
}

// workspaceName is what the user says, or else the workspace of HCP Terraform,
// whose runs each have a directory of their own, or else the working directory
// and the selected workspace.
func workspaceName(configured string) string {
	if configured == "" {
		configured = os.Getenv(hcpWorkspace)
	}
	if configured != "" {
		return strings.ReplaceAll(configured, claimSeparator, "_")
	}
	directory, err := os.Getwd()
	if err != nil {
		directory = "unknown"
	}
	return strings.ReplaceAll(directory, claimSeparator, "_") + " (workspace " + selectedWorkspace(directory) + ")"
}

// namedWorkspace tells whether somebody said which workspace this is. A working
// directory says it on one machine; on another one the same path may be of
// another configuration, as in containers.
func namedWorkspace(configured string) bool { return configured != "" || os.Getenv(hcpWorkspace) != "" }

// selectedWorkspace finds the workspace as Terraform does; the protocol does
// not tell a provider.
func selectedWorkspace(directory string) string {
	if name := os.Getenv("TF_WORKSPACE"); name != "" {
		return name
	}
	data := os.Getenv("TF_DATA_DIR")
	if data == "" {
		data = filepath.Join(directory, ".terraform")
	}
	name, err := os.ReadFile(filepath.Join(data, "environment"))
	if err != nil || len(name) == 0 {
		return "default"
	}
	return strings.TrimSpace(string(name))
}

package keycloak

import (
	"path/filepath"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend/backendtest"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// sandboxed starts a sandbox that lives as long as the test.
func sandboxed(t *testing.T) server {
	t.Helper()
	running, err := sandbox.Open(t.Context(), sandbox.Options{Path: filepath.Join(t.TempDir(), "sandbox.db")})
	if err != nil {
		t.Fatalf("open sandbox: %v", err)
	}
	t.Cleanup(func() {
		if err := running.Close(); err != nil {
			t.Errorf("close sandbox: %v", err)
		}
	})
	known := running.Credentials
	return server{
		url: running.KeycloakURL(), realm: known.KeycloakRealm,
		clientID: known.KeycloakClientID, secret: known.KeycloakClientSecret,
	}
}

func TestConformance(t *testing.T) { backendtest.Run(t, sandboxed(t).conformance()) }

func TestFieldCases(t *testing.T) { sandboxed(t).live(t) }

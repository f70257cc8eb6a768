package provider_test

import (
	"encoding/base64"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestC55_AccNoSecretReachesStatePlanLedgerOrLog(t *testing.T) {
	w := onRealServers(t)
	// The server echoes what it refuses, key included.
	echo := inFrontOf(t, w.powerDNS.URL)
	echo.misbehave(http.MethodPatch, func(out http.ResponseWriter, r *http.Request) {
		out.WriteHeader(http.StatusUnprocessableEntity)
		_ = r.Header.Write(out)
	})
	w.dnsURL = echo.URL
	// Terraform itself writes what stands in a configuration into its plan.
	w.secretsInEnvironment = true
	t.Setenv("POWERDNS_API_KEY", w.dnsKey)
	t.Setenv("TENANT_DATABASE_URL", w.databaseURL)
	t.Setenv("AWS_SECRET_ACCESS_KEY", w.s3SecretKey)
	c := newCLI(t, w.config(w.acme()))
	trace := []string{"TF_LOG=TRACE", "TF_LOG_PATH=" + filepath.Join(c.folder, "trace.log")}
	printed := c.runWith(trace, 0, "plan", "-out", "saved.plan")
	printed += c.runWith(trace, 0, "apply", "saved.plan")
	echo.heal()
	c.write("plan.json", c.run(0, "show", "-json", "saved.plan"))
	printed += c.runWith(trace, 0, "apply", "-auto-approve")
	c.write("printed.txt", printed)
	if err := os.Remove(filepath.Join(c.folder, "saved.plan")); err != nil { // a zip that holds main.tf
		t.Fatal(err)
	}
	secrets := []string{w.dnsKey, w.postgres.Password, w.s3SecretKey, w.sandbox.Credentials.KeycloakClientSecret}
	files := 0
	for _, root := range []string{c.folder, filepath.Dir(w.ledger)} {
		files += noSecretIn(t, root, secrets)
	}
	if files < 6 { // state, its backup, plan, output, log, ledger
		t.Errorf("only %d files were searched", files)
	}
	c.run(0, "destroy", "-auto-approve")
	w.mustHold(nothing)
}

// noSecretIn searches every file of a folder but the configuration itself, the
// built provider, and the sandbox, whose credentials are public.
func noSecretIn(t *testing.T, root string, secrets []string) (files int) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == "bin" || name == "sandbox"):
			return filepath.SkipDir
		case entry.IsDir(), name == "main.tf":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for _, secret := range secrets {
			for _, spelling := range []string{secret, url.QueryEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret))} {
				if at := strings.Index(string(text), spelling); at >= 0 {
					t.Errorf("%s holds the secret %q: …%s…", filepath.Base(path), spelling, text[max(0, at-200):min(len(text), at+80)])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

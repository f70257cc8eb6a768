package tenant_test

import (
	"strings"
	"testing"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

func TestATenantIDIsRefusedWithTheRuleItBreaks(t *testing.T) {
	for id, rule := range map[string]string{
		"":                            "is empty",
		strings.Repeat("a", 64):       "64 bytes long",
		"Acme":                        "'A' at byte 0",
		"acme.corp":                   "'.' at byte 4",
		"acme_corp":                   "'_' at byte 4",
		"pg_x":                        "'_' at byte 2",
		`a"b; DROP SCHEMA public`:     `'"' at byte 1`,
		"-acme":                       "begins or ends with a hyphen",
		"acme-":                       "begins or ends with a hyphen",
		"bücher":                      "'ü' at byte 1",
		"192.168.0.1":                 "'.' at byte 3",
		"acme corp":                   "' ' at byte 4",
		strings.Repeat("a", 62) + "-": "begins or ends with a hyphen",
	} {
		_, err := tenant.ParseID(id)
		if err == nil {
			t.Errorf("ParseID(%q) accepted it", id)
			continue
		}
		if !strings.Contains(err.Error(), rule) {
			t.Errorf("ParseID(%q) = %q, want it to say %q", id, err, rule)
		}
	}
}

func TestATenantIDOfEveryAllowedShapeIsAccepted(t *testing.T) {
	for _, id := range []string{"a", "7", "ab", "user", "tenant-314", "xn--x", "a--b", strings.Repeat("a", 63)} {
		if got, err := tenant.ParseID(id); err != nil || string(got) != id {
			t.Errorf("ParseID(%q) = %q, %v", id, got, err)
		}
	}
}

func TestAnInstallationIsRefusedWithTheRuleItBreaks(t *testing.T) {
	for text, rule := range map[string]string{
		"ab": "3 to 16", strings.Repeat("a", 17): "3 to 16", "1abc": "begins with a digit", "ab-c": "'-' at byte 2",
		"Abc": "'A' at byte 0", "s3alias": "reserved",
	} {
		if _, err := tenant.ParseInstallation(text); err == nil || !strings.Contains(err.Error(), rule) {
			t.Errorf("ParseInstallation(%q) = %v, want it to say %q", text, err, rule)
		}
	}
}

func TestADrawnInstallationIsValid(t *testing.T) {
	drawn, err := tenant.NewInstallation(strings.NewReader("\x00\xff\x10\x80\x7f\x01"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tenant.ParseInstallation(string(drawn)); err != nil {
		t.Errorf("NewInstallation drew %q: %v", drawn, err)
	}
	if _, err := tenant.NewInstallation(strings.NewReader("")); err == nil {
		t.Error("NewInstallation succeeded without randomness")
	}
}

package identity

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Limits on what an identity provider stores.
const (
	// MaxAliasLength is in bytes: Auth0's limit on organization names
	// (auth0.com/docs, "Create Organizations"), the strictest known.
	MaxAliasLength = 50
	// MaxNameLength is in characters: the width of Keycloak's ORG.NAME.
	MaxNameLength = 255
	// MaxRedirectURLLength is in bytes: the width of Keycloak's ORG.REDIRECT_URL.
	MaxRedirectURLLength = 2048
)

// checkAlias returns nil or what the strictest identity provider has against
// the alias.
func checkAlias(alias string) *fault.Fault {
	const action = "use 1 to 50 lower-case letters, digits, _ and -"
	if len(alias) > MaxAliasLength {
		return fault.NewTerminal("identity.alias_invalid", PathAlias,
			fmt.Sprintf("%q is %d bytes long", alias, len(alias)), action)
	}
	for i, r := range alias {
		if !isAliasRune(r) {
			return fault.NewTerminal("identity.alias_invalid", PathAlias,
				fmt.Sprintf("%q has %q at byte %d", alias, r, i), action)
		}
	}
	return nil
}

func isAliasRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// checkName returns nil or what is wrong with the display name, which becomes
// the organization's name.
func checkName(name string) *fault.Fault {
	if n := utf8.RuneCountInString(name); n > MaxNameLength {
		return fault.NewTerminal("identity.name_too_long", Name,
			fmt.Sprintf("the organization takes its name from display_name, which is %d characters long", n),
			fmt.Sprintf("shorten display_name to at most %d characters", MaxNameLength))
	}
	return nil
}

// checkRedirectURL returns nil for "" and for a web address that can be sent
// as it is.
func checkRedirectURL(written string) *fault.Fault {
	if written == "" {
		return nil
	}
	found := redirectURLProblem(written)
	if found == "" {
		return nil
	}
	return fault.NewTerminal("identity.redirect_url_invalid", PathRedirectURL, found,
		"use an absolute https:// address, e.g. https://app.example.com/welcome")
}

func redirectURLProblem(written string) string {
	if len(written) > MaxRedirectURLLength {
		return fmt.Sprintf("it is %d bytes long, %d are allowed", len(written), MaxRedirectURLLength)
	}
	if strings.ContainsFunc(written, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return "it contains white space"
	}
	parsed, err := url.Parse(written)
	switch {
	case err != nil:
		return "it is not a URL"
	case parsed.Scheme != "https" && parsed.Scheme != "http":
		return fmt.Sprintf("its scheme is %q", parsed.Scheme)
	case parsed.Hostname() == "":
		return "it names no host"
	case parsed.User != nil:
		return "it carries credentials, which would be shown to everybody who follows it"
	case parsed.Fragment != "":
		return "it has a fragment"
	}
	return ""
}

func tooManyDomains(n int) *fault.Fault {
	return fault.NewTerminal("identity.too_many_domains", PathDomains,
		fmt.Sprintf("%d domains are listed", n), fmt.Sprintf("list at most %d", MaxDomains))
}

func invalidDomain(err error) *fault.Fault {
	f := fault.NewTerminal("identity.domain_invalid", PathDomains, err.Error(),
		"list bare e-mail domains such as northstar.example")
	f.Err = err
	return f
}

func repeatedDomain(written, domain string) *fault.Fault {
	return fault.NewTerminal("identity.domain_repeated", PathDomains,
		fmt.Sprintf("%q stands for %s, which is listed already", written, domain), "list each domain once")
}

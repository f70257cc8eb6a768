package stripe

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/transport"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/billing"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// DefaultURL is where Stripe's API is.
const DefaultURL = "https://api.stripe.com"

// The options.
const (
	optionKey = "api_key"
	optionURL = "url"
)

// Driver returns the Stripe driver of the billing component.
func Driver() backend.Driver {
	return backend.Driver{
		Vendor:      "stripe",
		Component:   billing.Name,
		HTTP:        true,
		Description: "Customers and subscriptions at Stripe; a plan is the lookup key of a recurring price.",
		Options: []backend.Option{
			{
				Name: optionKey, Required: true, Secret: true, Env: "STRIPE_API_KEY",
				Description: "Secret or restricted API key with write access to customers and subscriptions and read access to prices.",
			},
			{Name: optionURL, Description: "Address of the API; " + DefaultURL + " when left out."},
		},
		Open: open,
	}
}

func open(settings backend.Settings) (backend.Backend, *fault.Fault) {
	key := settings.Options[optionKey]
	if problem := keyProblem(key); problem != "" {
		return nil, fault.NewTerminal("billing.api_key_invalid", settings.Path+"."+optionKey, problem,
			"set it, or the environment variable STRIPE_API_KEY, to a secret key (sk_…) or a restricted one (rk_…)")
	}
	base := settings.Options[optionURL]
	if base == "" {
		base = DefaultURL
	}
	if problem := urlProblem(base); problem != "" {
		return nil, fault.NewTerminal("billing.url_invalid", settings.Path+"."+optionURL, problem,
			"use an address such as "+DefaultURL)
	}
	http := transport.NewClient(transport.Options{
		Base: settings.Transport, Timeout: settings.Timeout, Logger: settings.Logger,
	})
	return &Backend{client: &client{http: http, base: strings.TrimRight(base, "/"), key: key}}, nil
}

// keyProblem says what is wrong with an API key without showing it.
func keyProblem(key string) string {
	switch {
	case key == "":
		return "is not set"
	case strings.HasPrefix(key, "pk_"):
		return "is a publishable key, which can change nothing"
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "contains white space or characters no API key has"
	}
	return ""
}

func urlProblem(text string) string {
	parsed, err := url.Parse(text)
	switch {
	case err != nil:
		return "is not a URL"
	case parsed.User != nil:
		return "contains credentials"
	case parsed.Scheme != "https" && parsed.Scheme != "http" || parsed.Host == "":
		return fmt.Sprintf("%q is not an absolute http or https URL", text)
	case parsed.RawQuery != "" || parsed.Fragment != "":
		return fmt.Sprintf("%q has a query or a fragment", text)
	}
	return ""
}

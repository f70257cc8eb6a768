package s3

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// What options mean when they are not set.
const (
	defaultEndpoint = "https://s3.amazonaws.com"
	defaultRegion   = "us-east-1"
	defaultTimeout  = 30 * time.Second
)

// Driver makes S3 backends for the storage component.
func Driver() backend.Driver {
	return backend.Driver{
		Vendor:      "s3",
		Component:   storage.Name,
		HTTP:        true,
		Description: "Buckets in Amazon S3 or any object store that speaks its API.",
		Regional:    true,
		Options: []backend.Option{
			{Name: "endpoint", Description: "URL of the object store; Amazon S3 when not set."},
			{Name: "region", Description: "Region the object store knows buckets by; us-east-1 when not set."},
			{Name: "access_key", Description: "Access key id.", Required: true, Env: "AWS_ACCESS_KEY_ID"},
			{Name: "secret_key", Description: "Secret access key.", Required: true, Secret: true, Env: "AWS_SECRET_ACCESS_KEY"},
			{Name: "session_token", Description: "Session token of temporary credentials.", Secret: true, Env: "AWS_SESSION_TOKEN"},
			{Name: "path_style", Description: "true puts bucket names into the path, false into the host name; not set leaves it to the endpoint."},
		},
		Open: open,
	}
}

// open implements backend.Driver.Open.
func open(settings backend.Settings) (backend.Backend, *fault.Fault) {
	endpoint, f := parseEndpoint(settings)
	if f != nil {
		return nil, f
	}
	lookup, f := parseLookup(settings)
	if f != nil {
		return nil, f
	}
	for _, name := range []string{"access_key", "secret_key"} {
		if settings.Options[name] == "" {
			return nil, optionFault(settings, name, "is not set", "set it here or in its environment variable")
		}
	}
	region := orDefault(settings.Options["region"], defaultRegion)
	core, err := minio.NewCore(endpoint.Host, &minio.Options{
		Creds: credentials.NewStaticV4(
			settings.Options["access_key"], settings.Options["secret_key"], settings.Options["session_token"]),
		Secure:       endpoint.Scheme == "https",
		Region:       region,
		BucketLookup: lookup,
		Transport:    attempts{next: transportOf(settings), limit: timeoutOf(settings)},
		MaxRetries:   1, // the executor decides what is tried again, and when
	})
	if err != nil {
		return nil, optionFault(settings, "endpoint", "cannot be used: "+err.Error(), "use the URL of an object store")
	}
	return &Backend{
		core: core, region: region, accessKey: settings.Options["access_key"], path: settings.Path, now: time.Now,
	}, nil
}

func parseEndpoint(settings backend.Settings) (*url.URL, *fault.Fault) {
	const action = "use a URL with nothing but scheme, host and port, e.g. https://s3.example.com"
	endpoint, err := url.Parse(orDefault(settings.Options["endpoint"], defaultEndpoint))
	if err != nil {
		return nil, optionFault(settings, "endpoint", "is not a URL", action)
	}
	if endpoint.Scheme != "http" && endpoint.Scheme != "https" {
		return nil, optionFault(settings, "endpoint", fmt.Sprintf("has the scheme %q", endpoint.Scheme), action)
	}
	if endpoint.Host == "" || endpoint.User != nil || len(endpoint.Path) > 1 || endpoint.RawQuery != "" {
		return nil, optionFault(settings, "endpoint", "has no host, or has a user, a path or a query", action)
	}
	return endpoint, nil
}

func parseLookup(settings backend.Settings) (minio.BucketLookupType, *fault.Fault) {
	text := settings.Options["path_style"]
	if text == "" {
		return minio.BucketLookupAuto, nil
	}
	pathStyle, err := strconv.ParseBool(text)
	if err != nil {
		return 0, optionFault(settings, "path_style", fmt.Sprintf("is %q", text), "use true or false, or leave it out")
	}
	if pathStyle {
		return minio.BucketLookupPath, nil
	}
	return minio.BucketLookupDNS, nil
}

func optionFault(settings backend.Settings, option, found, action string) *fault.Fault {
	return fault.NewTerminal("storage.option_invalid", settings.Path+"."+option, option+" "+found, action)
}

func transportOf(settings backend.Settings) http.RoundTripper {
	if settings.Transport == nil {
		return http.DefaultTransport
	}
	return settings.Transport
}

func timeoutOf(settings backend.Settings) time.Duration {
	if settings.Timeout <= 0 {
		return defaultTimeout
	}
	return settings.Timeout
}

func orDefault(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}

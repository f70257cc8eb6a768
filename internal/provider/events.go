package provider

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/dispatch"
	"github.com/tenantplane/terraform-provider-tenant/internal/ledger"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink/file"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink/nats"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink/webhook"
)

// webhookSecretsVariable holds the secrets of webhooks that name none.
const webhookSecretsVariable = "TENANT_WEBHOOK_SECRETS" //nolint:gosec // a name, no credential

// EventsConfig is the events block.
type EventsConfig struct {
	// Retention is how long events are kept that no sink is owed.
	Retention time.Duration
	// Sinks by name.
	Sinks map[string]SinkConfig
}

// SinkConfig is one sink: exactly one of its parts is set.
type SinkConfig struct {
	Webhook *WebhookConfig
	NATS    *nats.Options
	File    string
	// Backlog: a sink that is new is owed the events of the past, too.
	Backlog bool
}

// WebhookConfig is a webhook's URL and signing secrets.
type WebhookConfig struct {
	URL     string
	Secrets []string
}

func eventsAttribute() schema.SingleNestedAttribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description}
	}
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "Where the facts about tenants are sent. Sweeps send them; an apply only records them.",
		Attributes: map[string]schema.Attribute{
			"retention_days": schema.Int64Attribute{
				Optional: true, Validators: []validator.Int64{int64validator.Between(1, 3650)},
				MarkdownDescription: "How many days events are kept that no sink is owed any more. Defaults to 7.",
			},
			"sinks": schema.MapNestedAttribute{
				Optional:            true,
				MarkdownDescription: "Receivers by name; exactly one of `webhook`, `nats` and `file` each. A name that is left out stays registered, and owed events, until `events sinks --forget`.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"backlog": schema.BoolAttribute{
						Optional: true, MarkdownDescription: "A new sink gets the events that are still stored, too. Defaults to false: from now on.",
					},
					"webhook": schema.SingleNestedAttribute{
						Optional: true, MarkdownDescription: "Posts each event, signed as Standard Webhooks says.",
						Attributes: map[string]schema.Attribute{
							"url": schema.StringAttribute{Required: true, Sensitive: true, MarkdownDescription: "Where to post."},
							"secrets": schema.ListAttribute{
								Optional: true, Sensitive: true, ElementType: types.StringType,
								MarkdownDescription: "Signing secrets, `whsec_` and base64. All of them sign, so that the receiver can change from one to the next. " +
									"Without them the environment variable `" + webhookSecretsVariable + "` is asked, which holds them separated by spaces.",
							},
						},
					},
					"nats": schema.SingleNestedAttribute{
						Optional: true, MarkdownDescription: "Publishes each event to a NATS JetStream stream.",
						Attributes: map[string]schema.Attribute{
							"url":         schema.StringAttribute{Required: true, Sensitive: true, MarkdownDescription: "Server, or several separated by commas."},
							"stream":      schema.StringAttribute{Required: true, MarkdownDescription: "Stream that takes the events. It is not made."},
							"subject":     schema.StringAttribute{Required: true, MarkdownDescription: "Beginning of the subject; the tenant's id and the event's type follow."},
							"credentials": text("Path of a credentials file."),
						},
					},
					"file": schema.SingleNestedAttribute{
						Optional: true, MarkdownDescription: "Appends each event to a file, as a line of JSON.",
						Attributes: map[string]schema.Attribute{
							"path": schema.StringAttribute{Required: true, MarkdownDescription: "The file; `-` is standard output."},
						},
					},
				}},
			},
		},
	}
}

// readEvents reads the events block. Mistakes name the sink.
func readEvents(block types.Object) (EventsConfig, error) {
	c := EventsConfig{Retention: dispatch.DefaultRetention, Sinks: map[string]SinkConfig{}}
	if block.IsNull() {
		return c, nil
	}
	if days, set := block.Attributes()["retention_days"].(types.Int64); set && !days.IsNull() {
		c.Retention = time.Duration(days.ValueInt64()) * 24 * time.Hour
	}
	sinks, _ := block.Attributes()["sinks"].(types.Map)
	for _, name := range slices.Sorted(maps.Keys(sinks.Elements())) {
		object, _ := sinks.Elements()[name].(types.Object)
		one, err := readSink(object.Attributes())
		if err != nil {
			return c, fmt.Errorf("events.sinks[%q]%w", name, err)
		}
		c.Sinks[name] = one
	}
	return c, nil
}

func readSink(attributes map[string]attr.Value) (SinkConfig, error) {
	backlog, _ := attributes["backlog"].(types.Bool)
	c, chosen := SinkConfig{Backlog: backlog.ValueBool()}, 0
	if block, set := attributes["webhook"].(types.Object); set && !block.IsNull() {
		chosen++
		c.Webhook = &WebhookConfig{URL: stringIn(block.Attributes(), "url"), Secrets: stringsIn(block.Attributes(), "secrets")}
		if len(c.Webhook.Secrets) == 0 {
			c.Webhook.Secrets = strings.Fields(os.Getenv(webhookSecretsVariable))
		}
	}
	if block, set := attributes["nats"].(types.Object); set && !block.IsNull() {
		chosen++
		c.NATS = &nats.Options{
			URL: stringIn(block.Attributes(), "url"), Stream: stringIn(block.Attributes(), "stream"),
			Subject: stringIn(block.Attributes(), "subject"), Credentials: stringIn(block.Attributes(), "credentials"),
		}
	}
	if block, set := attributes["file"].(types.Object); set && !block.IsNull() {
		chosen++
		c.File = stringIn(block.Attributes(), "path")
	}
	if chosen != 1 {
		return c, fmt.Errorf(": it has %d of webhook, nats and file; set exactly one", chosen)
	}
	_, err := c.open()
	return c, err
}

// open makes the sink. The error is of the configuration, ".‹part›.‹attribute›: …".
func (c SinkConfig) open() (sink.Sink, error) {
	switch {
	case c.Webhook != nil:
		s, err := webhook.New(c.Webhook.URL, c.Webhook.Secrets, nil, clock.System{})
		if err != nil {
			return nil, fmt.Errorf(".webhook.%w", err)
		}
		return s, nil
	case c.NATS != nil:
		s, err := nats.New(*c.NATS)
		if err != nil {
			return nil, fmt.Errorf(".nats.%w", err)
		}
		return s, nil
	default:
		return file.New(c.File), nil
	}
}

// registerSinks makes the sinks of the block known to the ledger: from then on
// they are owed what happens.
func registerSinks(ctx context.Context, store ledger.Store, c EventsConfig) *configError {
	for _, name := range slices.Sorted(maps.Keys(c.Sinks)) {
		if err := store.RegisterSink(ctx, name, c.Sinks[name].Backlog); err != nil {
			return &configError{"events", "Cannot register a sink", fmt.Sprintf("events.sinks[%q]: %v", name, err)}
		}
	}
	return nil
}

// Dispatcher sends events to the sinks of the block. done closes them.
func (s *Session) Dispatcher(ctx context.Context) (d *dispatch.Dispatcher, done func(), err error) {
	installation, err := s.ledger.Installation(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("read the installation: %w", err)
	}
	d = &dispatch.Dispatcher{
		Ledger: s.ledger, Installation: installation, Sinks: map[string]sink.Sink{}, Holder: s.Executor.Worker,
		Retention: s.events.Retention, Clock: s.Executor.Clock, Logger: s.Executor.Logger,
	}
	for name, c := range s.events.Sinks {
		if d.Sinks[name], err = c.open(); err != nil {
			return nil, nil, fmt.Errorf("events.sinks[%q]%w", name, err)
		}
	}
	return d, func() {
		for _, one := range d.Sinks {
			_ = one.Close() // what was delivered is delivered
		}
	}, nil
}

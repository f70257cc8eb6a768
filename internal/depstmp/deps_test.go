// Package depstmp is scaffolding while several people work in one tree: it
// keeps go.mod whole. Deleted before landing.
package depstmp

import (
	_ "github.com/gofrs/flock"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/google/uuid"
	_ "github.com/hashicorp/go-retryablehttp"
	_ "github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	_ "github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	_ "github.com/hashicorp/terraform-plugin-framework/providerserver"
	_ "github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	_ "github.com/hashicorp/terraform-plugin-log/tflog"
	_ "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/jedib0t/go-pretty/v6/table"
	_ "github.com/joeig/go-powerdns/v3"
	_ "github.com/minio/minio-go/v7"
	_ "github.com/pressly/goose/v3"
	_ "github.com/spf13/cobra"
	_ "github.com/stripe/stripe-go/v85"
	_ "golang.org/x/net/idna"
	_ "modernc.org/sqlite"
	_ "pgregory.net/rapid"
)

// Command terraform-provider-tenant is a Terraform and OpenTofu provider when
// they start it, and a tool for people when a person does.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/tenantplane/terraform-provider-tenant/internal/cli"
)

// version is set by the linker on release builds.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := cli.Run(ctx, program(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		stop()
		os.Exit(1)
	}
}

// Command terraform-provider-tenant is a Terraform and OpenTofu provider when
// they start it, and a tool for people when a person does.
package main

import (
	"context"
	"errors"
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
		stop()
		os.Exit(exitCode(err))
	}
}

// exitCode tells an error on standard error and returns the program's code.
func exitCode(err error) int {
	var exit cli.ExitError
	if errors.As(err, &exit) {
		return exit.Code
	}
	fmt.Fprintln(os.Stderr, "Error:", err)
	return 1
}

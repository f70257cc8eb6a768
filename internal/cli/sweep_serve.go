package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/clock"
	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/sweep"
	"github.com/tenantplane/terraform-provider-tenant/internal/sweep/wake"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// untilSignalled returns a context that ends with the first SIGTERM or SIGINT:
// visits under way may end. The second one cancels them.
func untilSignalled(ctx context.Context, service *sweep.Service, logger *slog.Logger) (context.Context, func()) {
	halting := context.WithoutCancel(ctx)
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals)
		select {
		case <-signals:
			logger.Info("stopping; a second signal stops at once")
			cancel()
		case <-ctx.Done():
		}
		<-signals
		_ = service.Halt(halting) // it ends in any case
	}()
	return ctx, cancel
}

// startServer serves health and wake-ups. served gets the reason when it ends.
func (f sweepFlags) startServer(ctx context.Context, session *provider.Session, service *sweep.Service, work sweep.Work) (served chan error, err error) {
	served = make(chan error, 1)
	if f.listen == "" {
		served <- nil
		return served, nil
	}
	installation, err := work.Ledger.Installation(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the installation: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	server := &http.Server{
		Handler: wake.Handler(wake.Options{
			Service: service, OwnerOf: session.Ledger().OwnerOf, Installation: installation, Clock: clock.System{}, Logger: work.Logger,
			Secrets: wake.Secrets{
				Tokens: secrets(tokenVariable), Stripe: secrets(stripeVariable), GitHub: secrets(githubVariable), Keycloak: secrets(keycloakVariable),
			},
		}),
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
	}
	work.Logger.InfoContext(ctx, "listening", "address", listener.Addr().String())
	go func() {
		<-ctx.Done()
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(closing) // what is left is cut off with the process
	}()
	go func() {
		err := server.Serve(listener)
		if errors.Is(err, http.ErrServerClosed) {
			err = nil
		}
		served <- err
	}()
	return served, nil
}

// secrets reads the secrets in a variable.
func secrets(variable string) []string { return strings.Fields(os.Getenv(variable)) }

// relisten is the pause before listening again after the session was lost.
const relisten = 5 * time.Second

// keepListening lines up tenants as the ledger says that they are due. Without
// it a tick finds them a little later.
func keepListening(ctx context.Context, session *provider.Session, service *sweep.Service, work sweep.Work) {
	for ctx.Err() == nil {
		heard, err := session.Listen(ctx, func() {}, func(id tenant.ID) {
			if err := service.Told(ctx, id); err != nil && ctx.Err() == nil {
				work.Logger.WarnContext(ctx, "a due tenant could not be lined up", "tenant_id", string(id), "error", err.Error())
			}
		})
		if !heard {
			return
		}
		if ctx.Err() == nil {
			work.Logger.WarnContext(ctx, "listening again", "error", fmt.Sprint(err))
		}
		_ = clock.System{}.Sleep(ctx, relisten) // the loop looks at ctx
	}
}

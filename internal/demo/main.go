// Command demo shows the whole road in one minute: it applies
// examples/quickstart against the embedded sandbox, lets a DNS record vanish,
// shows and repairs the drift, proves that another apply changes nothing, and
// destroys everything with evidence. Every step checks what it shows; the exit
// code is 1 when one does not hold.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	begin := time.Now()
	s, err := newStage(ctx, os.Stdout)
	if err == nil {
		err = s.play(ctx)
		s.clear()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "\nThe demo failed: %v\n", err)
		stop()
		os.Exit(1)
	}
	s.say("Done in %s. Nothing is left but the ledger's evidence, and the demo removed that too.", time.Since(begin).Round(time.Second))
}

// play runs the acts in order and stops at the first that fails.
func (s *stage) play(ctx context.Context) error {
	for _, act := range []struct {
		title string
		run   func(context.Context) error
	}{
		{"Apply: three tenants of two customers in two regions", s.apply},
		{"The tenants, as the ledger knows them", s.showTenants},
		{"Somebody deletes a DNS record behind Terraform's back", s.breakDNS},
		{"Plan: the drift, as Terraform sees it", s.showDrift},
		{"Apply: repair", s.repair},
		{"Apply again: nothing to do, exactly one of each", s.applyAgain},
		{"Destroy: the finalization order, then the deed", s.destroy},
		{"Evidence of one tenant's end", s.showEvidence},
	} {
		s.heading(act.title)
		if err := act.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", act.title, err)
		}
	}
	return nil
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/tenantplane/terraform-provider-tenant/internal/provider"
	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox"
)

// The example's tenants, and what each is made of.
var (
	tenants = []string{"acme", "northstar-eu", "northstar-us"}
	objects = map[string]int{
		"keycloak/organization": 3, "stripe/customer": 3, "stripe/subscription": 3, "powerdns/rrset": 3,
	}
)

func (s *stage) apply(ctx context.Context) error {
	output, err := s.run(ctx, 0, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	if !says(output, "6 added") {
		return fmt.Errorf("six resources should have been added:\n%s", output)
	}
	if err := s.countObjects(ctx, objects); err != nil {
		return err
	}
	s.good("3 tenants and 3 gates added; 3 organizations, 3 customers, 3 subscriptions, 3 DNS records exist")
	return nil
}

func (s *stage) showTenants(ctx context.Context) error {
	output, err := s.tool(ctx, "status")
	if err != nil {
		return err
	}
	s.command("terraform-provider-tenant status")
	s.say("%s", output)
	return s.expectStatus(ctx, "ready")
}

// expectStatus checks that every tenant has a status.
func (s *stage) expectStatus(ctx context.Context, status string) error {
	output, err := s.tool(ctx, "status", "-o", "json")
	if err != nil {
		return err
	}
	var views []struct {
		Tenant string `json:"tenant_id"`
		Status string `json:"status"`
	}
	if err := json.Unmarshal([]byte(output), &views); err != nil {
		return fmt.Errorf("read status: %w", err)
	}
	if len(views) != len(tenants) {
		return fmt.Errorf("%d tenants in the ledger, expected %d", len(views), len(tenants))
	}
	for _, v := range views {
		if v.Status != status {
			return fmt.Errorf("tenant %s is %s, expected %s", v.Tenant, v.Status, status)
		}
	}
	return nil
}

// withAdmin opens the sandbox's state as its admin endpoint does.
func (s *stage) withAdmin(ctx context.Context, use func(sandbox.Admin) error) error {
	server, err := sandbox.Open(ctx, provider.SandboxOptions(provider.SandboxConfig{Path: filepath.Join(s.folder, ".tenant-sandbox")}))
	if err != nil {
		return err
	}
	defer server.Close()
	return use(sandbox.Admin{BaseURL: server.AdminURL()})
}

// countObjects checks how many objects exist that the example made.
func (s *stage) countObjects(ctx context.Context, want map[string]int) error {
	return s.withAdmin(ctx, func(admin sandbox.Admin) error {
		inventory, err := admin.Objects(ctx, sandbox.Filter{})
		if err != nil {
			return err
		}
		for kind, n := range want {
			if inventory.Counts[kind] != n {
				return fmt.Errorf("%d objects of kind %s exist, expected %d", inventory.Counts[kind], kind, n)
			}
		}
		return nil
	})
}

func (s *stage) breakDNS(ctx context.Context) error {
	err := s.withAdmin(ctx, func(admin sandbox.Admin) error {
		return admin.DeleteRecords(ctx, "example.com.", "acme.example.com.", "CNAME")
	})
	if err != nil {
		return err
	}
	s.good("acme.example.com is gone from DNS; Terraform does not know")
	return nil
}

func (s *stage) showDrift(ctx context.Context) error {
	output, err := s.run(ctx, 2, "plan", "-detailed-exitcode")
	if err != nil {
		return err
	}
	if err := s.excerpt(output, `# tenant.customer["acme"] will be updated in-place`, "Plan:"); err != nil {
		return err
	}
	if !says(output, "1 to change, 0 to destroy") {
		return fmt.Errorf("exactly one tenant should change:\n%s", output)
	}
	s.good("the plan adds the record back and touches nothing else")
	return nil
}

func (s *stage) repair(ctx context.Context) error {
	output, err := s.run(ctx, 0, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	if !says(output, "1 changed") {
		return fmt.Errorf("one tenant should have changed:\n%s", output)
	}
	s.good("the record is back")
	return s.countObjects(ctx, objects)
}

func (s *stage) applyAgain(ctx context.Context) error {
	if _, err := s.run(ctx, 0, "plan", "-detailed-exitcode"); err != nil {
		return err
	}
	output, err := s.run(ctx, 0, "apply", "-auto-approve")
	if err != nil {
		return err
	}
	if !says(output, "0 added, 0 changed, 0 destroyed") {
		return fmt.Errorf("nothing should have changed:\n%s", output)
	}
	s.good("no changes")
	return s.countObjects(ctx, objects)
}

func (s *stage) destroy(ctx context.Context) error {
	output, err := s.run(ctx, 0, "destroy", "-auto-approve")
	if err != nil {
		return err
	}
	if err := s.excerpt(output, "Tenant acme will be finalized in this order", "╵"); err != nil {
		return err
	}
	gone := map[string]int{}
	for kind := range objects {
		gone[kind] = 0
	}
	if err := s.countObjects(ctx, gone); err != nil {
		return err
	}
	s.good("6 resources destroyed; no organization, customer, subscription or record is left")
	return nil
}

func (s *stage) showEvidence(ctx context.Context) error {
	s.command("terraform-provider-tenant evidence acme")
	output, err := s.tool(ctx, "evidence", "acme")
	if err != nil {
		return err
	}
	s.say("%s", output)
	if !says(output, "chain verified") || !says(output, "delete domain.record") {
		return fmt.Errorf("the evidence is not complete")
	}
	return nil
}

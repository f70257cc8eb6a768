package storage

import (
	"encoding/json"
	"fmt"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// Attribute paths for messages.
const (
	PathIsolation  = "storage.isolation"
	PathVersioning = "storage.versioning"
	PathOnDestroy  = "storage.on_destroy"
	PathAdopt      = "storage.adopt"
)

// IsolationBucket gives each tenant a bucket of its own.
const IsolationBucket = "bucket"

// What a bucket's own on_destroy can say.
const (
	OnDestroyArchive = "archive"
	OnDestroyPurge   = "purge"
)

// Spec is what the user wants of a tenant's storage.
type Spec struct {
	// Isolation is how tenants are kept apart: "bucket", which "" means too.
	Isolation string `json:"isolation,omitempty"`
	// Versioning keeps overwritten and deleted objects as versions.
	Versioning bool `json:"versioning,omitempty"`
	// OnDestroy is what becomes of the data when the tenant goes: "archive"
	// keeps it for the tenant's retention, "purge" destroys it, and "" follows
	// the tenant's deletion.data.
	OnDestroy string `json:"on_destroy,omitempty"`
	// Adopt is the user's word on a bucket of our name without our marker:
	// "" (refuse), "matching" or "overwrite"; see engine.Object.
	Adopt string `json:"adopt,omitempty"`
}

// parseSpec decodes a component spec; a failure is one Terminal fault.
func parseSpec(raw json.RawMessage) (Spec, *fault.Fault) {
	var spec Spec
	if err := json.Unmarshal(raw, &spec); err != nil {
		f := fault.NewTerminal("storage.spec_malformed", Name,
			"the spec cannot be read: "+err.Error(), "report this as a bug of the provider")
		f.Err = err
		return Spec{}, f
	}
	return spec, nil
}

// check returns everything that is wrong with the spec and the derived name.
func (s Spec) check(name string) []*fault.Fault {
	var faults []*fault.Fault
	add := func(code, path, value, action string) {
		faults = append(faults, fault.NewTerminal(code, path, fmt.Sprintf("%q is not known", value), action))
	}
	if s.Isolation != "" && s.Isolation != IsolationBucket {
		add("storage.isolation_invalid", PathIsolation, s.Isolation, `use "bucket"`)
	}
	if s.OnDestroy != "" && s.OnDestroy != OnDestroyArchive && s.OnDestroy != OnDestroyPurge {
		add("storage.on_destroy_invalid", PathOnDestroy, s.OnDestroy,
			`use "archive" or "purge", or leave it out to follow deletion.data`)
	}
	if s.Adopt != "" && s.Adopt != "matching" && s.Adopt != "overwrite" {
		add("storage.adopt_invalid", PathAdopt, s.Adopt,
			`use "matching" or "overwrite", or leave it out to refuse buckets that are not marked as this tenant's`)
	}
	if err := CheckBucketName(name); err != nil {
		f := fault.NewTerminal("storage.name_invalid", Name,
			"the bucket name derived from the tenant id and the installation "+err.Error(),
			"choose another tenant id or installation")
		f.Err = err
		faults = append(faults, f)
	}
	return faults
}

// dataPolicy returns what becomes of the bucket's data.
func (s Spec) dataPolicy(deletion tenant.Deletion) tenant.DataPolicy {
	switch {
	case s.OnDestroy == OnDestroyArchive:
		return tenant.ArchiveData
	case s.OnDestroy == OnDestroyPurge:
		return tenant.DeleteData
	case deletion.Data == "":
		return tenant.RetainData
	default:
		return deletion.Data
	}
}

package database

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// Limits on seeds. Scripts live in the Terraform plan and in the ledger, both
// of which are read and written whole; bulk data belongs into the
// application's own migrations.
const (
	// MaxSeeds is the largest number of seeds.
	MaxSeeds = 64
	// MaxSeedBytes is the largest size of one seed, in bytes.
	MaxSeedBytes = 256 << 10
)

var seedName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._/-]{0,127}$`)

// validate returns everything that is wrong with the spec.
func (s Spec) validate() []*fault.Fault {
	var faults []*fault.Fault
	faults = oneOf(faults, "database.isolation", s.Isolation, "", IsolationSchema, IsolationDatabase)
	faults = oneOf(faults, "database.on_destroy", s.OnDestroy, "", OnDestroyArchive, OnDestroyCascade)
	faults = oneOf(faults, "database.adopt", s.Adopt, "", "matching", "overwrite")
	if len(s.Seed) > MaxSeeds {
		faults = append(faults, invalid("database.seed", fmt.Sprintf("lists %d seeds", len(s.Seed)),
			fmt.Sprintf("use at most %d", MaxSeeds)))
	}
	first := map[string]int{}
	for i, seed := range s.Seed {
		path := fmt.Sprintf("database.seed[%d]", i)
		if found, action := seed.problem(); found != "" {
			faults = append(faults, invalid(path, found, action))
		}
		if earlier, taken := first[seed.Name]; taken {
			faults = append(faults, invalid(path, fmt.Sprintf("has the name %q of seed[%d]", seed.Name, earlier),
				"give every seed a name of its own: the record of what ran goes by name"))
			continue
		}
		first[seed.Name] = i
	}
	return faults
}

// problem returns what is wrong with one seed and what to do; "" for nothing.
func (s Seed) problem() (found, action string) {
	switch {
	case !seedName.MatchString(s.Name):
		return fmt.Sprintf("has the name %q", s.Name),
			"use 1 to 128 letters, digits and . _ - / beginning with a letter, a digit or _"
	case strings.TrimSpace(s.SQL) == "":
		return fmt.Sprintf("%s is empty", s.Name), "give it SQL or leave it out"
	case len(s.SQL) > MaxSeedBytes:
		return fmt.Sprintf("%s has %d bytes", s.Name, len(s.SQL)),
			fmt.Sprintf("keep a seed within %d bytes and load bulk data with the application's migrations", MaxSeedBytes)
	case !utf8.ValidString(s.SQL) || strings.ContainsRune(s.SQL, 0):
		return fmt.Sprintf("%s is not UTF-8 text", s.Name), "save the script as UTF-8 without NUL bytes"
	}
	return "", ""
}

func oneOf(faults []*fault.Fault, path, value string, allowed ...string) []*fault.Fault {
	for _, a := range allowed {
		if value == a {
			return faults
		}
	}
	return append(faults, invalid(path, fmt.Sprintf("is %q", value),
		fmt.Sprintf("use one of %q or leave it out", allowed[1:])))
}

func invalid(path, found, action string) *fault.Fault {
	return fault.NewTerminal("database.invalid", path, found, action)
}

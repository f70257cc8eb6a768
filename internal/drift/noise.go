package drift

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// Noise lists drifts that are expected. Other fields of the same tenant still
// alarm.
type Noise []pattern

type pattern struct{ tenant, field string }

// ReadNoise reads one pattern a line, "‹tenant› ‹object›.‹field›", with * and ?
// as in file names; # begins a comment. In a Terraform plan the first word is
// the resource's address and the second the attribute.
func ReadNoise(r io.Reader) (Noise, error) {
	var out Noise
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if len(words) != 2 {
			return nil, fmt.Errorf("line %d of the noise list: want a tenant and a field, found %q", n, strings.TrimSpace(text))
		}
		for _, word := range words {
			if _, err := path.Match(word, ""); err != nil {
				return nil, fmt.Errorf("line %d of the noise list: %q is no pattern", n, word)
			}
		}
		out = append(out, pattern{words[0], words[1]})
	}
	return out, lines.Err()
}

// Apply moves what is expected from the drifts to the noise.
func (n Noise) Apply(t Tenant) Tenant {
	var drifts []Drift
	for _, d := range t.Drifts {
		if n.expects(t.Tenant, d) {
			t.Noise = append(t.Noise, d)
			continue
		}
		drifts = append(drifts, d)
	}
	t.Drifts = drifts
	return t
}

func (n Noise) expects(tenant string, d Drift) bool {
	name := strings.TrimPrefix(strings.TrimSuffix(d.Object+"."+d.Field, "."), ".")
	return slices.ContainsFunc(n, func(p pattern) bool {
		return matches(p.tenant, tenant) && matches(p.field, name)
	})
}

func matches(pattern, name string) bool {
	matched, err := path.Match(pattern, name)
	return err == nil && matched
}

package stripe

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

const (
	maxMetadata      = 50
	maxMetadataKey   = 40
	maxMetadataValue = 500
)

// mergeMetadata returns old with the changes of the parameter metadata: an
// empty value unsets a key, an empty parameter unsets all.
func mergeMetadata(p *params, old map[string]string) (map[string]string, *failure) {
	merged := map[string]string{}
	maps.Copy(merged, old)
	child := p.children["metadata"]
	if child == nil {
		return merged, nil
	}
	if len(child.children) == 0 {
		return map[string]string{}, nil
	}
	for _, key := range slices.Sorted(maps.Keys(child.children)) {
		value := child.children[key].value
		switch {
		case utf8.RuneCountInString(key) > maxMetadataKey:
			return nil, badParam("", "metadata", fmt.Sprintf("Invalid key: %s must be a string under %d characters", key, maxMetadataKey))
		case utf8.RuneCountInString(value) > maxMetadataValue:
			return nil, badParam("", "metadata", fmt.Sprintf("Invalid val: %s must be a string under %d characters", value, maxMetadataValue))
		case value == "":
			delete(merged, key)
		default:
			merged[key] = value
		}
	}
	if len(merged) > maxMetadata {
		return nil, badParam("", "metadata", fmt.Sprintf("Metadata can have up to %d keys, but you've set %d. Email us at support+metadata@stripe.com for more information.", maxMetadata, len(merged)))
	}
	return merged, nil
}

func markerOf(metadata map[string]string) tenant.Marker { return tenant.MarkerFromPairs(metadata) }

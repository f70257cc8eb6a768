package stripe

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"

	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// marked returns a form that puts the marker on an object. Other metadata the
// object has stays (docs.stripe.com/api/metadata).
func marked(m tenant.Marker) url.Values {
	form := url.Values{}
	for key, value := range m.Pairs() {
		setMetadata(form, key, value)
	}
	return form
}

func setMetadata(form url.Values, key, value string) { form.Set("metadata["+key+"]", value) }

// updateKey derives the key of an update from the intent's and from what is
// sent. Updates are absolute, so that the key only has to let the same bytes
// be sent again; bound to them it can never mismatch.
func updateKey(key string, form url.Values) string {
	sum := sha256.Sum256([]byte(form.Encode()))
	return key + "/u" + hex.EncodeToString(sum[:])[:12]
}

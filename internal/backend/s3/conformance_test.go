package s3

import (
	"net/http"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	miniotags "github.com/minio/minio-go/v7/pkg/tags"

	"github.com/tenantplane/terraform-provider-tenant/internal/acctest"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/backend/backendtest"
	"github.com/tenantplane/terraform-provider-tenant/internal/component/storage"
)

func TestConformance(t *testing.T) {
	server := acctest.S3(t)
	client := hand(t, server)
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	backendtest.Run(t, backendtest.Suite{
		HTTP:      true,
		Component: storage.Component{},
		Spec:      `{"isolation":"bucket","versioning":true}`,
		Changed:   `{"isolation":"bucket","versioning":false}`,
		Open: func(t *testing.T, transport http.RoundTripper) backend.Backend {
			return openOn(t, settings(server, transport))
		},
		Edit: func(t *testing.T, target backend.Target) {
			must(t, client.SuspendVersioning(t.Context(), target.Name))
		},
		Vanish: func(t *testing.T, target backend.Target) {
			must(t, client.RemoveBucket(t.Context(), target.Name))
		},
		Strip: func(t *testing.T, target backend.Target) {
			must(t, client.RemoveBucketTagging(t.Context(), target.Name))
		},
		FillData: func(t *testing.T, target backend.Target) {
			_, err := client.PutObject(t.Context(), target.Name, "customer/data", strings.NewReader("x"), 1, minio.PutObjectOptions{})
			must(t, err)
		},
	})
}

// tag sets the tags of the tenant's bucket by hand.
func (l *lab) tag(pairs map[string]string) {
	l.Helper()
	set, err := miniotags.MapToBucketTags(pairs)
	if err != nil {
		l.Fatal(err)
	}
	admin := hand(l.T, acctest.S3(l.T))
	if err := admin.SetBucketTagging(l.Context(), l.name(), set); err != nil {
		l.Fatalf("tag by hand: %v", err)
	}
}

package acctest

import (
	"net/url"
	"strings"
	"testing"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

func s3Client(t *testing.T, server S3Server) *minio.Client {
	t.Helper()
	endpoint, err := url.Parse(server.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds: credentials.NewStaticV4(server.AccessKey, server.SecretKey, ""), Region: server.Region, MaxRetries: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestS3KeepsVersionsOfWhatIsDeleted(t *testing.T) {
	client := s3Client(t, S3(t))
	const bucket = "acctest-versions"
	if err := client.MakeBucket(t.Context(), bucket, minio.MakeBucketOptions{}); err != nil {
		t.Fatalf("make a bucket: %v", err)
	}
	if err := client.EnableVersioning(t.Context(), bucket); err != nil {
		t.Fatalf("enable versioning: %v", err)
	}
	if _, err := client.PutObject(t.Context(), bucket, "key", strings.NewReader("x"), 1, minio.PutObjectOptions{}); err != nil {
		t.Fatalf("put an object: %v", err)
	}
	if err := client.RemoveObject(t.Context(), bucket, "key", minio.RemoveObjectOptions{}); err != nil {
		t.Fatalf("delete the object: %v", err)
	}
	var versions, markers int
	for object := range client.ListObjects(t.Context(), bucket, minio.ListObjectsOptions{WithVersions: true}) {
		if object.Err != nil {
			t.Fatalf("list versions: %v", object.Err)
		}
		if object.IsDeleteMarker {
			markers++
		} else {
			versions++
		}
	}
	if versions != 1 || markers != 1 {
		t.Errorf("found %d versions and %d delete markers, want one of each", versions, markers)
	}
}

func TestS3AccountsDoNotOwnEachOthersBuckets(t *testing.T) {
	server := S3(t)
	const bucket = "acctest-foreign"
	if err := s3Client(t, server.Account(t, "acctest-one")).MakeBucket(t.Context(), bucket, minio.MakeBucketOptions{}); err != nil {
		t.Fatalf("make a bucket: %v", err)
	}
	err := s3Client(t, server.Account(t, "acctest-two")).MakeBucket(t.Context(), bucket, minio.MakeBucketOptions{})
	if code := minio.ToErrorResponse(err).Code; code != minio.BucketAlreadyExists {
		t.Errorf("making it again from another account gave %v, want BucketAlreadyExists", err)
	}
}

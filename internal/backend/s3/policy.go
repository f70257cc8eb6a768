package s3

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/minio/minio-go/v7"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// archivedSid begins the names of those statements of a bucket policy that are
// ours.
const archivedSid = "TenantArchived"

// statement is one statement of a bucket policy, kept as it was found.
type statement map[string]any

// refuseWrites adds to the bucket policy that nobody may write or delete. It
// returns false where the store has no bucket policies.
//
// Some stores, versitygw among them, let a policy replace the owner's own
// rights, so that one that only denies would lock us out for good. There the
// access key is a principal, and the policy allows it everything else. Stores
// that know principals of another kind, as Amazon S3 does, refuse that policy,
// and there one that only denies is safe.
func (b *Backend) refuseWrites(ctx context.Context, target backend.Target) (bool, error) {
	objects := "arn:aws:s3:::" + bucketName(target) + "/*"
	deny := statement{
		"Sid": archivedSid, "Effect": "Deny", "Principal": "*", "Resource": []string{objects},
		"Action": []string{"s3:PutObject", "s3:DeleteObject", "s3:DeleteObjectVersion"},
	}
	allow := statement{
		"Sid": archivedSid + "Owner", "Effect": "Allow", "Principal": map[string]string{"AWS": b.accessKey},
		"Action": "s3:*", "Resource": []string{"arn:aws:s3:::" + bucketName(target), objects},
	}
	err := b.addToPolicy(ctx, target, deny, allow)
	if wellFormed(err).Code == minio.MalformedPolicy {
		err = b.addToPolicy(ctx, target, deny)
	}
	if unsupported(err) {
		return false, nil
	}
	return err == nil, err
}

func (b *Backend) addToPolicy(ctx context.Context, target backend.Target, ours ...statement) error {
	return b.editPolicy(ctx, target, func(others []statement) []statement { return append(others, ours...) })
}

// allowWrites takes that back and leaves the rest of the policy.
func (b *Backend) allowWrites(ctx context.Context, target backend.Target) error {
	err := b.editPolicy(ctx, target, func(others []statement) []statement { return others })
	if unsupported(err) {
		return nil
	}
	return err
}

// editPolicy replaces the bucket policy with what edit makes of the statements
// that are not ours. An empty policy is removed.
func (b *Backend) editPolicy(ctx context.Context, target backend.Target, edit func([]statement) []statement) error {
	text, err := b.core.GetBucketPolicy(ctx, bucketName(target))
	if err != nil && wellFormed(err).Code != minio.NoSuchBucketPolicy {
		return b.readFault("read the policy of", target, err)
	}
	document := map[string]json.RawMessage{"Version": json.RawMessage(`"2012-10-17"`)}
	var statements []statement
	if text != "" {
		if statements, err = parsePolicy(text, document); err != nil {
			return wrap("read the policy of", target, fault.NewTerminal("storage.policy_unreadable", target.Path,
				"the bucket policy is not understood: "+err.Error(), "correct the bucket policy"))
		}
	}
	next := edit(withoutOurs(statements))
	if len(next) == 0 {
		return b.putPolicy(ctx, target, "")
	}
	encoded, err := json.Marshal(next)
	if err != nil {
		return b.writeFault("encode the policy of", target, err)
	}
	document["Statement"] = encoded
	edited, err := json.Marshal(document)
	if err != nil {
		return b.writeFault("encode the policy of", target, err)
	}
	return b.putPolicy(ctx, target, string(edited))
}

// putPolicy stores the policy, or removes it when text is "".
func (b *Backend) putPolicy(ctx context.Context, target backend.Target, text string) error {
	if err := b.core.SetBucketPolicy(ctx, bucketName(target), text); err != nil {
		return b.writeFault("set the policy of", target, err)
	}
	return nil
}

// parsePolicy reads a policy into document and returns its statements; a
// single one may stand without a list.
func parsePolicy(text string, document map[string]json.RawMessage) ([]statement, error) {
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		return nil, err
	}
	var many []statement
	if err := json.Unmarshal(document["Statement"], &many); err == nil {
		return many, nil
	}
	var one statement
	if err := json.Unmarshal(document["Statement"], &one); err != nil {
		return nil, err
	}
	return []statement{one}, nil
}

func withoutOurs(statements []statement) []statement {
	var others []statement
	for _, s := range statements {
		if sid, _ := s["Sid"].(string); !strings.HasPrefix(sid, archivedSid) {
			others = append(others, s)
		}
	}
	return others
}

package s3

import (
	"context"
	"encoding/json"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// archivedSid names the one statement of a bucket policy that is ours.
const archivedSid = "TenantArchived"

// statement is one statement of a bucket policy, kept as it was found.
type statement map[string]any

// refuseWrites adds to the bucket policy that nobody may write or delete. It
// returns false where the store has no bucket policies.
func (b *Backend) refuseWrites(ctx context.Context, target backend.Target) (bool, error) {
	err := b.editPolicy(ctx, target, func(others []statement) []statement {
		return append(others, statement{
			"Sid": archivedSid, "Effect": "Deny", "Principal": "*",
			"Action":   []string{"s3:PutObject", "s3:DeleteObject", "s3:DeleteObjectVersion"},
			"Resource": []string{"arn:aws:s3:::" + bucketName(target) + "/*"},
		})
	})
	if unsupported(err) {
		return false, nil
	}
	return err == nil, err
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
	if err != nil {
		return b.readFault("read the policy of", target, err)
	}
	document := map[string]json.RawMessage{"Version": json.RawMessage(`"2012-10-17"`)}
	var statements []statement
	if text != "" {
		if statements, err = parsePolicy(text, &document); err != nil {
			return wrap("read the policy of", target, fault.NewTerminal("storage.policy_unreadable", target.Path,
				"the bucket policy is not understood: "+err.Error(), "correct the bucket policy"))
		}
	}
	next := edit(without(statements, archivedSid))
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

// parsePolicy reads a policy; its one statement may stand without a list.
func parsePolicy(text string, document *map[string]json.RawMessage) ([]statement, error) {
	if err := json.Unmarshal([]byte(text), document); err != nil {
		return nil, err
	}
	raw := (*document)["Statement"]
	var many []statement
	if err := json.Unmarshal(raw, &many); err == nil {
		return many, nil
	}
	var one statement
	if err := json.Unmarshal(raw, &one); err != nil {
		return nil, err
	}
	return []statement{one}, nil
}

func without(statements []statement, sid string) []statement {
	var others []statement
	for _, s := range statements {
		if s["Sid"] != sid {
			others = append(others, s)
		}
	}
	return others
}

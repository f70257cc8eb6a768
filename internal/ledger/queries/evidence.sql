-- name: LastEvidence :one
SELECT sequence, hash FROM evidence WHERE tenant_id = $1 ORDER BY sequence DESC LIMIT 1;

-- name: AppendEvidence :exec
INSERT INTO evidence (tenant_id, sequence, at, actor, step, outcome, details, previous, hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: ListEvidence :many
SELECT * FROM evidence WHERE tenant_id = $1 ORDER BY sequence;

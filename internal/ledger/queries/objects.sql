-- name: PutObject :exec
INSERT INTO objects (
    tenant_id, component, object, forgotten, highest_epoch, external_id, name, epoch, attempt, condition, message,
    fields, spec, generation, pending_until, drift_since, observed_at
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
ON CONFLICT (tenant_id, component, object) DO UPDATE SET
    forgotten = excluded.forgotten,
    highest_epoch = CASE WHEN objects.highest_epoch > excluded.highest_epoch
                         THEN objects.highest_epoch ELSE excluded.highest_epoch END,
    external_id = excluded.external_id, name = excluded.name, epoch = excluded.epoch, attempt = excluded.attempt,
    condition = excluded.condition, message = excluded.message, fields = excluded.fields, spec = excluded.spec,
    generation = excluded.generation, pending_until = excluded.pending_until, drift_since = excluded.drift_since,
    observed_at = excluded.observed_at;

-- name: ListObjects :many
SELECT * FROM objects WHERE tenant_id = $1 AND forgotten = 0 ORDER BY component, object;

-- name: HighestEpoch :one
SELECT highest_epoch FROM objects WHERE tenant_id = $1 AND component = $2 AND object = $3;

-- name: OwnerOf :one
SELECT tenant_id FROM objects WHERE external_id = $1 AND external_id <> '' AND forgotten = 0 ORDER BY tenant_id LIMIT 1;

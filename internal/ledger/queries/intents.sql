-- name: OpenIntent :one
-- A key is bound to the request it was first used with: the same key again
-- keeps request_hash and first_used_at, so that the caller sees a mismatch.
INSERT INTO intents (
    tenant_id, component, object, verb, idempotency_key, request_hash, epoch, attempt, first_used_at, last_used_at, tries
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, 1)
ON CONFLICT (tenant_id, component, object) DO UPDATE SET
    verb = excluded.verb,
    request_hash = CASE WHEN intents.idempotency_key = excluded.idempotency_key
                        THEN intents.request_hash ELSE excluded.request_hash END,
    first_used_at = CASE WHEN intents.idempotency_key = excluded.idempotency_key
                         THEN intents.first_used_at ELSE excluded.first_used_at END,
    last_used_at = excluded.last_used_at,
    tries = CASE WHEN intents.idempotency_key = excluded.idempotency_key THEN intents.tries + 1 ELSE 1 END,
    idempotency_key = excluded.idempotency_key,
    epoch = excluded.epoch,
    attempt = excluded.attempt
RETURNING *;

-- name: CloseIntent :exec
DELETE FROM intents WHERE tenant_id = $1 AND component = $2 AND object = $3;

-- name: ListIntents :many
SELECT * FROM intents WHERE tenant_id = $1 ORDER BY first_used_at, component, object;

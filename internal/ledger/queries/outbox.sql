-- name: LastPosition :one
SELECT position FROM outbox WHERE tenant_id = $1 ORDER BY position DESC LIMIT 1;

-- name: AppendEvent :exec
-- An id is the same fact for ever: a second time it is not appended again.
INSERT INTO outbox (event_id, tenant_id, position, type, correlation, at, data, published, published_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8)
ON CONFLICT (event_id) DO NOTHING;

-- name: ListPendingEvents :many
SELECT * FROM outbox WHERE published = 0 ORDER BY position, tenant_id LIMIT $1;

-- name: MarkEventPublished :exec
UPDATE outbox SET published = 1, published_at = $2 WHERE event_id = $1 AND published = 0;

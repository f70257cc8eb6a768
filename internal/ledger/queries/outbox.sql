-- name: LastPosition :one
SELECT position FROM outbox WHERE tenant_id = $1 ORDER BY position DESC LIMIT 1;

-- name: AppendEvent :execrows
-- An id is the same fact for ever: a second time it is not appended again.
INSERT INTO outbox (event_id, tenant_id, position, type, correlation, at, data)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (event_id) DO NOTHING;

-- name: ListEvents :many
-- tenant_id and types may be empty for all; types is ",a,b,". Newest first.
SELECT * FROM outbox
WHERE (CAST(sqlc.arg(tenant_id) AS TEXT) = '' OR tenant_id = CAST(sqlc.arg(tenant_id) AS TEXT))
  AND (CAST(sqlc.arg(types) AS TEXT) = '' OR CAST(sqlc.arg(types) AS TEXT) LIKE '%,' || type || ',%')
ORDER BY position DESC, tenant_id
LIMIT CAST(sqlc.arg(at_most) AS BIGINT);

-- name: PurgeEvents :execrows
-- What some sink is still owed stays, however old.
DELETE FROM outbox WHERE event_id IN (
    SELECT o.event_id FROM outbox o
    WHERE o.at < sqlc.arg(before) AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = o.event_id)
    ORDER BY o.at LIMIT CAST(sqlc.arg(at_most) AS BIGINT)
);

-- name: InsertSink :execrows
INSERT INTO sinks (name, registered_at, paused_until, outages, last_error) VALUES ($1, $2, $3, 0, '')
ON CONFLICT (name) DO NOTHING;

-- name: DeleteSink :execrows
DELETE FROM sinks WHERE name = $1;

-- name: DeleteDeliveriesOf :exec
DELETE FROM deliveries WHERE sink = $1;

-- name: ListSinks :many
SELECT s.name, s.registered_at, s.paused_until, s.outages, s.last_error,
    CAST((SELECT COUNT(*) FROM deliveries d WHERE d.sink = s.name AND d.dead = 0) AS BIGINT) AS pending,
    CAST((SELECT COUNT(*) FROM deliveries d WHERE d.sink = s.name AND d.dead = 1) AS BIGINT) AS dead,
    CAST(COALESCE((SELECT MIN(o.at) FROM deliveries d JOIN outbox o ON o.event_id = d.event_id WHERE d.sink = s.name AND d.dead = 0), sqlc.arg(zero_time)) AS BIGINT) AS oldest
FROM sinks s ORDER BY s.name;

-- name: OweBacklog :exec
INSERT INTO deliveries (sink, event_id, tenant_id, position, dead, attempts, next_at, holder, held_until, last_error)
SELECT CAST(sqlc.arg(sink) AS TEXT), event_id, tenant_id, position, 0, 0, CAST(sqlc.arg(now) AS BIGINT), '', CAST(sqlc.arg(zero_time) AS BIGINT), '' FROM outbox;

-- name: OweEvent :exec
INSERT INTO deliveries (sink, event_id, tenant_id, position, dead, attempts, next_at, holder, held_until, last_error)
SELECT name, CAST(sqlc.arg(event_id) AS TEXT), CAST(sqlc.arg(tenant_id) AS TEXT), CAST(sqlc.arg(position) AS BIGINT), 0, 0,
    CAST(sqlc.arg(now) AS BIGINT), '', CAST(sqlc.arg(zero_time) AS BIGINT), '' FROM sinks;

-- name: LockSink :one
UPDATE sinks SET name = name WHERE name = $1 RETURNING *;

-- name: UpdateSink :exec
UPDATE sinks SET paused_until = $2, outages = $3, last_error = $4 WHERE name = $1;

-- name: ListClaimable :many
-- The first undelivered event of each tenant, if it is due and nobody has it:
-- a later one never overtakes.
SELECT d.event_id, d.attempts, d.holder, d.held_until FROM deliveries d
WHERE d.sink = sqlc.arg(sink) AND d.dead = 0 AND d.next_at <= sqlc.arg(now) AND d.held_until <= sqlc.arg(now)
  AND NOT EXISTS (
      SELECT 1 FROM deliveries e
      WHERE e.sink = d.sink AND e.dead = 0 AND e.tenant_id = d.tenant_id AND e.position < d.position)
ORDER BY d.position, d.tenant_id
LIMIT CAST(sqlc.arg(at_most) AS BIGINT);

-- name: ClaimDelivery :execrows
-- A stale claim is taken over only as it was seen: of two that try, one gets it.
UPDATE deliveries SET holder = sqlc.arg(holder), held_until = sqlc.arg(held_until)
WHERE sink = sqlc.arg(sink) AND event_id = sqlc.arg(event_id) AND dead = 0
  AND holder = sqlc.arg(old_holder) AND held_until = sqlc.arg(old_held_until);

-- name: GetEvent :one
SELECT * FROM outbox WHERE event_id = $1;

-- name: DeleteDelivery :exec
DELETE FROM deliveries WHERE sink = sqlc.arg(sink) AND event_id = sqlc.arg(event_id) AND holder = sqlc.arg(holder);

-- name: PutBackDelivery :exec
UPDATE deliveries SET dead = sqlc.arg(dead), attempts = sqlc.arg(attempts), next_at = sqlc.arg(next_at), holder = '', held_until = sqlc.arg(zero_time), last_error = sqlc.arg(last_error)
WHERE sink = sqlc.arg(sink) AND event_id = sqlc.arg(event_id) AND holder = sqlc.arg(holder);

-- name: ListDead :many
SELECT d.sink, d.attempts, d.last_error, o.event_id, o.tenant_id, o.position, o.type, o.correlation, o.at, o.data
FROM deliveries d JOIN outbox o ON o.event_id = d.event_id
WHERE d.dead = 1 AND (CAST(sqlc.arg(sink) AS TEXT) = '' OR d.sink = CAST(sqlc.arg(sink) AS TEXT))
ORDER BY d.sink, d.position, d.tenant_id;

-- name: ReplayDead :execrows
UPDATE deliveries SET dead = 0, attempts = 0, next_at = sqlc.arg(now)
WHERE dead = 1 AND sink = sqlc.arg(sink)
  AND (CAST(sqlc.arg(tenant_id) AS TEXT) = '' OR tenant_id = CAST(sqlc.arg(tenant_id) AS TEXT))
  AND (CAST(sqlc.arg(event_id) AS TEXT) = '' OR event_id = CAST(sqlc.arg(event_id) AS TEXT));

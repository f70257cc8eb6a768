-- name: LockTenant :one
UPDATE tenants SET id = id WHERE id = $1 RETURNING *;

-- name: GetTenant :one
SELECT * FROM tenants WHERE id = $1;

-- name: CountTenants :one
SELECT COUNT(*) FROM tenants;

-- name: InsertTenant :execrows
INSERT INTO tenants (
    id, region, spec, fingerprint, desired_generation, observed_generation, provisioning_status, claim,
    last_reconciled_at, next_reconcile_at, failure_count, last_error_code, last_error, correlation_id, created_at,
    examined_at, paused_until, pause_reason, suspended_at, suspend_reason
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
ON CONFLICT (id) DO NOTHING;

-- name: UpdateTenant :exec
UPDATE tenants SET
    region = $2, spec = $3, fingerprint = $4, desired_generation = $5, observed_generation = $6,
    provisioning_status = $7, claim = $8, last_reconciled_at = $9, next_reconcile_at = $10,
    failure_count = $11, last_error_code = $12, last_error = $13, correlation_id = $14, created_at = $15,
    examined_at = $16, paused_until = $17, pause_reason = $18, suspended_at = $19, suspend_reason = $20
WHERE id = $1;

-- name: ListTenants :many
-- statuses is ",a,b,", or empty for all.
SELECT * FROM tenants
WHERE (CAST(sqlc.arg(statuses) AS TEXT) = '' OR CAST(sqlc.arg(statuses) AS TEXT) LIKE '%,' || provisioning_status || ',%')
  AND (provisioning_status <> 'deleted' OR CAST(sqlc.arg(with_deleted) AS BIGINT) = 1)
ORDER BY id
LIMIT CAST(sqlc.arg(at_most) AS BIGINT);

-- name: ListDueTenants :many
-- A tombstone with nothing left to do has the zero time and is never due.
SELECT * FROM tenants
WHERE next_reconcile_at <= sqlc.arg(due_at)
  AND (CAST(sqlc.arg(statuses) AS TEXT) = '' OR CAST(sqlc.arg(statuses) AS TEXT) LIKE '%,' || provisioning_status || ',%')
  AND (provisioning_status <> 'deleted'
       OR (CAST(sqlc.arg(with_deleted) AS BIGINT) = 1 AND next_reconcile_at > sqlc.arg(zero_time)))
ORDER BY next_reconcile_at, id
LIMIT CAST(sqlc.arg(at_most) AS BIGINT);

-- name: ListDue :many
-- Light: of thousands of due tenants only what a sweep sorts by. health is 0
-- for any, 1 for those without failures, 2 for those with.
SELECT id, desired_generation, observed_generation, next_reconcile_at FROM tenants
WHERE next_reconcile_at <= sqlc.arg(due_at)
  AND (provisioning_status <> 'deleted' OR next_reconcile_at > sqlc.arg(zero_time))
  AND NOT EXISTS (SELECT 1 FROM leases WHERE tenant_id = id AND expires_at > sqlc.arg(due_at))
  AND (CAST(sqlc.arg(health) AS BIGINT) = 0
       OR (CAST(sqlc.arg(health) AS BIGINT) = 1 AND failure_count = 0)
       OR (CAST(sqlc.arg(health) AS BIGINT) = 2 AND failure_count > 0))
ORDER BY next_reconcile_at, id
LIMIT CAST(sqlc.arg(at_most) AS BIGINT);

-- name: CountByStatus :many
SELECT provisioning_status, CAST(COUNT(*) AS BIGINT) AS tenants, CAST(MAX(desired_generation - observed_generation) AS BIGINT) AS gap
FROM tenants WHERE provisioning_status <> 'deleted' GROUP BY provisioning_status;

-- name: OldestDrift :one
SELECT CAST(COALESCE(MIN(drift_since), sqlc.arg(zero_time)) AS BIGINT) AS since FROM objects
WHERE drift_since > sqlc.arg(zero_time) AND forgotten = 0;

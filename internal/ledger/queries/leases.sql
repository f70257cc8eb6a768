-- name: TakeLease :one
-- Gives no row while another holder's lease lives.
INSERT INTO leases (tenant_id, holder, fence, expires_at)
VALUES (sqlc.arg(tenant_id), sqlc.arg(holder), 1, sqlc.arg(expires_at))
ON CONFLICT (tenant_id) DO UPDATE
SET holder = excluded.holder, fence = leases.fence + 1, expires_at = excluded.expires_at
WHERE leases.holder = excluded.holder OR leases.expires_at <= sqlc.arg(now)
RETURNING fence;

-- name: GetLease :one
SELECT * FROM leases WHERE tenant_id = $1;

-- name: SetLeaseEnd :exec
UPDATE leases SET expires_at = $3 WHERE tenant_id = $1 AND fence = $2;

-- name: EndLease :exec
UPDATE leases SET expires_at = $4 WHERE tenant_id = $1 AND fence = $2 AND holder = $3;

-- name: GetTally :one
SELECT * FROM tallies WHERE scope = $1;

-- name: ListTallies :many
SELECT * FROM tallies ORDER BY scope;

-- name: InsertTally :execrows
INSERT INTO tallies (scope, failures, since, open_until, reason) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (scope) DO NOTHING;

-- name: SwapTally :execrows
-- Only what is still stored as it was read is replaced.
UPDATE tallies SET failures = sqlc.arg(failures), since = sqlc.arg(since), open_until = sqlc.arg(open_until), reason = sqlc.arg(reason)
WHERE scope = sqlc.arg(scope) AND failures = sqlc.arg(old_failures) AND since = sqlc.arg(old_since) AND open_until = sqlc.arg(old_open_until);

-- name: DeleteTally :execrows
DELETE FROM tallies
WHERE scope = sqlc.arg(scope) AND failures = sqlc.arg(old_failures) AND since = sqlc.arg(old_since) AND open_until = sqlc.arg(old_open_until);

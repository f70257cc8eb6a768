-- name: PutInstallation :exec
INSERT INTO installation (only_row, id, chosen) VALUES (1, $1, 0)
ON CONFLICT (only_row) DO NOTHING;

-- name: GetInstallation :one
SELECT id FROM installation WHERE only_row = 1;

-- name: LockInstallation :one
UPDATE installation SET only_row = 1 WHERE only_row = 1 RETURNING id, chosen;

-- name: ChooseInstallation :exec
UPDATE installation SET id = $1, chosen = 1 WHERE only_row = 1;

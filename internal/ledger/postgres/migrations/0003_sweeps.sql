-- What sweeps remember, and what people tell them: when everything of a tenant
-- was last looked at, until when drift is left alone, whether access is off,
-- and which breakers are open.

-- +goose Up
ALTER TABLE tenants ADD COLUMN examined_at BIGINT NOT NULL DEFAULT -62135596800000000;
ALTER TABLE tenants ADD COLUMN paused_until BIGINT NOT NULL DEFAULT -62135596800000000;
ALTER TABLE tenants ADD COLUMN pause_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE tenants ADD COLUMN suspended_at BIGINT NOT NULL DEFAULT -62135596800000000;
ALTER TABLE tenants ADD COLUMN suspend_reason TEXT NOT NULL DEFAULT '';

-- When the call was last sent: until it has had its time, absence proves
-- nothing. An intent of an earlier version may have been sent just now.
ALTER TABLE intents ADD COLUMN last_used_at BIGINT NOT NULL DEFAULT -62135596800000000;
UPDATE intents SET last_used_at = first_used_at;

-- One row per scope that fails: a tenant, a backend, a backend's absences.
CREATE TABLE tallies (
    scope      TEXT COLLATE "C" PRIMARY KEY,
    failures   BIGINT NOT NULL,
    since      BIGINT NOT NULL,
    open_until BIGINT NOT NULL,
    reason     TEXT   NOT NULL
);

-- For events of the outside world, which know an object by its id there.
CREATE INDEX objects_external ON objects (external_id) WHERE external_id <> '';

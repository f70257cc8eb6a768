-- The first schema. One file serves SQLite and PostgreSQL, so it keeps to what
-- both understand: TEXT and BIGINT. Times are microseconds since 1970, UTC;
-- the zero time is what Go's time.Time{} gives, -62135596800000000.

-- +goose Up
CREATE TABLE installation (
    only_row BIGINT PRIMARY KEY CHECK (only_row = 1),
    id       TEXT   NOT NULL,
    -- 1 once somebody chose the id; 0 while it is the one drawn at creation.
    chosen   BIGINT NOT NULL
);

CREATE TABLE tenants (
    id                  TEXT   PRIMARY KEY,
    region              TEXT   NOT NULL,
    spec                TEXT   NOT NULL,
    fingerprint         TEXT   NOT NULL,
    desired_generation  BIGINT NOT NULL CHECK (desired_generation >= 1),
    observed_generation BIGINT NOT NULL CHECK (observed_generation BETWEEN 0 AND desired_generation),
    provisioning_status TEXT   NOT NULL,
    claim               TEXT   NOT NULL,
    last_reconciled_at  BIGINT NOT NULL,
    next_reconcile_at   BIGINT NOT NULL,
    failure_count       BIGINT NOT NULL CHECK (failure_count >= 0),
    last_error_code     TEXT   NOT NULL,
    last_error          TEXT   NOT NULL,
    correlation_id      TEXT   NOT NULL,
    created_at          BIGINT NOT NULL
);
CREATE INDEX tenants_due ON tenants (next_reconcile_at);

CREATE TABLE leases (
    tenant_id  TEXT   PRIMARY KEY REFERENCES tenants (id),
    holder     TEXT   NOT NULL,
    fence      BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

-- A forgotten object keeps its row: highest_epoch must outlive it.
CREATE TABLE objects (
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id),
    component     TEXT   NOT NULL,
    object        TEXT   NOT NULL,
    forgotten     BIGINT NOT NULL,
    highest_epoch BIGINT NOT NULL,
    external_id   TEXT   NOT NULL,
    name          TEXT   NOT NULL,
    epoch         BIGINT NOT NULL,
    attempt       BIGINT NOT NULL,
    condition     TEXT   NOT NULL,
    message       TEXT   NOT NULL,
    fields        TEXT   NOT NULL,
    spec          TEXT   NOT NULL,
    generation    BIGINT NOT NULL,
    pending_until BIGINT NOT NULL,
    drift_since   BIGINT NOT NULL,
    observed_at   BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, component, object)
);

-- Open intents only: a closed one is deleted. The key makes a second open
-- intent for one object impossible.
CREATE TABLE intents (
    tenant_id     TEXT   NOT NULL REFERENCES tenants (id),
    component     TEXT   NOT NULL,
    object        TEXT   NOT NULL,
    verb          TEXT   NOT NULL,
    idempotency_key TEXT NOT NULL,
    request_hash  TEXT   NOT NULL,
    epoch         BIGINT NOT NULL,
    attempt       BIGINT NOT NULL,
    first_used_at BIGINT NOT NULL,
    tries         BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, component, object)
);

CREATE TABLE evidence (
    tenant_id TEXT   NOT NULL REFERENCES tenants (id),
    sequence  BIGINT NOT NULL,
    at        BIGINT NOT NULL,
    actor     TEXT   NOT NULL,
    step      TEXT   NOT NULL,
    outcome   TEXT   NOT NULL,
    details   TEXT   NOT NULL,
    previous  TEXT   NOT NULL,
    hash      TEXT   NOT NULL,
    PRIMARY KEY (tenant_id, sequence)
);

-- position orders the events of a tenant strictly and those of different
-- tenants roughly by time; no sequence object is needed for it.
CREATE TABLE outbox (
    event_id     TEXT   PRIMARY KEY,
    tenant_id    TEXT   NOT NULL REFERENCES tenants (id),
    position     BIGINT NOT NULL,
    type         TEXT   NOT NULL,
    correlation  TEXT   NOT NULL,
    at           BIGINT NOT NULL,
    data         TEXT   NOT NULL,
    published    BIGINT NOT NULL,
    published_at BIGINT NOT NULL,
    UNIQUE (tenant_id, position)
);
CREATE INDEX outbox_pending ON outbox (position, tenant_id) WHERE published = 0;

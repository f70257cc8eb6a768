PRAGMA application_id = 1953395820;
PRAGMA journal_mode = wal;
CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
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
CREATE TABLE leases (
    tenant_id  TEXT   PRIMARY KEY REFERENCES tenants (id),
    holder     TEXT   NOT NULL,
    fence      BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
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
CREATE INDEX tenants_due ON tenants (next_reconcile_at);
CREATE INDEX outbox_pending ON outbox (position, tenant_id) WHERE published = 0;
INSERT INTO goose_db_version VALUES (1, 0, 1, '2026-12-01 05:24:09');
INSERT INTO goose_db_version VALUES (2, 1, 1, '2026-12-01 05:24:09');
INSERT INTO installation VALUES (1, 'released', 1);
INSERT INTO tenants VALUES ('acme', 'us-east', '{"subject":{"installation":"test","id":"acme","display_name":"Tenant acme","region":"us-east"},"components":{"quota":{"seats":1}},"deletion":{"data":"archive","retention_days":90},"drift":{}}', '5af0908483f031f958c068c493413f6baab87e62825fbb82391784ac32f56bd3', 1, 0, 'pending', 'state-a', -62135596800000000, 1772366400000000, 0, '', '', 'onboarding-1', 1772366400000000);
INSERT INTO tenants VALUES ('gone', 'us-east', '{"subject":{"installation":"test","id":"gone","display_name":"Tenant gone","region":"us-east"},"components":{"quota":{"seats":2}},"deletion":{"data":"archive","retention_days":90},"drift":{}}', '87b5bbc32360c1c232d51c5b61ee81860cb7177a40808ebe29c576016fffe3fc', 1, 0, 'deleted', '', 1772366400000000, 1780142400000000, 0, '', '', 'onboarding-1', 1772366400000000);
INSERT INTO leases VALUES ('acme', 'worker-1', 1, 1772366460000000);
INSERT INTO leases VALUES ('gone', 'worker-1', 1, -62135596800000000);
INSERT INTO objects VALUES ('acme', 'billing', 'customer', 0, 1, 'billing-id', 'tnt-billing', 1, 1, 'Ready', '', '{"domains":["a.example","b.example"],"plan":["pro"]}', '{"plan":"pro"}', 1, -62135596800000000, -62135596800000000, 1772366400000000);
INSERT INTO objects VALUES ('gone', 'database', 'schema', 1, 1, '', '', 0, 0, '', '', '', '', 0, -62135596800000000, -62135596800000000, 1772366400000000);
INSERT INTO objects VALUES ('gone', 'database', 'schema@1', 0, 1, 'database-id', 'tnt-database', 1, 1, 'Archived', '', '{"domains":["a.example","b.example"],"plan":["pro"]}', '{"plan":"pro"}', 1, 1780142400000000, -62135596800000000, 1772366400000000);
INSERT INTO intents VALUES ('acme', 'domain', 'record', 'create', 'released/acme/domain.record/e1', '0011aabb', 1, 1, 1772366400000000, 1);
INSERT INTO evidence VALUES ('gone', 1, 1772366400000000, 'state-a', 'archive database.schema', 'archived', '{"rows":"42"}', '', 'fdd156b6ae92973030e696897f3b4aeb1717e0dc44d3bd87ac3511e516a6e2c3');
INSERT INTO evidence VALUES ('gone', 2, 1772366400000000, 'state-a', 'verify', 'nothing left', '', 'fdd156b6ae92973030e696897f3b4aeb1717e0dc44d3bd87ac3511e516a6e2c3', '1df0179064304d07f77e05db73fb95eabf230121e133eb0ae3d67baf56ba3cb6');
INSERT INTO outbox VALUES ('event-1', 'acme', 1772366400000000, 'tenant.registration_initiated.v1', 'onboarding-1', 1772366400000000, '', 0, -62135596800000000);
INSERT INTO outbox VALUES ('ready-1', 'acme', 1772366400000001, 'tenant.component_ready.v1', 'onboarding-1', 1772366400000000, '{"component":"billing"}', 0, -62135596800000000);
INSERT INTO outbox VALUES ('event-2', 'gone', 1772366400000000, 'tenant.registration_initiated.v1', 'onboarding-1', 1772366400000000, '', 0, -62135596800000000);

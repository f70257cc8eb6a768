-- Each sink is owed each event by itself: a row per event that is not delivered
-- yet, inserted with the event. There is no cursor that could pass a row which
-- commits late, and what is delivered leaves no row to grow the table.

-- +goose Up
DELETE FROM outbox WHERE published = 1;
DROP INDEX outbox_pending;
ALTER TABLE outbox DROP COLUMN published;
ALTER TABLE outbox DROP COLUMN published_at;
CREATE INDEX outbox_age ON outbox (at);

CREATE TABLE sinks (
    name          TEXT   PRIMARY KEY,
    registered_at BIGINT NOT NULL,
    -- The sink as a whole is left alone until then, after outages in a row.
    paused_until  BIGINT NOT NULL,
    outages       BIGINT NOT NULL,
    last_error    TEXT   NOT NULL
);

CREATE TABLE deliveries (
    sink       TEXT   NOT NULL REFERENCES sinks (name),
    event_id   TEXT   NOT NULL REFERENCES outbox (event_id),
    tenant_id  TEXT   NOT NULL,
    position   BIGINT NOT NULL,
    -- 1: given up; somebody has to look.
    dead       BIGINT NOT NULL,
    attempts   BIGINT NOT NULL,
    next_at    BIGINT NOT NULL,
    holder     TEXT   NOT NULL,
    held_until BIGINT NOT NULL,
    last_error TEXT   NOT NULL,
    PRIMARY KEY (sink, event_id)
);
CREATE INDEX deliveries_order ON deliveries (sink, tenant_id, position) WHERE dead = 0;
CREATE INDEX deliveries_line ON deliveries (sink, position, tenant_id) WHERE dead = 0;
CREATE INDEX deliveries_event ON deliveries (event_id);

CREATE TABLE IF NOT EXISTS objects (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    system     TEXT    NOT NULL,
    kind       TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    marker     TEXT    NOT NULL,
    live       INTEGER NOT NULL,
    fixture    INTEGER NOT NULL,
    visible_at INTEGER NOT NULL,
    body       TEXT    NOT NULL,
    UNIQUE (system, kind, id)
);

CREATE TABLE IF NOT EXISTS lookups (
    system TEXT NOT NULL,
    kind   TEXT NOT NULL,
    field  TEXT NOT NULL,
    value  TEXT NOT NULL,
    id     TEXT NOT NULL,
    PRIMARY KEY (system, kind, field, value, id)
) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS lookups_id ON lookups (system, kind, id);

CREATE TABLE IF NOT EXISTS idempotency_keys (
    key        TEXT    PRIMARY KEY,
    endpoint   TEXT    NOT NULL,
    params     TEXT    NOT NULL,
    request_id TEXT    NOT NULL,
    started_at INTEGER NOT NULL,
    status     INTEGER NOT NULL,
    body       BLOB
);

CREATE TABLE IF NOT EXISTS tokens (
    token      TEXT    PRIMARY KEY,
    expires_at INTEGER NOT NULL
);

CREATE TABLE IF NOT EXISTS faults (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    spec      TEXT    NOT NULL,
    remaining INTEGER NOT NULL
);

CREATE TABLE IF NOT EXISTS requests (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    at              INTEGER NOT NULL,
    system          TEXT    NOT NULL,
    method          TEXT    NOT NULL,
    path            TEXT    NOT NULL,
    query           TEXT    NOT NULL,
    idempotency_key TEXT    NOT NULL,
    status          INTEGER NOT NULL,
    replayed        INTEGER NOT NULL,
    fault           TEXT    NOT NULL,
    duration        INTEGER NOT NULL
);

-- The tables PowerDNS 4.7 to 4.9 asks its gsqlite3 backend for. Columns and
-- their meaning: https://doc.powerdns.com/authoritative/backends/generic-sql.html
CREATE TABLE domains (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL COLLATE NOCASE UNIQUE,
  master TEXT,
  last_check INTEGER,
  type TEXT NOT NULL,
  notified_serial INTEGER,
  account TEXT,
  options TEXT,
  catalog TEXT
);
CREATE TABLE records (
  id INTEGER PRIMARY KEY,
  domain_id INTEGER REFERENCES domains (id) ON DELETE CASCADE,
  name TEXT,
  type TEXT,
  content TEXT,
  ttl INTEGER,
  prio INTEGER,
  disabled BOOLEAN DEFAULT 0,
  ordername TEXT,
  auth BOOLEAN DEFAULT 1
);
CREATE INDEX records_by_name ON records (name, type);
CREATE INDEX records_by_zone ON records (domain_id, name, type);
CREATE TABLE comments (
  id INTEGER PRIMARY KEY,
  domain_id INTEGER NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  modified_at INTEGER NOT NULL,
  account TEXT,
  comment TEXT NOT NULL
);
CREATE INDEX comments_by_name ON comments (domain_id, name, type);
CREATE TABLE domainmetadata (
  id INTEGER PRIMARY KEY,
  domain_id INTEGER NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  kind TEXT COLLATE NOCASE,
  content TEXT
);
CREATE TABLE cryptokeys (
  id INTEGER PRIMARY KEY,
  domain_id INTEGER NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  flags INTEGER NOT NULL,
  active BOOLEAN,
  published BOOLEAN DEFAULT 1,
  content TEXT
);
CREATE TABLE tsigkeys (
  id INTEGER PRIMARY KEY,
  name TEXT COLLATE NOCASE,
  algorithm TEXT COLLATE NOCASE,
  secret TEXT,
  UNIQUE (name, algorithm)
);
CREATE TABLE supermasters (
  ip TEXT NOT NULL,
  nameserver TEXT NOT NULL COLLATE NOCASE,
  account TEXT NOT NULL,
  UNIQUE (ip, nameserver)
);

-- +goose Up

-- The log of events (K1). body is what is sent, the same bytes on each attempt (K2).
CREATE TABLE events (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  seq        INTEGER NOT NULL,
  id         TEXT NOT NULL,
  kind       TEXT NOT NULL,
  test_mode  INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  body       TEXT NOT NULL,
  PRIMARY KEY (account_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_by_age ON events (created_at);

-- One row for each account with events. last_seq numbers them without gaps.
CREATE TABLE event_logs (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  last_seq   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The newest day on which a job was claimed for an account; see db/daily.go.
CREATE TABLE daily_jobs (
  account_id  TEXT NOT NULL REFERENCES accounts (id),
  job         TEXT NOT NULL,
  day         TEXT NOT NULL, -- YYYY-MM-DD in the account's zone
  claim       INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  done_at     INTEGER,
  PRIMARY KEY (account_id, job)
) STRICT, WITHOUT ROWID;

-- Limits of a key at an endpoint that are not those of seed 8.4 (J2).
CREATE TABLE endpoint_limits (
  key_id     TEXT NOT NULL REFERENCES api_keys (id),
  endpoint   TEXT NOT NULL,
  per_minute INTEGER NOT NULL CHECK (per_minute > 0),
  per_hour   INTEGER NOT NULL CHECK (per_hour >= per_minute),
  PRIMARY KEY (key_id, endpoint)
) STRICT, WITHOUT ROWID;

-- The calls of a key at an endpoint in the last hour, packed (J2). It has a rowid, so that
-- calls of up to 4 kB are on the row's own page.
CREATE TABLE rolling_windows (
  key_id     TEXT NOT NULL,
  endpoint   TEXT NOT NULL,
  calls      BLOB NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, endpoint)
) STRICT;
CREATE INDEX rolling_windows_by_end ON rolling_windows (expires_at);

PRAGMA user_version = 11;

-- +goose Up

-- Times are integer Unix milliseconds, money integer minor units, ids text.

CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE accounts (
  id            TEXT PRIMARY KEY,
  email         TEXT NOT NULL,
  email_folded  TEXT NOT NULL UNIQUE,
  name          TEXT NOT NULL,
  plan          TEXT NOT NULL CHECK (plan IN ('free', 'growth', 'business')),
  operator      INTEGER NOT NULL CHECK (operator IN (0, 1)),
  password_hash TEXT,
  verified_at   INTEGER,
  biz_type      TEXT NOT NULL,
  currency      TEXT NOT NULL,
  region        TEXT NOT NULL,
  timezone      TEXT NOT NULL,
  created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE apps (
  id         TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name       TEXT NOT NULL,
  logo       BLOB,
  logo_type  TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, name)
) STRICT;

CREATE TABLE api_keys (
  id          TEXT PRIMARY KEY,
  account_id  TEXT NOT NULL REFERENCES accounts (id),
  app_id      TEXT REFERENCES apps (id),
  secret_hash BLOB NOT NULL UNIQUE,
  prefix      TEXT NOT NULL,
  last_four   TEXT NOT NULL,
  env         TEXT NOT NULL CHECK (env IN ('test', 'live')),
  mode        TEXT NOT NULL CHECK (mode IN ('account', 'generic')),
  label       TEXT NOT NULL,
  disabled_at INTEGER,
  created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at);

-- One row for each key: its open minute and its month (A5).
CREATE TABLE meters (
  key_id          TEXT PRIMARY KEY,
  window_start_at INTEGER NOT NULL,
  window_used     INTEGER NOT NULL CHECK (window_used >= 0),
  month           INTEGER NOT NULL,
  month_used      INTEGER NOT NULL CHECK (month_used >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE wallets (
  account_id        TEXT PRIMARY KEY REFERENCES accounts (id),
  balance_cents     INTEGER NOT NULL CHECK (balance_cents >= 0),
  held_cents        INTEGER NOT NULL CHECK (held_cents >= 0),
  low_balance_cents INTEGER NOT NULL CHECK (low_balance_cents >= 0),
  last_seq          INTEGER NOT NULL,
  CHECK (held_cents <= balance_cents)
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger (
  account_id          TEXT NOT NULL,
  seq                 INTEGER NOT NULL,
  kind                TEXT NOT NULL CHECK (kind IN ('topup', 'debit', 'adjustment', 'refund')),
  amount_cents        INTEGER NOT NULL,
  balance_after_cents INTEGER NOT NULL CHECK (balance_after_cents >= 0),
  key_id              TEXT,
  endpoint            TEXT,
  request_id          TEXT,
  note                TEXT NOT NULL,
  created_at          INTEGER NOT NULL,
  PRIMARY KEY (account_id, seq)
) STRICT, WITHOUT ROWID;

-- One row for each paid or idempotent call: its claim, hold, lease and answer.
CREATE TABLE calls (
  id          TEXT PRIMARY KEY, -- the request id of the attempt that owns the claim
  key_id      TEXT NOT NULL,
  account_id  TEXT NOT NULL,
  endpoint    TEXT NOT NULL,
  idem_hash   BLOB,
  body_hash   BLOB,
  state       TEXT NOT NULL CHECK (state IN ('running', 'calling', 'done', 'unknown')),
  hold_cents  INTEGER NOT NULL CHECK (hold_cents >= 0),
  lease_until INTEGER NOT NULL,
  month       INTEGER NOT NULL,
  status      INTEGER NOT NULL,
  answer      BLOB,
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX calls_by_idem ON calls (key_id, idem_hash) WHERE idem_hash IS NOT NULL;
CREATE INDEX calls_open ON calls (lease_until) WHERE state IN ('running', 'calling');
CREATE INDEX calls_unknown ON calls (account_id, id) WHERE state = 'unknown';
CREATE INDEX calls_done ON calls (expires_at) WHERE state = 'done';

CREATE TABLE messages (
  account_id  TEXT NOT NULL,
  id          TEXT NOT NULL,
  key_id      TEXT NOT NULL,
  request_id  TEXT NOT NULL,
  provider    TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  phone       TEXT NOT NULL,
  template    TEXT NOT NULL,
  text        TEXT, -- only in the outbox; otherwise the provider has it
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

-- Append-only (L6). It has no index by key or account, which would cost a scattered
-- write for every call.
CREATE TABLE requests (
  seq               INTEGER PRIMARY KEY,
  id                TEXT NOT NULL,
  account_id        TEXT NOT NULL,
  key_id            TEXT NOT NULL,
  method            TEXT NOT NULL,
  route             TEXT NOT NULL,
  status            INTEGER NOT NULL,
  duration_us       INTEGER NOT NULL,
  charge_cents      INTEGER NOT NULL,
  error_code        TEXT NOT NULL,
  client_request_id TEXT NOT NULL,
  created_at        INTEGER NOT NULL
) STRICT;

-- "svc1" marks the program's files, see applicationID in db/db.go.
PRAGMA application_id = 1937138481;
PRAGMA user_version = 1;

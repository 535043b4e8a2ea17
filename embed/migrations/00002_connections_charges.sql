-- +goose Up

-- Browsers that are signed in (L3). Each visit moves ends_at, up to 7 days after
-- created_at.
CREATE TABLE sessions (
  id         TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  token_hash BLOB NOT NULL UNIQUE,
  address    TEXT NOT NULL,
  browser    TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  ends_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_account ON sessions (account_id, id);
CREATE INDEX sessions_by_end ON sessions (ends_at);

-- Links that work once: the operator's setup, and a new password.
CREATE TABLE links (
  token_hash BLOB PRIMARY KEY,
  kind       TEXT NOT NULL CHECK (kind IN ('setup', 'reset')),
  account_id TEXT REFERENCES accounts (id),
  expires_at INTEGER NOT NULL,
  CHECK ((kind = 'reset') = (account_id IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_end ON links (expires_at);
CREATE INDEX links_by_account ON links (kind, account_id);

-- One row for each address and purpose: its last code, and the number of mails in the
-- open window.
CREATE TABLE codes (
  email_folded    TEXT NOT NULL,
  purpose         TEXT NOT NULL CHECK (purpose IN ('signup', 'recover')),
  code_hash       BLOB NOT NULL,
  tries_left      INTEGER NOT NULL CHECK (tries_left >= 0),
  sent_at         INTEGER NOT NULL,
  expires_at      INTEGER NOT NULL,
  window_start_at INTEGER NOT NULL,
  window_sent     INTEGER NOT NULL,
  PRIMARY KEY (email_folded, purpose)
) STRICT, WITHOUT ROWID;
CREATE INDEX codes_by_sent ON codes (sent_at);

-- due_at is the time of a queued mail's next try, or the end of the lease of a mail that
-- is being sent.
CREATE TABLE mails (
  id         TEXT PRIMARY KEY,
  recipient  TEXT NOT NULL,
  subject    TEXT NOT NULL,
  text       TEXT NOT NULL, -- empty once sent
  html       TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'failed', 'unknown', 'kept')),
  tries      INTEGER NOT NULL,
  problem    TEXT NOT NULL,
  due_at     INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL -- not worth sending after it
) STRICT, WITHOUT ROWID;
CREATE INDEX mails_due ON mails (due_at) WHERE state IN ('queued', 'sending');
CREATE INDEX mails_done ON mails (created_at) WHERE state IN ('sent', 'failed', 'unknown', 'kept');

CREATE TABLE connections (
  key_id         TEXT NOT NULL,
  id             TEXT NOT NULL,
  account_id     TEXT NOT NULL REFERENCES accounts (id), -- the developer's
  merchant_email TEXT NOT NULL,
  email_folded   TEXT NOT NULL,
  merchant_id    TEXT REFERENCES accounts (id),
  status         TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'declined', 'revoked')),
  requested      TEXT NOT NULL, -- scopes, separated by spaces
  scopes         TEXT NOT NULL,
  token_hash     BLOB NOT NULL UNIQUE,
  created_at     INTEGER NOT NULL,
  expires_at     INTEGER NOT NULL,
  approved_at    INTEGER,
  declined_at    INTEGER,
  revoked_at     INTEGER,
  PRIMARY KEY (key_id, id),
  CHECK (status <> 'approved' OR merchant_id IS NOT NULL AND approved_at IS NOT NULL)
) STRICT, WITHOUT ROWID;
-- At most one connection is active for a key and a merchant (D2).
CREATE UNIQUE INDEX connections_active ON connections (key_id, email_folded) WHERE status = 'approved';
CREATE INDEX connections_by_merchant ON connections (merchant_id, id) WHERE merchant_id IS NOT NULL;

-- Links to the preview of a test key's fixture (D9).
CREATE TABLE previews (
  token_hash BLOB PRIMARY KEY,
  key_id     TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX previews_by_end ON previews (expires_at);

CREATE TABLE charges (
  key_id         TEXT NOT NULL,
  id             TEXT NOT NULL,
  account_id     TEXT NOT NULL REFERENCES accounts (id),
  merchant_email TEXT NOT NULL,
  amount         INTEGER NOT NULL CHECK (amount > 0),
  currency       TEXT NOT NULL,
  description    TEXT NOT NULL,
  env            TEXT NOT NULL CHECK (env IN ('test', 'live')),
  status         TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'declined')),
  token_hash     BLOB NOT NULL UNIQUE,
  created_at     INTEGER NOT NULL,
  expires_at     INTEGER NOT NULL,
  approved_at    INTEGER,
  declined_at    INTEGER,
  PRIMARY KEY (key_id, id),
  CHECK (status <> 'declined' OR env = 'test')
) STRICT, WITHOUT ROWID;

-- Bundles of wallet credit that an account has started to buy (C5).
CREATE TABLE purchases (
  account_id   TEXT NOT NULL REFERENCES accounts (id),
  id           TEXT NOT NULL,
  amount       INTEGER NOT NULL CHECK (amount > 0),
  currency     TEXT NOT NULL,
  credit_cents INTEGER NOT NULL CHECK (credit_cents > 0),
  created_at   INTEGER NOT NULL,
  approved_at  INTEGER,
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

-- Attempts to pay a charge or a purchase, numbered: Stripe's idempotency key is
-- <subject_id>-<n>. A row has all that the session is made from (E2).
CREATE TABLE checkouts (
  subject_id  TEXT NOT NULL, -- ch_… or buy_…
  n           INTEGER NOT NULL,
  owner_id    TEXT NOT NULL, -- key of a charge, account of a purchase
  amount      INTEGER NOT NULL,
  currency    TEXT NOT NULL,
  description TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('creating', 'open', 'processing', 'paid', 'over')),
  session_id  TEXT UNIQUE,
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL, -- the session's
  due_at      INTEGER NOT NULL, -- when the sweep checks it
  PRIMARY KEY (subject_id, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX checkouts_due ON checkouts (due_at) WHERE state IN ('creating', 'open', 'processing');

-- Stripe's events, each stored with its effect (E3). The operator sees mismatches.
CREATE TABLE payment_events (
  id         TEXT PRIMARY KEY,
  type       TEXT NOT NULL,
  session_id TEXT NOT NULL,
  reference  TEXT NOT NULL,
  mismatch   TEXT, -- what did not match; NULL if all did
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX payment_mismatches ON payment_events (created_at) WHERE mismatch IS NOT NULL;
CREATE INDEX payment_events_by_time ON payment_events (created_at) WHERE mismatch IS NULL;

-- Products of a merchant. Prices are minor units of the account's currency. Stock is in
-- thousandths, because some items are sold by weight.
CREATE TABLE items (
  account_id    TEXT NOT NULL REFERENCES accounts (id),
  id            TEXT NOT NULL,
  name          TEXT NOT NULL,
  sku           TEXT NOT NULL,
  price         INTEGER NOT NULL CHECK (price >= 0),
  cost_price    INTEGER NOT NULL CHECK (cost_price >= 0),
  stock_milli   INTEGER NOT NULL,
  unit          TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 2;

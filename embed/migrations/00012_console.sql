-- +goose Up

-- What operators and owners did to credit, plans, keys and grants (L11): a row each, in the
-- transaction of the act. Nobody can edit it, and it has no personal data: the names of its
-- subjects are read where they are stored.
CREATE TABLE audit (
  seq        INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,    -- whose credit, plan, key or grant it is
  actor      TEXT NOT NULL,    -- an account's id, 'command', 'link' or 'server'
  action     TEXT NOT NULL,    -- like key.created
  subject    TEXT NOT NULL,    -- the id of the key or connection; may be empty
  detail     TEXT NOT NULL,    -- like 'free to growth'; may be empty
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX audit_by_account ON audit (account_id, seq);

-- +goose StatementBegin
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit log cannot be edited');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
BEGIN
  SELECT RAISE(ABORT, 'the audit log cannot be edited');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_is_never_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq)
BEGIN
  SELECT RAISE(ABORT, 'the audit log cannot be edited');
END;
-- +goose StatementEnd

-- The questions that an account asked in its console, the last ones and those that are
-- pinned. scope is what was asked: the id of a dataset, "shop", or empty for the dataset in
-- use and the shop's own tables. source names the data that answered; empty if none did.
CREATE TABLE questions (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id         TEXT NOT NULL,
  text       TEXT NOT NULL,
  scope      TEXT NOT NULL,
  source     TEXT NOT NULL,
  confidence TEXT NOT NULL,
  asked_at   INTEGER NOT NULL,
  pinned_at  INTEGER,
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX questions_pinned ON questions (account_id, pinned_at) WHERE pinned_at IS NOT NULL;

-- Files that an account looks at before they become rows of a dataset, in <db>-data/<id>.file.
-- An account has one at a time. choice and preview are JSON of the caller.
CREATE TABLE uploads (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id         TEXT NOT NULL,
  name       TEXT NOT NULL,
  size       INTEGER NOT NULL,
  choice     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  preview    TEXT NOT NULL, -- the last column, because it is long
  PRIMARY KEY (account_id, id)
) STRICT;
CREATE INDEX uploads_by_end ON uploads (expires_at);

-- What a dataset was before its last import, for as long as that can be undone.
CREATE TABLE dataset_befores (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  dataset_id TEXT NOT NULL,
  change     TEXT NOT NULL CHECK (change IN ('added', 'replaced')),
  file       TEXT NOT NULL,
  files      TEXT NOT NULL,
  rows       INTEGER NOT NULL,
  ready_at   INTEGER NOT NULL,
  kept_at    INTEGER NOT NULL,
  source     TEXT NOT NULL,
  PRIMARY KEY (account_id, dataset_id)
) STRICT;
CREATE INDEX dataset_befores_by_age ON dataset_befores (kept_at);

-- The id of the request whose stored answer a call has got again (B3).
ALTER TABLE requests ADD COLUMN replay_of TEXT NOT NULL DEFAULT '';

-- What is in each block of the request log, by account; see db/request_block.go. day is in
-- the account's zone as it was when the block was counted. The row without an account is
-- of the whole block.
CREATE TABLE request_blocks (
  account_id   TEXT NOT NULL,
  block        INTEGER NOT NULL,
  day          TEXT NOT NULL,
  key_id       TEXT NOT NULL,
  route        TEXT NOT NULL,
  status       INTEGER NOT NULL,
  calls        INTEGER NOT NULL,
  charge_cents INTEGER NOT NULL,
  first_seq    INTEGER NOT NULL, -- of the rows
  last_seq     INTEGER NOT NULL,
  PRIMARY KEY (account_id, block, day, key_id, route, status)
) STRICT, WITHOUT ROWID;

-- Who moved a stock: the id of an account or of a key, or as in audit; and the external id of
-- the sale or the order that moved it. Both are empty if they are not known.
ALTER TABLE stock_moves ADD COLUMN actor TEXT NOT NULL DEFAULT '';
ALTER TABLE stock_moves ADD COLUMN record TEXT NOT NULL DEFAULT '';
CREATE INDEX stock_moves_by_item ON stock_moves (account_id, item_id, seq);

-- A file that a person looks at before it is imported is a staged import with a preview: JSON
-- of the service. Its rows have an outcome, what would become of them, and JSON about it.
ALTER TABLE imports ADD COLUMN actor TEXT NOT NULL DEFAULT '';
ALTER TABLE imports ADD COLUMN preview TEXT;
ALTER TABLE import_rows ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
ALTER TABLE import_rows ADD COLUMN preview TEXT;

-- Imports with a preview that are applied to their end.
CREATE TABLE past_imports (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id         TEXT NOT NULL,
  actor      TEXT NOT NULL,
  preview    TEXT NOT NULL,
  left_out   INTEGER NOT NULL, -- rows that contradicted what was changed meanwhile
  ended_at   INTEGER NOT NULL,
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

-- When the key last read the merchant's data, to the minute.
ALTER TABLE connections ADD COLUMN read_at INTEGER;

PRAGMA user_version = 12;

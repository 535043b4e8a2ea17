-- +goose Up

-- Staff of accounts (L11). Each signs in with an e-mail and a password of their own. An owner
-- has no row: the owner's id, e-mail and password are the account's. Who was removed keeps
-- the row, without a password and with the id in place of the folded e-mail, so that what
-- they did has a name.
CREATE TABLE staff (
  id            TEXT PRIMARY KEY,
  account_id    TEXT NOT NULL REFERENCES accounts (id),
  email         TEXT NOT NULL,
  email_folded  TEXT NOT NULL UNIQUE,
  password_hash TEXT,
  created_at    INTEGER NOT NULL,
  removed_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX staff_by_account ON staff (account_id, id);

-- Invitations to an account's staff. Sending one again replaces it by another, so a row is
-- one link and at most one mail. ended_at is when it was used, withdrawn or replaced.
CREATE TABLE invitations (
  id           TEXT PRIMARY KEY,
  account_id   TEXT NOT NULL REFERENCES accounts (id),
  email        TEXT NOT NULL,
  email_folded TEXT NOT NULL,
  token_hash   BLOB NOT NULL UNIQUE,
  created_at   INTEGER NOT NULL,
  mailed_at    INTEGER,
  expires_at   INTEGER NOT NULL,
  ended_at     INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX invitations_by_account ON invitations (account_id, id);
CREATE UNIQUE INDEX invitations_open ON invitations (account_id, email_folded) WHERE ended_at IS NULL;
CREATE INDEX invitations_by_age ON invitations (created_at);

-- A session, a link and a known caller are a person's: the account's id for its owner, or
-- the id of one of its staff.
ALTER TABLE sessions ADD COLUMN person_id TEXT NOT NULL DEFAULT '';
UPDATE sessions SET person_id = account_id;
CREATE INDEX sessions_by_person ON sessions (person_id, id);

ALTER TABLE links ADD COLUMN person_id TEXT;
UPDATE links SET person_id = account_id;
CREATE INDEX links_by_person ON links (kind, person_id);
DROP INDEX links_by_account;

DROP INDEX known_callers_by_end;
CREATE TABLE new_known_callers (
  person_id TEXT NOT NULL,
  caller    BLOB NOT NULL,
  ends_at   INTEGER NOT NULL,
  PRIMARY KEY (person_id, caller)
) STRICT, WITHOUT ROWID;
INSERT INTO new_known_callers SELECT account_id, caller, ends_at FROM known_callers;
DROP TABLE known_callers;
ALTER TABLE new_known_callers RENAME TO known_callers;
CREATE INDEX known_callers_by_end ON known_callers (ends_at);

PRAGMA user_version = 14;

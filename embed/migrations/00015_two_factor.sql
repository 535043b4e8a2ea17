-- +goose Up

-- Two-factor sign-in (L11) of a person: an account's owner, by its id, or one of its staff.
-- secret is shared with the person's app, and sealed under the name id. Without confirmed_at
-- it was begun only. last_step is the step of the last code that was used. wrong_codes is how
-- many wrong ones came in the day that began with the first of them, at wrong_since.
CREATE TABLE two_factors (
  person_id    TEXT PRIMARY KEY,
  id           TEXT NOT NULL,
  secret       BLOB NOT NULL,
  made_at      INTEGER NOT NULL,
  confirmed_at INTEGER,
  last_step    INTEGER NOT NULL,
  wrong_codes  INTEGER NOT NULL DEFAULT 0,
  wrong_since  INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX two_factors_begun ON two_factors (made_at) WHERE confirmed_at IS NULL;

-- Codes that take the place of the app's, once each. A used one has no row.
CREATE TABLE recovery_codes (
  person_id TEXT NOT NULL,
  code_hash BLOB NOT NULL,
  PRIMARY KEY (person_id, code_hash)
) STRICT, WITHOUT ROWID;

-- Browsers from which the right password came, and whose code is waited for.
CREATE TABLE half_sign_ins (
  token_hash BLOB PRIMARY KEY,
  person_id  TEXT NOT NULL,
  ends_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX half_sign_ins_by_person ON half_sign_ins (person_id);
CREATE INDEX half_sign_ins_by_end ON half_sign_ins (ends_at);

-- Whether the account is mailed when one of its webhooks is disabled (K5).
ALTER TABLE accounts ADD COLUMN webhook_mails INTEGER NOT NULL DEFAULT 1 CHECK (webhook_mails IN (0, 1));

PRAGMA user_version = 15;

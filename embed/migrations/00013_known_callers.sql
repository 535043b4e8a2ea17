-- +goose Up

-- Browsers and networks from which somebody has signed in to an account. Their wrong
-- passwords are counted apart from those of strangers. caller is a SHA-256.
CREATE TABLE known_callers (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  caller BLOB NOT NULL,
  ends_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, caller)
) STRICT, WITHOUT ROWID;

CREATE INDEX known_callers_by_end ON known_callers (ends_at);

PRAGMA user_version = 13;

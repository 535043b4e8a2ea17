-- +goose Up

-- Secrets that keys had before they were rotated. Each is accepted until ends_at.
CREATE TABLE old_key_secrets (
  secret_hash BLOB PRIMARY KEY NOT NULL,
  key_id      TEXT NOT NULL REFERENCES api_keys (id),
  ends_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX old_key_secrets_by_key ON old_key_secrets (key_id, ends_at);

PRAGMA user_version = 7;

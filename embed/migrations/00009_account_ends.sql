-- +goose Up

-- The row of a deleted account stays for its money records, with its id in place of the
-- e-mail. erased_at is when the last of its data was removed.
ALTER TABLE accounts ADD COLUMN disabled_at INTEGER;
ALTER TABLE accounts ADD COLUMN deleted_at INTEGER;
ALTER TABLE accounts ADD COLUMN erased_at INTEGER;

PRAGMA user_version = 9;

-- +goose Up

-- When a request was mailed; NULL if it was not, as when the address had had its mails
-- (L10), and for requests of earlier versions.
ALTER TABLE connections ADD COLUMN mailed_at INTEGER;
CREATE INDEX connections_mailed ON connections (key_id, email_folded, mailed_at) WHERE mailed_at IS NOT NULL;

PRAGMA user_version = 6;

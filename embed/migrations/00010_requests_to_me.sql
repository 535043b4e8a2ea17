-- +goose Up

-- A merchant finds the requests that are addressed to them. An address with quotes that it
-- does not need keeps them in the charges that exist already; FoldEmail drops them in new
-- ones.
ALTER TABLE charges ADD COLUMN email_folded TEXT NOT NULL DEFAULT '';
UPDATE charges SET email_folded = lower(merchant_email);

CREATE INDEX charges_by_email ON charges (email_folded, id) WHERE env = 'live';
CREATE INDEX charges_pending ON charges (email_folded, expires_at) WHERE env = 'live' AND status = 'pending';
CREATE INDEX connections_by_email ON connections (email_folded, id);
CREATE INDEX connections_pending ON connections (email_folded, expires_at) WHERE status = 'pending';

PRAGMA user_version = 10;

-- +goose Up

-- The headers of the last try and of its answer (K7), a line each.
ALTER TABLE webhook_deliveries ADD COLUMN sent_headers TEXT NOT NULL DEFAULT '';
ALTER TABLE webhook_deliveries ADD COLUMN answer_headers TEXT NOT NULL DEFAULT '';

-- What people have ordered on pages (G5), which no key has paid.
CREATE INDEX ledger_orders ON ledger (account_id, created_at) WHERE kind = 'debit' AND key_id IS NULL;

PRAGMA user_version = 17;

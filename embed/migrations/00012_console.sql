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

PRAGMA user_version = 12;

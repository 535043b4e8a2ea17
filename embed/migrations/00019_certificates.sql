-- +goose Up

-- What is kept to have certificates from a CA by ACME: the key of the account there, each
-- certificate with its key, and challenges that the CA is about to look at.
CREATE TABLE acme_secrets (
  directory TEXT NOT NULL, -- address of the CA
  name      TEXT NOT NULL, -- as autocert names it; a certificate has the name of its domain
  secret    BLOB NOT NULL, -- sealed
  PRIMARY KEY (directory, name)
) STRICT, WITHOUT ROWID;

-- Why the CA gave no certificate for a domain at the last try.
CREATE TABLE certificate_problems (
  directory TEXT NOT NULL,
  domain    TEXT NOT NULL,
  problem   TEXT NOT NULL,
  at        INTEGER NOT NULL,
  PRIMARY KEY (directory, domain)
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 19;

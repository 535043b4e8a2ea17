-- +goose Up

-- A dataset has a name, which is unique among the account's ready ones, and grows: each
-- import that changes it makes a new file, so file is not id. The table is made anew to
-- keep source, which is long, in the last column.
CREATE TABLE new_datasets (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id         TEXT NOT NULL,
  name       TEXT NOT NULL COLLATE NOCASE,
  file       TEXT NOT NULL, -- the rows are in <db>-data/<file>.db
  files      TEXT NOT NULL, -- JSON: the files that were imported into it, in order
  rows       INTEGER NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('importing', 'ready')),
  in_use     INTEGER NOT NULL CHECK (in_use IN (0, 1)), -- 1: ask reads it, else the newest
  created_at INTEGER NOT NULL,
  ready_at   INTEGER, -- of the last import into it
  revision   INTEGER NOT NULL, -- rises with each change of source
  source     TEXT NOT NULL, -- JSON: columns, types, roles; empty while importing
  PRIMARY KEY (account_id, id),
  CHECK ((state = 'ready') = (ready_at IS NOT NULL)),
  CHECK (state = 'ready' OR in_use = 0)
) STRICT;

-- Names were those of files. The newest dataset of a name keeps it, the others get their id.
-- A name that ends with the id of a dataset gets its own id too, else it could be the one
-- that another dataset gets here. So names with an id differ in it, and those without have none.
INSERT INTO new_datasets (account_id, id, name, file, files, rows, state, in_use, created_at, ready_at, revision, source)
SELECT account_id, id, CASE WHEN place = 1 AND NOT has_id THEN title ELSE title || ' ' || id END, id,
  json_array(json_object('name', name, 'rows', rows, 'at', coalesce(ready_at, created_at))),
  rows, state, 0, created_at, ready_at, revision, source
FROM (
  SELECT *, row_number() OVER (PARTITION BY account_id, lower(title) ORDER BY ready_at DESC, id DESC) AS place,
    EXISTS (SELECT 1 FROM datasets AS other WHERE other.account_id = titled.account_id AND titled.title LIKE '% ' || other.id) AS has_id
  FROM (
    SELECT *, coalesce(CASE WHEN json_valid(source) THEN nullif(json_extract(source, '$.Name'), '') END, name) AS title
    FROM datasets) AS titled);

DROP TABLE datasets;
ALTER TABLE new_datasets RENAME TO datasets;
CREATE UNIQUE INDEX datasets_by_name ON datasets (account_id, name) WHERE state = 'ready';
CREATE UNIQUE INDEX datasets_in_use ON datasets (account_id) WHERE in_use = 1;
CREATE INDEX datasets_by_ready ON datasets (account_id, in_use, ready_at, id) WHERE state = 'ready';

PRAGMA user_version = 5;

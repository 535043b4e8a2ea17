-- +goose Up

-- An import of products can be undone as a whole for some time, and rows with problems can be
-- left out of it. Both need more than the items have: what they were before, and the rows that
-- no item has. They are kept with the import until kept_until.

-- Rows of a file that are not imported: JSON of the service, with their cells and why.
CREATE TABLE import_faults (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  import_id  TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  row        TEXT NOT NULL,
  PRIMARY KEY (account_id, import_id, seq)
) STRICT, WITHOUT ROWID;

-- Items as they were before a row of an import added or changed them: JSON of db. A row goes
-- when it is undone; one that could not be has a problem, see db/import_undo.go.
CREATE TABLE import_befores (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  import_id  TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  item_id    TEXT NOT NULL,
  before     TEXT NOT NULL,
  problem    TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (account_id, import_id, seq)
) STRICT, WITHOUT ROWID;

-- Rows that changed nothing, which updated counts too.
ALTER TABLE imports ADD COLUMN same INTEGER NOT NULL DEFAULT 0;

-- What became of the rows, which is not what the preview shows if the inventory changed in the
-- same moment; NULL for imports before this version. undo begins once and is then finished by
-- whoever began it, or by a sweep.
ALTER TABLE past_imports ADD COLUMN inserted INTEGER;
ALTER TABLE past_imports ADD COLUMN updated INTEGER;
ALTER TABLE past_imports ADD COLUMN same INTEGER;
ALTER TABLE past_imports ADD COLUMN kept_until INTEGER;
ALTER TABLE past_imports ADD COLUMN undo TEXT NOT NULL DEFAULT '' CHECK (undo IN ('', 'begun', 'done'));
ALTER TABLE past_imports ADD COLUMN undone INTEGER NOT NULL DEFAULT 0; -- rows
ALTER TABLE past_imports ADD COLUMN undone_at INTEGER;
ALTER TABLE past_imports ADD COLUMN undone_by TEXT NOT NULL DEFAULT '';
CREATE INDEX past_imports_undoing ON past_imports (account_id, id) WHERE undo = 'begun';
CREATE INDEX past_imports_by_end ON past_imports (kept_until) WHERE kept_until IS NOT NULL;

-- Whether an item was sold, which decides whether it can go with its import.
CREATE INDEX sale_lines_by_item ON sale_lines (account_id, item_id) WHERE item_id <> '';

PRAGMA user_version = 18;

-- +goose Up

-- Why a person moved a stock, in words; empty for moves of other reasons.
ALTER TABLE stock_moves ADD COLUMN note TEXT NOT NULL DEFAULT '';

-- Items that were removed. Their moves, sales and orders stay. version is the inventory's at
-- the removal, by which caches learn of it.
CREATE TABLE removed_items (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  version    INTEGER NOT NULL,
  item_id    TEXT NOT NULL,
  name       TEXT NOT NULL,
  sku        TEXT NOT NULL,
  removed_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, version)
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 8;

-- +goose Up

-- One row for each account that has items. version counts changes of their names, so that
-- caches know when they are stale. last_move numbers the moves without gaps.
CREATE TABLE inventories (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  version    INTEGER NOT NULL,
  last_move  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO inventories (account_id, version, last_move)
SELECT account_id, count(*), sum(stock_milli <> 0)
FROM items
GROUP BY account_id;

-- Append-only: each change of a stock, in the transaction of that change. A stock is the
-- sum of its moves.
CREATE TABLE stock_moves (
  account_id        TEXT NOT NULL,
  seq               INTEGER NOT NULL,
  item_id           TEXT NOT NULL,
  reason            TEXT NOT NULL,
  change_milli      INTEGER NOT NULL,
  stock_after_milli INTEGER NOT NULL,
  created_at        INTEGER NOT NULL,
  PRIMARY KEY (account_id, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO stock_moves (account_id, seq, item_id, reason, change_milli, stock_after_milli, created_at)
SELECT account_id, row_number() OVER (PARTITION BY account_id ORDER BY id), id, 'opening', stock_milli, stock_milli, created_at
FROM items
WHERE stock_milli <> 0;

-- Products of a merchant. Prices are minor units of the account's currency. Stock is in
-- thousandths, because some items are sold by weight. Unknown values are NULL.
CREATE TABLE items_3 (
  account_id    TEXT NOT NULL REFERENCES accounts (id),
  id            TEXT NOT NULL,
  name          TEXT NOT NULL,
  sku           TEXT NOT NULL COLLATE NOCASE, -- empty if it has none
  price         INTEGER CHECK (price >= 0),
  cost_price    INTEGER CHECK (cost_price >= 0),
  stock_milli   INTEGER,
  unit          TEXT NOT NULL,
  category      TEXT NOT NULL,
  reorder_milli INTEGER CHECK (reorder_milli >= 0),
  version       INTEGER NOT NULL, -- the inventory's at the item's last change; unique in the account
  created_at    INTEGER NOT NULL,
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO items_3 (account_id, id, name, sku, price, cost_price, stock_milli, unit, category, version, created_at)
SELECT account_id, id, name, sku, price, cost_price, stock_milli, unit, '',
  row_number() OVER (PARTITION BY account_id ORDER BY id), created_at
FROM items;
DROP TABLE items;
ALTER TABLE items_3 RENAME TO items;
CREATE UNIQUE INDEX items_by_sku ON items (account_id, sku) WHERE sku <> '';
CREATE INDEX items_by_name ON items (account_id, name COLLATE NOCASE);
CREATE UNIQUE INDEX items_by_version ON items (account_id, version);

-- Further keys of an item: its barcodes, in the form of gtin.Key, and its further names.
CREATE TABLE item_codes (
  account_id TEXT NOT NULL,
  kind       TEXT NOT NULL CHECK (kind IN ('barcode', 'alias')),
  code       TEXT NOT NULL,
  item_id    TEXT NOT NULL,
  PRIMARY KEY (account_id, kind, code)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_codes_by_item ON item_codes (account_id, item_id);

-- Files that are being imported into an inventory. Once ready, an import is applied in
-- chunks to its end, by the process that started it or, after a crash, by a sweep.
CREATE TABLE imports (
  id         TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  state      TEXT NOT NULL CHECK (state IN ('staged', 'ready', 'dropped')),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE import_rows (
  import_id TEXT NOT NULL,
  seq       INTEGER NOT NULL,
  item      TEXT NOT NULL, -- JSON
  PRIMARY KEY (import_id, seq)
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 3;

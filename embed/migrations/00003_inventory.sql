-- +goose Up

-- One row an account that has items. version counts changes, so that what is kept
-- of them in memory is known to be old; last_move numbers the moves without gaps.
CREATE TABLE inventories (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  version    INTEGER NOT NULL,
  last_move  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO inventories (account_id, version, last_move)
SELECT account_id, count(*), sum(stock_milli <> 0)
FROM items
GROUP BY account_id;

-- Append-only: each change of a quantity, in the transaction that made it. A stock is
-- the sum of its moves.
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

-- What a merchant sells. Prices are minor units of the account's currency; stock is
-- in thousandths, since some things are sold by weight. What is not known is NULL.
CREATE TABLE items_3 (
  account_id    TEXT NOT NULL REFERENCES accounts (id),
  id            TEXT NOT NULL,
  name          TEXT NOT NULL,
  sku           TEXT NOT NULL COLLATE NOCASE, -- empty: none
  price         INTEGER CHECK (price >= 0),
  cost_price    INTEGER CHECK (cost_price >= 0),
  stock_milli   INTEGER,
  unit          TEXT NOT NULL,
  category      TEXT NOT NULL,
  reorder_milli INTEGER CHECK (reorder_milli >= 0),
  version       INTEGER NOT NULL, -- of the inventory with its last change; each has its own
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

-- What else an item is found by: what stands under its barcodes, as its article number
-- where it is one, and names that people gave it.
CREATE TABLE item_codes (
  account_id TEXT NOT NULL,
  kind       TEXT NOT NULL CHECK (kind IN ('barcode', 'alias')),
  code       TEXT NOT NULL,
  item_id    TEXT NOT NULL,
  PRIMARY KEY (account_id, kind, code)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_codes_by_item ON item_codes (account_id, item_id);

-- A file on its way into the inventory. Once it is ready it is applied in chunks to
-- its end, whatever happens: by whoever brought it, or by a sweep.
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

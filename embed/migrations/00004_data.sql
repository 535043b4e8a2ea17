-- +goose Up

-- Datasets. The rows of each are in a file of its own, <db>-data/<id>.db, which is
-- complete if the dataset is ready. A sweep removes files without a row here.
CREATE TABLE datasets (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  id         TEXT NOT NULL,
  name       TEXT NOT NULL,
  rows       INTEGER NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('importing', 'ready')),
  created_at INTEGER NOT NULL,
  ready_at   INTEGER, -- ask reads the newest
  revision   INTEGER NOT NULL, -- rises with each change of source
  source     TEXT NOT NULL, -- JSON: columns, types, roles; empty while importing. The last column, because it is long
  PRIMARY KEY (account_id, id),
  CHECK ((state = 'ready') = (ready_at IS NOT NULL))
) STRICT;
CREATE INDEX datasets_by_ready ON datasets (account_id, ready_at, id) WHERE state = 'ready';

-- One row for each account with records below. version counts their changes, so that
-- caches know when they are stale, as inventories.version does for items.
CREATE TABLE shops (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  version    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Customers. external_id comes from the account; a sale names its customer by it.
CREATE TABLE customers (
  account_id  TEXT NOT NULL REFERENCES accounts (id),
  id          TEXT NOT NULL,
  external_id TEXT NOT NULL,
  name        TEXT NOT NULL,
  email       TEXT NOT NULL,
  phone       TEXT NOT NULL,
  region      TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, external_id)
) STRICT, WITHOUT ROWID;

-- Sales. sold_local is the shop's local time, because questions about days and hours mean
-- that. customer is the external_id of a customer who may be recorded later.
CREATE TABLE sales (
  account_id  TEXT NOT NULL REFERENCES accounts (id),
  id          TEXT NOT NULL,
  external_id TEXT NOT NULL,
  customer    TEXT NOT NULL, -- empty if unknown
  currency    TEXT NOT NULL,
  sold_at     INTEGER NOT NULL,
  sold_local  TEXT NOT NULL, -- YYYY-MM-DD HH:MM:SS
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, external_id)
) STRICT, WITHOUT ROWID;

-- Money is in minor units of the sale's currency, quantities in thousandths. amount is the
-- line's after its discount, cost is that of all its pieces. moved_milli is the line's
-- change of the item's stock, so that it can be undone.
CREATE TABLE sale_lines (
  account_id     TEXT NOT NULL,
  sale_id        TEXT NOT NULL,
  line           INTEGER NOT NULL,
  item_id        TEXT NOT NULL, -- empty if it is not in the inventory
  name           TEXT NOT NULL,
  sku            TEXT NOT NULL,
  quantity_milli INTEGER NOT NULL,
  price          INTEGER NOT NULL,
  discount       INTEGER NOT NULL,
  amount         INTEGER NOT NULL,
  cost_price     INTEGER,
  cost           INTEGER,
  moved_milli    INTEGER NOT NULL,
  PRIMARY KEY (account_id, sale_id, line)
) STRICT, WITHOUT ROWID;

-- Orders with suppliers, in the account's currency.
CREATE TABLE purchase_orders (
  account_id     TEXT NOT NULL REFERENCES accounts (id),
  id             TEXT NOT NULL,
  external_id    TEXT NOT NULL,
  supplier       TEXT NOT NULL,
  status         TEXT NOT NULL CHECK (status IN ('ordered', 'received')),
  ordered_at     INTEGER NOT NULL,
  ordered_local  TEXT NOT NULL,
  received_at    INTEGER,
  received_local TEXT,
  created_at     INTEGER NOT NULL,
  PRIMARY KEY (account_id, id),
  UNIQUE (account_id, external_id),
  CHECK ((status = 'received') = (received_at IS NOT NULL)),
  CHECK ((received_at IS NULL) = (received_local IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE purchase_order_lines (
  account_id        TEXT NOT NULL,
  purchase_order_id TEXT NOT NULL,
  line              INTEGER NOT NULL,
  item_id           TEXT NOT NULL, -- empty if it is not in the inventory
  name              TEXT NOT NULL,
  sku               TEXT NOT NULL,
  quantity_milli    INTEGER NOT NULL,
  cost_price        INTEGER NOT NULL,
  amount            INTEGER NOT NULL,
  moved_milli       INTEGER NOT NULL,
  PRIMARY KEY (account_id, purchase_order_id, line)
) STRICT, WITHOUT ROWID;
CREATE INDEX purchase_order_lines_by_item ON purchase_order_lines (account_id, item_id);

-- The shop's tables as ask reads them. Each view has an account_id, which every reader
-- must filter by. Empty texts are NULL, as in a dataset.
CREATE VIEW shop_sales AS
SELECT s.account_id, s.currency, s.sold_local AS sold, s.external_id AS sale, l.name AS product, nullif(l.sku, '') AS sku,
  nullif(i.category, '') AS category, coalesce(nullif(c.name, ''), nullif(s.customer, '')) AS customer, nullif(c.region, '') AS region,
  l.quantity_milli AS quantity, l.price, l.discount, l.amount AS revenue, l.cost
FROM sales s
JOIN sale_lines l ON l.account_id = s.account_id AND l.sale_id = s.id
LEFT JOIN items i ON i.account_id = l.account_id AND i.id = l.item_id
LEFT JOIN customers c ON c.account_id = s.account_id AND c.external_id = s.customer;

CREATE VIEW shop_stock AS
SELECT i.account_id, i.id AS item, i.name AS product, nullif(i.sku, '') AS sku, nullif(i.category, '') AS category, i.price, i.cost_price AS unit_cost,
  i.stock_milli AS stock, i.reorder_milli AS reorder,
  coalesce((
    SELECT sum(l.quantity_milli)
    FROM purchase_order_lines l
    JOIN purchase_orders p ON p.account_id = l.account_id AND p.id = l.purchase_order_id
    WHERE l.account_id = i.account_id AND l.item_id = i.id AND p.status = 'ordered'), 0) AS incoming
FROM items i;

CREATE VIEW shop_purchases AS
SELECT p.account_id, p.ordered_local AS ordered, p.received_local AS received, p.external_id AS purchase, nullif(p.supplier, '') AS supplier, p.status,
  l.name AS product, nullif(l.sku, '') AS sku, l.quantity_milli AS quantity, l.cost_price AS unit_cost, l.amount AS cost
FROM purchase_orders p
JOIN purchase_order_lines l ON l.account_id = p.account_id AND l.purchase_order_id = p.id;

CREATE VIEW shop_customers AS
SELECT account_id, coalesce(nullif(name, ''), external_id) AS customer, nullif(email, '') AS email, nullif(phone, '') AS phone, nullif(region, '') AS region
FROM customers;

PRAGMA user_version = 4;

-- +goose Up

-- The log of events (K1). body is what is sent, the same bytes on each attempt (K2).
CREATE TABLE events (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  seq        INTEGER NOT NULL,
  id         TEXT NOT NULL,
  kind       TEXT NOT NULL,
  test_mode  INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  body       TEXT NOT NULL,
  PRIMARY KEY (account_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX events_by_age ON events (created_at);

-- One row for each account with events. last_seq numbers them without gaps.
CREATE TABLE event_logs (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  last_seq   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The newest day on which a job was claimed for an account; see db/daily.go.
CREATE TABLE daily_jobs (
  account_id  TEXT NOT NULL REFERENCES accounts (id),
  job         TEXT NOT NULL,
  day         TEXT NOT NULL, -- YYYY-MM-DD in the account's zone
  claim       INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  done_at     INTEGER,
  PRIMARY KEY (account_id, job)
) STRICT, WITHOUT ROWID;

-- Limits of a key at an endpoint that are not those of seed 8.4 (J2).
CREATE TABLE endpoint_limits (
  key_id     TEXT NOT NULL REFERENCES api_keys (id),
  endpoint   TEXT NOT NULL,
  per_minute INTEGER NOT NULL CHECK (per_minute > 0),
  per_hour   INTEGER NOT NULL CHECK (per_hour >= per_minute),
  PRIMARY KEY (key_id, endpoint)
) STRICT, WITHOUT ROWID;

-- The calls of a key at an endpoint in the last hour, packed (J2). It has a rowid, so that
-- calls of up to 4 kB are on the row's own page.
CREATE TABLE rolling_windows (
  key_id     TEXT NOT NULL,
  endpoint   TEXT NOT NULL,
  calls      BLOB NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, endpoint)
) STRICT;
CREATE INDEX rolling_windows_by_end ON rolling_windows (expires_at);

-- Subscriptions (K1). events has kinds with a space between. The secrets are sealed with the
-- key file (L4). failing_since is the first failure since the last success, and failures
-- counts from there.
CREATE TABLE webhooks (
  account_id         TEXT NOT NULL REFERENCES accounts (id),
  id                 TEXT NOT NULL,
  url                TEXT NOT NULL,
  events             TEXT NOT NULL,
  description        TEXT NOT NULL,
  enabled            INTEGER NOT NULL,
  disabled_reason    TEXT NOT NULL,
  disabled_at        INTEGER,
  secret             BLOB NOT NULL,
  old_secret         BLOB,
  old_secret_ends_at INTEGER,
  failing_since      INTEGER,
  failures           INTEGER NOT NULL,
  created_at         INTEGER NOT NULL,
  updated_at         INTEGER NOT NULL,
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

-- The log of deliveries (K7). seq is 0 for a test event, which has its body here; others are
-- sent as their event is stored. once marks what is requested at most once (K5). due_at is
-- when the next try is due or, of a delivery that is being sent, the end of its lease.
CREATE TABLE webhook_deliveries (
  account_id  TEXT NOT NULL REFERENCES accounts (id),
  webhook_id  TEXT NOT NULL,
  id          TEXT NOT NULL,
  cause       TEXT NOT NULL,
  event_id    TEXT NOT NULL,
  seq         INTEGER NOT NULL,
  kind        TEXT NOT NULL,
  once        INTEGER NOT NULL,
  body        TEXT,
  state       TEXT NOT NULL,
  attempts    INTEGER NOT NULL,
  due_at      INTEGER NOT NULL,
  code        INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  answer      TEXT NOT NULL,
  problem     TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  PRIMARY KEY (account_id, webhook_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_deliveries_queued ON webhook_deliveries (account_id, webhook_id, due_at) WHERE state = 'queued';
CREATE INDEX webhook_deliveries_sending ON webhook_deliveries (due_at) WHERE state = 'sending';
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (account_id, webhook_id, seq, state);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);

-- What became of a sale; only a completed one lowers stock. digest is the SHA-256 of the pushed
-- record, which is unchanged if it comes again (I2); NULL if it was not pushed.
ALTER TABLE sales ADD COLUMN status TEXT NOT NULL DEFAULT 'completed' CHECK (status IN ('completed', 'refunded', 'cancelled'));
ALTER TABLE sales ADD COLUMN digest BLOB;
ALTER TABLE customers ADD COLUMN digest BLOB;
ALTER TABLE purchase_orders ADD COLUMN digest BLOB;
-- 1 once purchase_order.received was emitted, which happens once.
ALTER TABLE purchase_orders ADD COLUMN announced INTEGER NOT NULL DEFAULT 0;
-- When stock.low was last emitted for the item (K8).
ALTER TABLE items ADD COLUMN low_at INTEGER NOT NULL DEFAULT 0;

-- The last pushed record of each item that was pushed as a product.
CREATE TABLE pushed_products (
  account_id  TEXT NOT NULL REFERENCES accounts (id),
  item_id     TEXT NOT NULL,
  external_id TEXT NOT NULL, -- empty if the record has none
  digest      BLOB NOT NULL,
  PRIMARY KEY (account_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX pushed_products_by_external_id ON pushed_products (account_id, external_id) WHERE external_id <> '';

-- The rows that were pushed without a type, in the order of their first push. A dataset is
-- built of them when it is asked for. cells has headings and values by turns, as JSON.
CREATE TABLE pushed_rows (
  account_id  TEXT NOT NULL,
  seq         INTEGER NOT NULL,
  external_id TEXT NOT NULL,
  digest      BLOB NOT NULL,
  cells       TEXT NOT NULL,
  PRIMARY KEY (account_id, seq)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX pushed_rows_by_external_id ON pushed_rows (account_id, external_id);

-- One row for each account with pushed rows. version counts their changes, and built is the
-- version of which the dataset is.
CREATE TABLE pushed_sets (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  last_seq   INTEGER NOT NULL,
  rows       INTEGER NOT NULL,
  version    INTEGER NOT NULL,
  built      INTEGER NOT NULL,
  dataset_id TEXT NOT NULL, -- empty before the first is built
  pushed_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What became of an import's rows so far, for its sync.completed.
ALTER TABLE imports ADD COLUMN inserted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN updated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;

DROP VIEW shop_sales;
CREATE VIEW shop_sales AS
SELECT s.account_id, s.currency, s.sold_local AS sold, s.external_id AS sale, s.status, l.name AS product, nullif(l.sku, '') AS sku,
  nullif(i.category, '') AS category, coalesce(nullif(c.name, ''), nullif(s.customer, '')) AS customer, nullif(c.region, '') AS region,
  l.quantity_milli AS quantity, l.price, l.discount, l.amount AS revenue, l.cost
FROM sales s
JOIN sale_lines l ON l.account_id = s.account_id AND l.sale_id = s.id
LEFT JOIN items i ON i.account_id = l.account_id AND i.id = l.item_id
LEFT JOIN customers c ON c.account_id = s.account_id AND c.external_id = s.customer;

-- What the rules have found in shops (J3). An account has at most one alert of a kind that is
-- not resolved. subjects is a JSON list of what the alert is about, such as ids of items;
-- evidence is JSON as the API answers it.
CREATE TABLE alerts (
  account_id    TEXT NOT NULL REFERENCES accounts (id),
  id            TEXT NOT NULL,
  kind          TEXT NOT NULL,
  verdict       TEXT NOT NULL CHECK (verdict IN ('act', 'watch', 'problem')),
  status        TEXT NOT NULL CHECK (status IN ('firing', 'acknowledged', 'resolved')),
  title         TEXT NOT NULL,
  detail        TEXT NOT NULL,
  figure        TEXT NOT NULL,
  subjects      TEXT NOT NULL,
  evidence      TEXT NOT NULL,
  first_seen    INTEGER NOT NULL,
  last_seen     INTEGER NOT NULL,
  snoozed_until INTEGER, -- only of an acknowledged alert, which then fires again
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX alerts_open ON alerts (account_id, kind) WHERE status <> 'resolved';

-- The evaluation of an account's rules. seen is a token of the data that were evaluated, at
-- seen_at.
-- lease rises with each claim.
CREATE TABLE alert_scans (
  account_id   TEXT PRIMARY KEY REFERENCES accounts (id),
  seen         TEXT NOT NULL,
  lease        INTEGER NOT NULL,
  leased_until INTEGER NOT NULL,
  seen_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Alerts look at recent days, and at the days on which each customer bought.
CREATE INDEX sales_by_time ON sales (account_id, sold_local);
CREATE INDEX sales_by_customer ON sales (account_id, customer, sold_local) WHERE customer <> '';

-- The ECB's reference rates of a day (J4). per_euro is a JSON object: by currency code,
-- millionths of a unit for one euro.
CREATE TABLE rates (
  day         TEXT PRIMARY KEY,
  per_euro    TEXT NOT NULL,
  imported_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;


-- The last pulse of an account, with the data that it is of; see db/pulse.go.
CREATE TABLE pulses (
  account_id  TEXT PRIMARY KEY REFERENCES accounts (id),
  stamp       TEXT NOT NULL,
  figures     TEXT NOT NULL, -- JSON; empty before the first
  claim       INTEGER NOT NULL,
  lease_until INTEGER NOT NULL, -- 0: none
  updated_at  INTEGER NOT NULL  -- 0: never
) STRICT, WITHOUT ROWID;

CREATE TABLE briefs (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  day        TEXT NOT NULL, -- YYYY-MM-DD in the account's zone, on which it was made
  id         TEXT NOT NULL,
  body       TEXT NOT NULL, -- JSON
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX briefs_by_age ON briefs (created_at);

PRAGMA user_version = 11;

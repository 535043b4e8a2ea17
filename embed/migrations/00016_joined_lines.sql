-- +goose Up

-- Lines of sales and of purchase orders that named a product before the inventory had it
-- (I2): by SKU, or without one by name.
CREATE INDEX sale_lines_unknown ON sale_lines (account_id, sku COLLATE NOCASE, name COLLATE NOCASE) WHERE item_id = '';
CREATE INDEX purchase_order_lines_unknown ON purchase_order_lines (account_id, sku COLLATE NOCASE, name COLLATE NOCASE) WHERE item_id = '';

-- Those whose SKU an item has by now. A line without a cost gets the item's, as from here on,
-- when whoever adds or changes an item joins them. "sku <> ''" lets SQLite use items_by_sku.
UPDATE sale_lines
SET item_id = i.id, name = i.name,
  cost_price = coalesce(sale_lines.cost_price, i.cost_price),
  cost = coalesce(sale_lines.cost, (sale_lines.quantity_milli * i.cost_price + CASE WHEN sale_lines.quantity_milli < 0 THEN -500 ELSE 500 END) / 1000)
FROM (
  SELECT l.account_id, l.sale_id, l.line, i.id, i.name,
    CASE WHEN s.currency = a.currency AND abs(l.quantity_milli) * 1.0 * i.cost_price <= 1e15 THEN i.cost_price END AS cost_price
  FROM sale_lines l
  JOIN items i ON i.account_id = l.account_id AND i.sku = l.sku AND i.sku <> ''
  JOIN sales s ON s.account_id = l.account_id AND s.id = l.sale_id
  JOIN accounts a ON a.id = l.account_id
  WHERE l.item_id = '' AND l.sku <> '') i
WHERE sale_lines.account_id = i.account_id AND sale_lines.sale_id = i.sale_id AND sale_lines.line = i.line;

UPDATE purchase_order_lines
SET item_id = i.id, name = i.name
FROM items i
WHERE purchase_order_lines.item_id = '' AND purchase_order_lines.sku <> '' AND i.account_id = purchase_order_lines.account_id
  AND i.sku = purchase_order_lines.sku AND i.sku <> '';

PRAGMA user_version = 16;

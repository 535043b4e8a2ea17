-- +goose Up

-- Lines of sales and of purchase orders that named a product before the inventory had it
-- (I2): by SKU, or without one by name.
CREATE INDEX sale_lines_unknown ON sale_lines (account_id, sku COLLATE NOCASE, name COLLATE NOCASE) WHERE item_id = '';
CREATE INDEX purchase_order_lines_unknown ON purchase_order_lines (account_id, sku COLLATE NOCASE, name COLLATE NOCASE) WHERE item_id = '';

-- Those whose SKU an item has by now. From here on, whoever adds or changes an item joins them.
UPDATE sale_lines
SET item_id = i.id, name = i.name
FROM items i
WHERE sale_lines.item_id = '' AND sale_lines.sku <> '' AND i.account_id = sale_lines.account_id AND i.sku = sale_lines.sku;

UPDATE purchase_order_lines
SET item_id = i.id, name = i.name
FROM items i
WHERE purchase_order_lines.item_id = '' AND purchase_order_lines.sku <> '' AND i.account_id = purchase_order_lines.account_id AND i.sku = purchase_order_lines.sku;

PRAGMA user_version = 16;

package db

// A sale or a purchase order may name a product that the inventory does not have yet. Its line
// keeps the name and the SKU and moves no stock (I2). Once an item has the SKU, or the name if
// the line has no SKU, the line is of that item.

// maxJoinedCost bounds the product of a quantity and a cost in joinSales.
const maxJoinedCost = 1_000_000_000_000_000

// Of a line without a SKU the name counts. Without statistics SQLite would read all lines of the
// account, so the statements name their index.
const (
	bySKU  = `item_id = '' AND sku = $4 COLLATE NOCASE AND sku <> ''`
	byName = `item_id = '' AND sku = '' COLLATE NOCASE AND name = $3 COLLATE NOCASE`
)

var (
	joinSalesBySKU, joinSalesByName         = newQuery(joinSales + bySKU), newQuery(joinSales + byName)
	joinPurchasesBySKU, joinPurchasesByName = newQuery(joinPurchases + bySKU), newQuery(joinPurchases + byName)
)

const (
	// A line without a cost gets the item's, if the sale is in the account's currency, as
	// one that comes after the product does. See LineAmount for the rounding.
	joinSales = `
UPDATE sale_lines INDEXED BY sale_lines_unknown
SET item_id = $2, name = $3, sku = $4, (cost_price, cost) = (
  SELECT CASE WHEN known THEN $5 ELSE cost_price END,
    CASE WHEN known THEN (quantity_milli * $5 + CASE WHEN quantity_milli < 0 THEN -500 ELSE 500 END) / 1000 ELSE cost END
  FROM (
    SELECT cost_price IS NULL AND $5 IS NOT NULL AND s.currency = a.currency AND abs(quantity_milli) * 1.0 * coalesce($5, 0) <= $6 AS known
    FROM sales s
    JOIN accounts a ON a.id = s.account_id
    WHERE s.account_id = $1 AND s.id = sale_id))
WHERE account_id = $1 AND `

	joinPurchases = `
UPDATE purchase_order_lines INDEXED BY purchase_order_lines_unknown
SET item_id = $2, name = $3, sku = $4
WHERE account_id = $1 AND `
)

// joinLines gives an item, which has just got its name or its SKU, the lines that named it
// before. They moved no stock and move none now: a stock that is set later is the one after
// them (I3).
func (tx *Tx) joinLines(accountID, itemID string) error {
	i, err := tx.Item(accountID, itemID)
	if err != nil {
		return err
	}
	joined := int64(0)
	for _, q := range []*query{joinSalesBySKU, joinSalesByName, joinPurchasesBySKU, joinPurchasesByName} {
		args := []any{accountID, i.ID, i.Name, i.SKU}
		if q == joinSalesBySKU || q == joinSalesByName {
			args = append(args, i.CostPrice, maxJoinedCost)
		}
		n, err := tx.execCount(q, args...)
		if err != nil {
			return err
		}
		joined += n
	}
	if joined == 0 {
		return nil
	}
	return tx.bumpShopVersion(accountID)
}

package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"svc/db/engine"
)

// Querier runs the SELECTs that ask composes, over a dataset's file or over the
// store's own tables. It cannot write.
type Querier = engine.Querier

// DataRows is the result of such a SELECT.
type DataRows = engine.Rows

// GroupsFunction returns the name of an SQL aggregate function with some keys, values of
// which the different ones are counted, and integers that are summed by the keys, for which
// it returns a JSON array. At more than MaxGroups groups it fails.
func GroupsFunction(keys, counted int) string { return engine.GroupsFunction(keys, counted) }

// FoldFunction is an aggregate: fold(percent, value, parts) is 100 times the value with
// percent per cent of the values below it, among at least parts values of which the missing
// are 0. DaysFunction is days(text), the days from Monday, 1 January of the year 1 to a day.
const (
	MaxGroups       = engine.MaxGroups
	MaxGroupCounted = engine.MaxGroupCounted
	FoldFunction    = engine.FoldFunction
	DaysFunction    = engine.DaysFunction
)

// Query runs one SELECT over the store's own tables. The text must name them by
// ShopFrom, which restricts it to one account. Query reads at most limit rows, and
// is interrupted when ctx ends.
func (db *DB) Query(ctx context.Context, limit int, text string, args ...any) (DataRows, error) {
	return db.engine.Query(ctx, limit, text, args...)
}

// Snapshot runs fn with a Querier over the store's own tables whose SELECTs all see
// one state of them; see Query.
func (db *DB) Snapshot(ctx context.Context, fn func(Querier) error) error {
	return db.engine.Snapshot(ctx, fn)
}

// ShopView is an SQL view of the shop's tables for questions. The migration that creates
// it documents its columns.
type ShopView string

const (
	ShopSales     ShopView = "shop_sales"     // one row for each line of a sale
	ShopStock     ShopView = "shop_stock"     // one row for each item
	ShopPurchases ShopView = "shop_purchases" // one row for each line of a purchase order
	ShopCustomers ShopView = "shop_customers" // one row for each customer
)

// ShopFrom returns the table expression after FROM for the rows of one account. The
// account's id is an SQL literal in it, because the caller numbers the parameters of the
// rest of the statement. That is safe: ids are made by this program, and anything except
// their letters and digits is refused. Of sales it has those in the currency, because
// sums must not mix currencies; the other views have no currency column. An item without a
// reorder point has the default one (K8).
func ShopFrom(view ShopView, accountID, currency string) (string, error) {
	if !isName(accountID) || !isName(currency) {
		return "", errors.New("shop: not an account's id and a currency")
	}
	columns := "*"
	if view == ShopStock {
		columns = "account_id, item, product, sku, category, price, unit_cost, stock, coalesce(reorder, " + defaultReorderSQL + ") AS reorder, incoming, " + supplierSQL + " AS supplier"
	}
	from := fmt.Sprintf("(SELECT %s FROM %s WHERE account_id = '%s'", columns, view, accountID)
	if view == ShopSales {
		from += fmt.Sprintf(" AND currency = '%s'", currency)
	}
	return from + ")", nil
}

// supplierSQL is who supplies an item of shop_stock: whom it was last ordered from.
const supplierSQL = `(
  SELECT p.supplier
  FROM purchase_order_lines l
  JOIN purchase_orders p ON p.account_id = l.account_id AND p.id = l.purchase_order_id
  WHERE l.account_id = shop_stock.account_id AND l.item_id = shop_stock.item AND p.supplier <> ''
  ORDER BY p.ordered_at DESC, p.id DESC
  LIMIT 1)`

// RecentDays is how many days ShopCover looks back, the day it counts from included.
const RecentDays = 90

// ShopCover is ShopFrom of the stock, with what was sold of each item, in any currency.
// The text takes one parameter, ?1: the last day whose sales count, YYYY-MM-DD, in the
// shop's own zone. The column recent is how much was sold in the last RecentDays, or since
// the shop's first sale if that is later; stock_days is the stock times the number of those
// days, NULL if nothing sold in them; last_sold is a day, NULL if the item never sold.
func ShopCover(accountID, currency string) (string, error) {
	stock, err := ShopFrom(ShopStock, accountID, currency)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`(SELECT v.*, max(coalesce(sold.recent, 0), 0) AS recent, sold.last_sold,
    CASE WHEN sold.recent > 0 THEN max(v.stock, 0) * past.days END AS stock_days
  FROM %[1]s v
  CROSS JOIN (
    SELECT max(1, min(%[2]d, CAST(julianday(?1) - julianday(min(substr(sold_local, 1, 10))) AS INTEGER) + 1)) AS days
    FROM sales
    WHERE account_id = '%[3]s') past
  LEFT JOIN (
    SELECT l.item_id, substr(max(s.sold_local), 1, 10) AS last_sold,
      sum(l.quantity_milli) FILTER (WHERE s.sold_local >= date(?1, '-%[4]d days')) AS recent
    FROM sales s
    CROSS JOIN sale_lines l ON l.account_id = s.account_id AND l.sale_id = s.id
    WHERE s.account_id = '%[3]s' AND s.status = 'completed' AND s.sold_local < date(?1, '+1 day') AND l.item_id <> ''
    GROUP BY 1) sold ON sold.item_id = v.item)`, stock, RecentDays, accountID, RecentDays-1), nil
}

// ShopStamp is a version token of an account's shop views. When it changes, cached results
// of them are stale.
type ShopStamp struct{ Records, Items, Moves int64 }

var (
	shopStamp = newQuery(`
SELECT
  coalesce((SELECT version FROM shops WHERE account_id = $1), 0),
  coalesce((SELECT version FROM inventories WHERE account_id = $1), 0),
  coalesce((SELECT last_move FROM inventories WHERE account_id = $1), 0)`)

	bumpShopVersion = newQuery(`
INSERT INTO shops (account_id, version)
VALUES ($1, 1)
ON CONFLICT (account_id) DO UPDATE SET version = version + 1`)
)

// ShopStamp reads the account's stamp.
func (tx *Tx) ShopStamp(accountID string) (s ShopStamp, err error) {
	err = tx.row(shopStamp, []any{accountID}, &s.Records, &s.Items, &s.Moves)
	return s, err
}

// bumpShopVersion records that a sale, a purchase order, a customer, or a field of an item
// without a version of its own has changed.
func (tx *Tx) bumpShopVersion(accountID string) error {
	return tx.exec(bumpShopVersion, accountID)
}

// isName reports whether a text has only lower-case letters, digits and underscores.
func isName(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// Summary counts the values of a column.
type Summary struct {
	Rows     int64
	Distinct int64    // different values
	Blank    int64    // NULLs
	Values   []string // the most frequent first, if listed
}

const (
	maxValueLength = 120       // in a question, no name is longer
	maxValueBytes  = 256 << 10 // of all values of a column
)

// Summarise counts the values of a column. If listed is set, the column must be of text,
// and Summarise also lists its values: at most limit, none longer than maxValueLength,
// and at most maxValueBytes in all.
func Summarise(ctx context.Context, q Querier, from, column string, listed bool, limit int) (s Summary, err error) {
	if !listed {
		found, err := q.Query(ctx, 1, `SELECT count(*), count(DISTINCT `+column+`), count(*) - count(`+column+`) FROM `+from)
		if err != nil {
			return Summary{}, err
		}
		row := found.Rows[0]
		return Summary{Rows: row[0].(int64), Distinct: row[1].(int64), Blank: row[2].(int64)}, nil
	}
	found, err := q.Query(ctx, limit+1, `
WITH groups AS MATERIALIZED (SELECT `+column+` AS value, count(*) AS n FROM `+from+` GROUP BY 1)
SELECT 0 AS place, coalesce(sum(n), 0), count(value), coalesce(sum(n) FILTER (WHERE value IS NULL), 0), '' FROM groups
UNION ALL
SELECT row_number() OVER (ORDER BY n DESC, value), 0, 0, 0, value FROM groups WHERE length(value) <= $1
ORDER BY place
LIMIT $2`, maxValueLength, limit+1)
	if err != nil {
		return Summary{}, err
	}
	first := found.Rows[0]
	s = Summary{Rows: first[1].(int64), Distinct: first[2].(int64), Blank: first[3].(int64)}
	size := 0
	for _, row := range found.Rows[1:] {
		value := row[4].(string)
		if size += len(value); size > maxValueBytes {
			break
		}
		s.Values = append(s.Values, value)
	}
	return s, nil
}

// Described is a column that SummariseAll describes.
type Described struct {
	Name   string
	Listed bool // a column of text, whose values are listed as by Summarise
}

// SummariseAll returns what Summarise does, of several columns, and the values of extra
// aggregate expressions, in one pass over the rows. That matters for tables that are joins.
func SummariseAll(ctx context.Context, q Querier, from string, columns []Described, limit int, extra ...string) ([]Summary, []any, error) {
	spec, names := "", []string{}
	for _, c := range columns {
		letter := "n"
		if c.Listed {
			letter = "v"
		}
		spec, names = spec+letter, append(names, c.Name)
	}
	text := fmt.Sprintf("SELECT %s FROM %s", strings.Join(append([]string{fmt.Sprintf("%s('%s', %s)", engine.SummaryFunction, spec, strings.Join(names, ", "))}, extra...), ", "), from)
	found, err := q.Query(ctx, 1, text)
	if err != nil {
		return nil, nil, err
	}
	body, _ := found.Rows[0][0].(string)
	var parts []json.RawMessage
	if err := json.Unmarshal([]byte(body), &parts); err != nil {
		return nil, nil, fmt.Errorf("summary: %w", err)
	}
	out := make([]Summary, len(columns))
	for i := range out {
		var rows int64
		if len(parts) > 1 { // no row: no columns
			if err := errors.Join(json.Unmarshal(parts[0], &rows), json.Unmarshal(parts[i+1], &[]any{&out[i].Distinct, &out[i].Blank, &out[i].Values})); err != nil {
				return nil, nil, fmt.Errorf("summary: %w", err)
			}
		}
		out[i].Rows = rows
		out[i].Values = listed(out[i].Values, limit)
	}
	return out, found.Rows[0][1:], nil
}

// listed returns the values that a summary has of those of a column.
func listed(values []string, limit int) (out []string) {
	size := 0
	for _, v := range values {
		if utf8.RuneCountInString(v) > maxValueLength {
			continue
		}
		if size += len(v); size > maxValueBytes || len(out) == limit {
			break
		}
		out = append(out, v)
	}
	return out
}

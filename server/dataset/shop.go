package dataset

import (
	"context"
	"slices"

	"svc/db"
	"svc/server/money"
	"svc/server/schema"
)

// view describes a view of the shop's own tables.
type view struct {
	name    db.ShopView
	title   string
	kind    schema.Kind
	columns []schema.Column // the scale of money comes from the currency
}

// milli is the scale of quantities.
const milli = 3

// shopViews are the tables of the shop that can be asked about (H3).
var shopViews = []view{
	{db.ShopSales, "your sales", schema.Sales, []schema.Column{
		{Heading: "Sold", Name: "sold", Type: schema.Moment, Role: schema.Day},
		{Heading: "Sale", Name: "sale", Type: schema.Text, Role: schema.Order},
		{Heading: "Status", Name: "status", Type: schema.Text, Role: schema.Status},
		{Heading: "Product", Name: "product", Type: schema.Text, Role: schema.Product},
		{Heading: "SKU", Name: "sku", Type: schema.Text, Role: schema.SKU},
		{Heading: "Category", Name: "category", Type: schema.Text, Role: schema.Category},
		{Heading: "Customer", Name: "customer", Type: schema.Text, Role: schema.Customer},
		{Heading: "Region", Name: "region", Type: schema.Text, Role: schema.Region},
		quantity("Quantity", "quantity", schema.Quantity),
		amount("Price", "price", schema.Price),
		amount("Discount", "discount", schema.Discount),
		amount("Revenue", "revenue", schema.Revenue),
		amount("Cost", "cost", schema.Cost),
	}},
	{db.ShopStock, "your stock", schema.Stocklist, []schema.Column{
		{Heading: "Product", Name: "product", Type: schema.Text, Role: schema.Product},
		{Heading: "SKU", Name: "sku", Type: schema.Text, Role: schema.SKU},
		{Heading: "Category", Name: "category", Type: schema.Text, Role: schema.Category},
		amount("Price", "price", schema.Price),
		amount("Cost price", "unit_cost", schema.UnitCost),
		quantity("Stock", "stock", schema.Stock),
		quantity("Reorder point", "reorder", schema.Reorder),
		quantity("On order", "incoming", schema.Incoming),
		{Heading: "Supplier", Name: "supplier", Type: schema.Text, Role: schema.Supplier},
	}},
	{db.ShopPurchases, "your purchase orders", schema.Purchases, []schema.Column{
		{Heading: "Ordered", Name: "ordered", Type: schema.Moment, Role: schema.Day},
		{Heading: "Received", Name: "received", Type: schema.Moment},
		{Heading: "Purchase order", Name: "purchase", Type: schema.Text, Role: schema.Order},
		{Heading: "Supplier", Name: "supplier", Type: schema.Text, Role: schema.Supplier},
		{Heading: "Status", Name: "status", Type: schema.Text, Role: schema.Status},
		{Heading: "Product", Name: "product", Type: schema.Text, Role: schema.Product},
		{Heading: "SKU", Name: "sku", Type: schema.Text, Role: schema.SKU},
		quantity("Quantity", "quantity", schema.Quantity),
		amount("Cost price", "unit_cost", schema.UnitCost),
		amount("Cost", "cost", schema.Cost),
	}},
	{db.ShopCustomers, "your customers", schema.Customers, []schema.Column{
		{Heading: "Customer", Name: "customer", Type: schema.Text, Role: schema.Customer},
		{Heading: "Email", Name: "email", Type: schema.Text},
		{Heading: "Phone", Name: "phone", Type: schema.Text},
		{Heading: "Region", Name: "region", Type: schema.Text, Role: schema.Region},
	}},
}

func quantity(title, name string, role schema.Role) schema.Column {
	return schema.Column{Heading: title, Name: name, Type: schema.Number, Scale: milli, Unit: schema.Count, Role: role}
}

func amount(title, name string, role schema.Role) schema.Column {
	return schema.Column{Heading: title, Name: name, Type: schema.Number, Unit: schema.Money, Role: role}
}

// Shop returns the account's own tables that have rows. The store, a db.Querier, answers
// queries over them; the account is part of each source's From (see db.ShopFrom).
func (s *Service) Shop(ctx context.Context, owner db.Account) (sources []schema.Source, err error) {
	for _, v := range shopViews {
		source, err := v.source(ctx, s.store, owner)
		if err != nil {
			return nil, err
		}
		if source.Rows == 0 {
			continue
		}
		if v.name == db.ShopStock && len(sources) > 0 {
			if source, err = withSales(source, owner, sources[0]); err != nil {
				return nil, err
			}
		}
		sources = append(sources, source)
	}
	return sources, nil
}

// withSales returns the stock with columns of what was sold of it (see db.ShopCover). The
// day up to which sales count is a parameter, which the plan of a question sets.
func withSales(stock schema.Source, owner db.Account, sales schema.Source) (schema.Source, error) {
	from, err := db.ShopCover(owner.ID, owner.Profile.Currency)
	if err != nil {
		return schema.Source{}, err
	}
	stock.FromUnsold, stock.From, stock.SoldFirst, stock.SoldLast = stock.From, from, sales.First, sales.Last
	stock.Columns = append(stock.Columns,
		quantity("Sold lately", "recent", schema.SoldLately),
		quantity("Stock times days", "stock_days", schema.StockDays),
		schema.Column{Heading: "Last sold", Name: "last_sold", Type: schema.Date, Role: schema.LastSold},
	)
	return stock, nil
}

// source describes the account's rows of a view, in one pass: the views of sales and of
// purchases are joins.
func (v view) source(ctx context.Context, store *db.DB, owner db.Account) (schema.Source, error) {
	from, err := db.ShopFrom(v.name, owner.ID, owner.Profile.Currency)
	if err != nil {
		return schema.Source{}, err
	}
	source := schema.Source{ID: string(v.name), Name: v.title, Kind: v.kind, From: from, Currency: owner.Profile.Currency, Columns: slices.Clone(v.columns)}
	var described []db.Described
	for _, c := range v.columns {
		described = append(described, db.Described{Name: c.Name, Listed: c.Type == schema.Text})
	}
	counts := []string{"NULL", "NULL"} // the first and the last day
	if day, ok := source.ByRole(schema.Day); ok {
		counts = []string{"substr(min(" + day.Name + "), 1, 10)", "substr(max(" + day.Name + "), 1, 10)"}
	}
	if v.name == db.ShopSales {
		for _, r := range saleReversals {
			counts = append(counts, "count(*) FILTER (WHERE "+r.condition+")")
		}
	}
	held, extra, err := db.SummariseAll(ctx, store, from, described, schema.MaxValues, counts...)
	if err != nil {
		return schema.Source{}, err
	}
	if source.Rows = held[0].Rows; source.Rows == 0 {
		return source, nil
	}
	for i := range source.Columns {
		c := &source.Columns[i]
		if c.Unit == schema.Money {
			c.Scale = money.Decimals(owner.Profile.Currency)
		}
		c.Distinct, c.Blank, c.Values = held[i].Distinct, held[i].Blank, held[i].Values
	}
	switch v.name {
	case db.ShopPurchases:
		knowStates(&source)
	case db.ShopStock: // suppliers are those of purchase orders, of which there may be none
		source.Columns = slices.DeleteFunc(source.Columns, func(c schema.Column) bool { return c.Role == schema.Supplier && c.Distinct == 0 })
	}
	source.First, _ = extra[0].(string)
	source.Last, _ = extra[1].(string)
	if v.name == db.ShopSales {
		for i, r := range saleReversals {
			r.rule.Rows, _ = extra[2+i].(int64)
			if len(r.rule.Values) > 0 {
				r.rule.Counts = []int64{r.rule.Rows}
			}
			source.Reversals = append(source.Reversals, r.rule)
		}
	}
	return source, nil
}

// saleReversals are how cancelled and refunded sales of the shop are recognized (I4), each
// with its condition in the view. A line with a quantity below zero is a return.
var saleReversals = []struct {
	rule      schema.Reversal
	condition string
}{
	{schema.Reversal{Kind: schema.CancelledSale, Column: "Status", Values: []string{string(db.Cancelled)}}, "status = '" + string(db.Cancelled) + "'"},
	{schema.Reversal{Kind: schema.RefundedSale, Column: "Status", Values: []string{string(db.Refunded)}}, "status = '" + string(db.Refunded) + "'"},
	{schema.Reversal{Kind: schema.Return, Column: "Quantity"}, "quantity < 0"},
}

// orderStates are the states of a purchase order, with other words for them.
var orderStates = []struct {
	status string
	words  []string
}{
	{"ordered", []string{"open", "outstanding", "pending", "on order", "in transit", "on the way", "unreceived", "undelivered"}},
	{"received", []string{"closed", "complete", "completed", "fulfilled"}},
}

// knowStates gives purchase orders all states, which a question can name though no order has
// one now, and the other words for them.
func knowStates(source *schema.Source) {
	i := slices.IndexFunc(source.Columns, func(c schema.Column) bool { return c.Role == schema.Status })
	c := &source.Columns[i]
	for _, state := range orderStates {
		if !slices.Contains(c.Values, state.status) {
			c.Values = append(c.Values, state.status)
		}
		for _, w := range state.words {
			source.Words = append(source.Words, schema.Word{Text: w, Kind: schema.AValue, Target: state.status, Heading: c.Heading})
		}
	}
}

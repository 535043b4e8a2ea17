package dataset

import (
	"context"

	"svc/db"
	"svc/server/catalog"
	"svc/server/money"
)

// view is a view of the shop's own tables as a source.
type view struct {
	name    db.ShopView
	title   string
	kind    catalog.Kind
	columns []catalog.Column // money without its scale, which is the currency's
}

// milli is the scale of quantities.
const milli = 3

// views are what the shop itself keeps, beside its datasets (H3).
var views = []view{
	{db.ShopSales, "your sales", catalog.Sales, []catalog.Column{
		{Heading: "Sold", Name: "sold", Type: catalog.Moment, Role: catalog.Day},
		{Heading: "Sale", Name: "sale", Type: catalog.Text, Role: catalog.Order},
		{Heading: "Product", Name: "product", Type: catalog.Text, Role: catalog.Product},
		{Heading: "SKU", Name: "sku", Type: catalog.Text, Role: catalog.SKU},
		{Heading: "Category", Name: "category", Type: catalog.Text, Role: catalog.Category},
		{Heading: "Customer", Name: "customer", Type: catalog.Text, Role: catalog.Customer},
		{Heading: "Region", Name: "region", Type: catalog.Text, Role: catalog.Region},
		quantity("Quantity", "quantity", catalog.Quantity),
		amount("Price", "price", catalog.Price),
		amount("Discount", "discount", catalog.Discount),
		amount("Revenue", "revenue", catalog.Revenue),
		amount("Cost", "cost", catalog.Cost),
	}},
	{db.ShopStock, "your stock", catalog.Stocklist, []catalog.Column{
		{Heading: "Product", Name: "product", Type: catalog.Text, Role: catalog.Product},
		{Heading: "SKU", Name: "sku", Type: catalog.Text, Role: catalog.SKU},
		{Heading: "Category", Name: "category", Type: catalog.Text, Role: catalog.Category},
		amount("Price", "price", catalog.Price),
		amount("Cost price", "unit_cost", catalog.UnitCost),
		quantity("Stock", "stock", catalog.Stock),
		quantity("Reorder point", "reorder", catalog.Reorder),
		quantity("On order", "incoming", catalog.Incoming),
	}},
	{db.ShopPurchases, "your purchase orders", catalog.Purchases, []catalog.Column{
		{Heading: "Ordered", Name: "ordered", Type: catalog.Moment, Role: catalog.Day},
		{Heading: "Received", Name: "received", Type: catalog.Moment},
		{Heading: "Purchase order", Name: "purchase", Type: catalog.Text, Role: catalog.Order},
		{Heading: "Supplier", Name: "supplier", Type: catalog.Text, Role: catalog.Supplier},
		{Heading: "Status", Name: "status", Type: catalog.Text, Role: catalog.Status},
		{Heading: "Product", Name: "product", Type: catalog.Text, Role: catalog.Product},
		{Heading: "SKU", Name: "sku", Type: catalog.Text, Role: catalog.SKU},
		quantity("Quantity", "quantity", catalog.Quantity),
		amount("Cost price", "unit_cost", catalog.UnitCost),
		amount("Cost", "cost", catalog.Cost),
	}},
	{db.ShopCustomers, "your customers", catalog.Customers, []catalog.Column{
		{Heading: "Customer", Name: "customer", Type: catalog.Text, Role: catalog.Customer},
		{Heading: "Email", Name: "email", Type: catalog.Text},
		{Heading: "Phone", Name: "phone", Type: catalog.Text},
		{Heading: "Region", Name: "region", Type: catalog.Text, Role: catalog.Region},
	}},
}

func quantity(title, name string, role catalog.Role) catalog.Column {
	return catalog.Column{Heading: title, Name: name, Type: catalog.Number, Scale: milli, Unit: catalog.Count, Role: role}
}

func amount(title, name string, role catalog.Role) catalog.Column {
	return catalog.Column{Heading: title, Name: name, Type: catalog.Number, Unit: catalog.Money, Role: role}
}

// Shop is what the account's own tables hold, those that have rows. Their rows are
// asked of the store itself, which is a db.Querier; the account is part of each
// source's From (see db.ShopFrom).
func (s *Service) Shop(ctx context.Context, owner db.Account) (sources []catalog.Source, err error) {
	for _, v := range views {
		source, err := v.source(ctx, s.Store, owner)
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

// withSales adds to the stock what was sold of it (see db.ShopCover). It is the reader of
// a question who says from which day that counts; the last and the first that have sales
// stand in the column of the last sale.
func withSales(stock catalog.Source, owner db.Account, sales catalog.Source) (catalog.Source, error) {
	from, err := db.ShopCover(owner.ID, owner.Profile.Currency)
	if err != nil {
		return catalog.Source{}, err
	}
	stock.From = from
	stock.Columns = append(stock.Columns,
		quantity("Sold lately", "recent", catalog.SoldLately),
		quantity("Stock times days", "stock_days", catalog.StockDays),
		catalog.Column{Heading: "Last sold", Name: "last_sold", Type: catalog.Date, Role: catalog.LastSold, Values: []string{sales.Last, sales.First}},
	)
	return stock, nil
}

func (v view) source(ctx context.Context, store *db.DB, owner db.Account) (catalog.Source, error) {
	from, err := db.ShopFrom(v.name, owner.ID, owner.Profile.Currency)
	if err != nil {
		return catalog.Source{}, err
	}
	source := catalog.Source{ID: string(v.name), Name: v.title, Kind: v.kind, From: from, Currency: owner.Profile.Currency}
	for _, c := range v.columns {
		if c.Unit == catalog.Money {
			c.Scale = money.Decimals(owner.Profile.Currency)
		}
		held, err := db.Summarise(ctx, store, from, c.Name, c.Type == catalog.Text, catalog.MaxValues)
		if err != nil {
			return catalog.Source{}, err
		}
		if source.Rows = held.Rows; source.Rows == 0 {
			return source, nil
		}
		c.Distinct, c.Blank, c.Values = held.Distinct, held.Blank, held.Values
		source.Columns = append(source.Columns, c)
	}
	return Span(ctx, store, source)
}

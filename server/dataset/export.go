package dataset

import (
	"strings"

	"svc/server/catalog"
	"svc/server/heading"
)

// export is what a shop or marketplace writes, whose headings are known to the
// letter. What its columns mean is known better than any heading tells: Amazon's
// "item-price" is that of all the pieces of a line, and Shopify's "Total" that of
// the whole order, on the first of its lines.
type export struct {
	marks []string // headings that it has and no other file
	roles map[string]catalog.Role
	// group is the heading whose text the rows of one thing share. What the first row
	// says of the whole thing and the others leave blank is filled in, texts only:
	// an amount of an order must not be summed once for each line.
	group string
	own   []string // beginnings of the headings that speak of the row alone
	// unsold are, by heading, the parts of values that mark rows that moved no
	// customer's money. They are left out.
	unsold map[string][]string
	kind   catalog.Kind // where the roles do not show it
}

// exports are those with rows that need such knowledge. All headings are folded.
var exports = []export{
	{ // Shopify, orders: revenue is that of the lines, for totals are those of orders
		marks: []string{"lineitem name", "lineitem quantity", "lineitem price"},
		roles: map[string]catalog.Role{
			"name": catalog.Order, "email": catalog.Customer, "created at": catalog.Day, "financial status": catalog.Status,
			"lineitem name": catalog.Product, "lineitem sku": catalog.SKU, "lineitem quantity": catalog.Quantity,
			"lineitem price": catalog.Price, "lineitem discount": catalog.Discount, "shipping": catalog.Shipping, "taxes": catalog.Tax,
			"billing city": catalog.City, "billing province": catalog.State, "billing country": catalog.Country,
			"payment method": catalog.Payment, "vendor": catalog.Brand, "employee": catalog.Staff, "location": catalog.Store, "source": catalog.Channel,
		},
		group: "name", own: []string{"lineitem", "vendor"},
	},
	{ // Shopify, orders in short: a row an order
		marks: []string{"name", "created at", "subtotal", "total", "billing zip"},
		roles: map[string]catalog.Role{
			"name": catalog.Order, "email": catalog.Customer, "created at": catalog.Day, "financial status": catalog.Status, "total": catalog.Revenue,
			"shipping": catalog.Shipping, "taxes": catalog.Tax, "discount amount": catalog.Discount,
			"billing city": catalog.City, "billing province": catalog.State, "billing country": catalog.Country, "payment method": catalog.Payment,
		},
		group: "name",
	},
	{ // Shopify, products: a row a variant or a picture
		marks: []string{"handle", "variant price", "option1 value"},
		roles: map[string]catalog.Role{
			"title": catalog.Product, "vendor": catalog.Brand, "type": catalog.Category, "variant sku": catalog.SKU,
			"variant inventory qty": catalog.Stock, "variant price": catalog.Price, "cost per item": catalog.UnitCost,
		},
		group: "handle", own: []string{"variant", "option", "image", "body", "seo", "google", "cost", "gift"},
	},
	{ // Square, item details
		marks: []string{"item", "price point name", "gross sales", "net sales"},
		roles: map[string]catalog.Role{
			"date": catalog.Day, "time": catalog.DayTime, "category": catalog.Category, "item": catalog.Product, "qty": catalog.Quantity,
			"sku": catalog.SKU, "gross sales": catalog.Gross, "net sales": catalog.Revenue, "tax": catalog.Tax,
			"transaction id": catalog.Order, "event type": catalog.Status, "location": catalog.Store, "channel": catalog.Channel,
			"customer name": catalog.Customer, "card brand": catalog.Payment,
		},
	},
	{ // WooCommerce, products
		marks: []string{"sku", "regular price", "backorders allowed"},
		roles: map[string]catalog.Role{
			"name": catalog.Product, "sku": catalog.SKU, "stock": catalog.Stock, "low stock amount": catalog.Reorder,
			"regular price": catalog.Price, "categories": catalog.Category, "brands": catalog.Brand, "meta wc cog cost": catalog.UnitCost,
		},
	},
	{ // Amazon, all orders: prices are those of the line
		marks: []string{"amazon order id", "item price"},
		roles: map[string]catalog.Role{
			"amazon order id": catalog.Order, "purchase date": catalog.Day, "order status": catalog.Status, "sales channel": catalog.Channel,
			"product name": catalog.Product, "sku": catalog.SKU, "quantity": catalog.Quantity, "item price": catalog.Gross,
			"item promotion discount": catalog.Discount, "item tax": catalog.Tax, "shipping price": catalog.Shipping,
			"ship city": catalog.City, "ship state": catalog.State, "ship country": catalog.Country,
		},
	},
	{ // Amazon, settlements: fees and refunds among the amounts, so none is revenue
		marks: []string{"settlement id", "posted date"},
		roles: map[string]catalog.Role{
			"order id": catalog.Order, "posted date": catalog.Day, "sku": catalog.SKU, "marketplace name": catalog.Channel,
		},
		kind: catalog.Other,
	},
	{ // Etsy, sold order items: what is shipping and tax stands on each line of an order
		marks: []string{"item name", "listing id", "item total"},
		roles: map[string]catalog.Role{
			"sale date": catalog.Day, "item name": catalog.Product, "buyer": catalog.Customer, "quantity": catalog.Quantity, "price": catalog.Price,
			"item total": catalog.Gross, "discount amount": catalog.Discount, "order id": catalog.Order, "sku": catalog.SKU,
			"ship city": catalog.City, "ship state": catalog.State, "ship country": catalog.Country, "payment type": catalog.Payment, "order type": catalog.Channel,
		},
	},
	{ // eBay, orders: what it was sold for is the price of one
		marks: []string{"sales record number", "sold for"},
		roles: map[string]catalog.Role{
			"sale date": catalog.Day, "order number": catalog.Order, "item title": catalog.Product, "custom label": catalog.SKU, "quantity": catalog.Quantity,
			"sold for": catalog.Price, "shipping and handling": catalog.Shipping, "seller collected tax": catalog.Tax,
			"buyer username": catalog.Customer, "buyer city": catalog.City, "buyer state": catalog.State, "buyer country": catalog.Country, "payment method": catalog.Payment,
		},
	},
	{ // PayPal, activity: payments in and refunds, before the fee
		marks: []string{"gross", "fee", "net", "transaction id"},
		roles: map[string]catalog.Role{
			"date": catalog.Day, "time": catalog.DayTime, "name": catalog.Customer, "type": catalog.Category, "status": catalog.Status,
			"gross": catalog.Revenue, "transaction id": catalog.Order, "item title": catalog.Product, "item id": catalog.SKU,
			"quantity": catalog.Quantity, "sales tax": catalog.Tax, "shipping and handling amount": catalog.Shipping,
		},
		unsold: map[string][]string{
			"balance impact": {"memo"},
			"status":         {"pending", "denied", "canceled", "expired", "placed", "removed"},
			"type":           {"withdrawal", "transfer", "hold", "conversion", "bank deposit", "authorization"},
		},
	},
}

// exportOf knows the file by its headings, nil where it is nobody's.
func exportOf(folded []string) *export {
	has := map[string]bool{}
	for _, title := range folded {
		has[title] = true
	}
	for i, e := range exports {
		isAll := true
		for _, mark := range e.marks {
			isAll = isAll && has[mark]
		}
		if isAll {
			return &exports[i]
		}
	}
	return nil
}

func foldAll(titles []string) []string {
	folded := make([]string, len(titles))
	for i, title := range titles {
		folded[i] = heading.Fold(title)
	}
	return folded
}

// assign gives the columns of a known export their roles.
func (e *export) assign(columns []catalog.Column) {
	for i, c := range columns {
		if role := e.roles[heading.Fold(c.Heading)]; accepts(role, c) {
			columns[i].Role = role
		}
	}
}

// isUnsold says that a row belongs to no sale.
func (e *export) isUnsold(folded, cells []string) bool {
	if e == nil || e.unsold == nil {
		return false
	}
	for i, title := range folded {
		for _, part := range e.unsold[title] {
			if strings.Contains(strings.ToLower(cells[i]), part) {
				return true
			}
		}
	}
	return false
}

// filler copies down what the first row of a thing says for all of them.
type filler struct {
	group   int // column of the thing; -1: nothing is copied
	columns []bool
	last    []string
}

func newFiller(e *export, folded []string, formats []format) *filler {
	f := &filler{group: -1, columns: make([]bool, len(folded)), last: make([]string, len(folded))}
	if e == nil || e.group == "" {
		return f
	}
	for i, title := range folded {
		if title == e.group {
			f.group = i
		}
		f.columns[i] = formats[i].kind != catalog.Number && !e.isOwn(title)
	}
	return f
}

func (e *export) isOwn(title string) bool {
	for _, begin := range e.own {
		if strings.HasPrefix(title, begin) {
			return true
		}
	}
	return false
}

// fill completes a row.
func (f *filler) fill(cells []string) {
	if f.group < 0 {
		return
	}
	isSame := cells[f.group] != "" && cells[f.group] == f.last[f.group]
	for i, text := range cells {
		switch {
		case !f.columns[i]:
		case isSame && text == "":
			cells[i] = f.last[i]
		default:
			f.last[i] = text
		}
	}
}

package dataset

import (
	"slices"
	"strings"

	"svc/server/header"
	"svc/server/schema"
)

// export describes the export format of a shop system or marketplace, whose headings are
// known exactly. Its meaning is known better than headings tell: Amazon's "item-price" is
// the price of all pieces of a line, and Shopify's "Total" that of the whole order, on the
// first of its lines.
type export struct {
	marks []string // headings that together identify the format
	roles map[string]schema.Role
	// orderDiscount is the heading of the discounts of orders, which count if no line has one.
	orderDiscount string
	// group is the heading of the column that identifies the thing that rows are about.
	// Texts that only the first row of a thing has are copied to its other rows; amounts
	// are not, since a sum would count them for each line.
	group string
	own   []string // prefixes of headings that describe only the row
	// unsold are, by heading, parts of values that mark rows without a sale. Such rows are
	// left out.
	unsold map[string][]string
	// line is the heading of what each line of an order has. A row without it sums up the lines after it,
	// if there are some.
	line string
	// repeats is the heading of what was charged for the post of an order, which each of its lines has.
	repeats string
	// ledger is true if refunds are rows of their own, and other rows below zero payments.
	ledger bool
	kind   schema.Kind // if the roles do not show it
}

// ordersOfLines is the format of Shopify's orders, and of Squarespace's, which calls the number of an
// order otherwise: revenue comes from the lines, since totals are those of orders.
func ordersOfLines(order string) export {
	return export{
		marks: []string{order, "lineitem name", "lineitem quantity", "lineitem price"},
		roles: map[string]schema.Role{
			order: schema.Order, "email": schema.Customer, "created at": schema.Day, "financial status": schema.Status,
			"cancelled at": schema.Cancelled, "refunded amount": schema.Refund, "outstanding balance": schema.Owed, "lineitem name": schema.Product, "lineitem sku": schema.SKU, "lineitem quantity": schema.Quantity,
			"lineitem price": schema.Price, "lineitem discount": schema.Discount, "shipping": schema.Shipping, "taxes": schema.Tax,
			"billing city": schema.City, "billing province": schema.State, "billing country": schema.Country,
			"payment method": schema.Payment, "vendor": schema.Brand, "employee": schema.Staff, "location": schema.Store, "source": schema.Channel,
			"amount refunded": schema.Refund,
		},
		orderDiscount: "discount amount",
		group:         order, own: []string{"lineitem", "vendor"},
	}
}

// exports are the known formats. All headings are folded.
var exports = []export{
	ordersOfLines("name"),
	ordersOfLines("order id"),
	{ // Shopify, orders: one row for each order
		marks: []string{"name", "created at", "subtotal", "total", "billing zip"},
		roles: map[string]schema.Role{
			"name": schema.Order, "email": schema.Customer, "created at": schema.Day, "financial status": schema.Status, "total": schema.Revenue,
			"cancelled at": schema.Cancelled, "refunded amount": schema.Refund, "outstanding balance": schema.Owed,
			"shipping": schema.Shipping, "taxes": schema.Tax, "discount amount": schema.Discount,
			"billing city": schema.City, "billing province": schema.State, "billing country": schema.Country, "payment method": schema.Payment,
		},
		group: "name",
	},
	{ // Shopify, products: one row for each variant or picture
		marks: []string{"handle", "variant price", "option1 value"},
		roles: map[string]schema.Role{
			"title": schema.Product, "vendor": schema.Brand, "type": schema.Category, "variant sku": schema.SKU,
			"variant inventory qty": schema.Stock, "variant price": schema.Price, "cost per item": schema.UnitCost,
		},
		group: "handle", own: []string{"variant", "option", "image", "body", "seo", "google", "cost", "gift"},
	},
	{ // Square, item details
		marks: []string{"item", "price point name", "gross sales", "net sales"},
		roles: map[string]schema.Role{
			"date": schema.Day, "time": schema.DayTime, "category": schema.Category, "item": schema.Product, "qty": schema.Quantity,
			"sku": schema.SKU, "gross sales": schema.Gross, "net sales": schema.Revenue, "tax": schema.Tax,
			"transaction id": schema.Order, "event type": schema.Status, "location": schema.Store, "channel": schema.Channel,
			"customer name": schema.Customer, "card brand": schema.Payment,
		},
	},
	{ // WooCommerce, products
		marks: []string{"sku", "regular price", "backorders allowed"},
		roles: map[string]schema.Role{
			"name": schema.Product, "sku": schema.SKU, "stock": schema.Stock, "low stock amount": schema.Reorder,
			"regular price": schema.Price, "categories": schema.Category, "brands": schema.Brand, "meta wc cog cost": schema.UnitCost,
		},
	},
	{ // Amazon, all orders: prices are those of the line
		marks: []string{"amazon order id", "item price"},
		roles: map[string]schema.Role{
			"amazon order id": schema.Order, "purchase date": schema.Day, "order status": schema.Status, "sales channel": schema.Channel,
			"product name": schema.Product, "sku": schema.SKU, "quantity": schema.Quantity, "item price": schema.Gross,
			"item promotion discount": schema.Discount, "item tax": schema.Tax, "shipping price": schema.Shipping,
			"ship city": schema.City, "ship state": schema.State, "ship country": schema.Country,
		},
	},
	{ // Amazon, settlements: the amounts include fees and refunds, so none is revenue
		marks: []string{"settlement id", "posted date"},
		roles: map[string]schema.Role{"order id": schema.Order, "posted date": schema.Day, "sku": schema.SKU, "marketplace name": schema.Channel},
		kind:  schema.Other,
	},
	{ // Etsy, sold order items: each line repeats shipping and tax of the order
		marks: []string{"item name", "listing id", "item total"},
		roles: map[string]schema.Role{
			"sale date": schema.Day, "item name": schema.Product, "buyer": schema.Customer, "quantity": schema.Quantity, "price": schema.Price,
			"item total": schema.Gross, "discount amount": schema.Discount, "order id": schema.Order, "sku": schema.SKU,
			"ship city": schema.City, "ship state": schema.State, "ship country": schema.Country, "payment type": schema.Payment, "order type": schema.Channel,
		},
		repeats: "order shipping",
	},
	{ // eBay, orders: "sold for" is the price of one piece
		marks: []string{"sales record number", "sold for"},
		roles: map[string]schema.Role{
			"sale date": schema.Day, "order number": schema.Order, "item title": schema.Product, "custom label": schema.SKU, "quantity": schema.Quantity,
			"sold for": schema.Price, "shipping and handling": schema.Shipping, "postage and packaging": schema.Shipping, "seller collected tax": schema.Tax,
			"buyer username": schema.Customer, "buyer city": schema.City, "buyer state": schema.State, "buyer county": schema.State, "buyer country": schema.Country, "payment method": schema.Payment,
		},
		group: "order number", own: []string{"item", "custom label", "transaction", "variation", "sold via"}, line: "item title",
	},
	{ // PayPal, activity: payments in and refunds, before the fee
		marks: []string{"gross", "fee", "net", "transaction id"},
		roles: map[string]schema.Role{
			"date": schema.Day, "time": schema.DayTime, "name": schema.Customer, "type": schema.Category, "status": schema.Status,
			"gross": schema.Revenue, "transaction id": schema.Order, "item title": schema.Product, "item id": schema.SKU,
			"quantity": schema.Quantity, "sales tax": schema.Tax, "shipping and handling amount": schema.Shipping,
		},
		ledger: true,
		unsold: map[string][]string{
			"balance impact": {"memo"},
			"status":         {"pending", "denied", "declined", "failed", "canceled", "expired", "placed", "removed"},
			"type":           {"withdrawal", "transfer", "hold", "conversion", "bank deposit", "authorization"},
		},
	},
}

// exportOf returns the format of a file by its headings, or nil.
func exportOf(folded []string) *export {
	isMissing := func(mark string) bool { return !slices.Contains(folded, mark) }
	for i, e := range exports {
		if !slices.ContainsFunc(e.marks, isMissing) {
			return &exports[i]
		}
	}
	return nil
}

// assign gives the columns of an export their roles.
func (e *export) assign(columns []schema.Column) {
	for i, c := range columns {
		if role := e.roles[header.Fold(c.Heading)]; accepts(role, c) {
			columns[i].Role = role
		}
	}
}

// settleCutExport gives roles of names and of the day in an export of which somebody left columns out, or
// which a later version calls otherwise: Billing Name, where the e-mail addresses are not there.
func settleCutExport(source *schema.Source) {
	for _, role := range []schema.Role{schema.Day, schema.Customer, schema.City, schema.Country, schema.Staff, schema.Payment} {
		giveFirst(source, role, func(c schema.Column) bool { return hintOf(c.Heading) == role })
	}
}

// observeLine notes the orders of an export that have lines.
func (p *plan) observeLine(cells []string) {
	if p.export == nil || p.export.line == "" {
		return
	}
	if line, order := slices.Index(p.folded, p.export.line), slices.Index(p.folded, p.export.group); line >= 0 && order >= 0 && cells[line] != "" {
		p.lined[strings.Clone(cells[order])] = true // a cell is a part of its whole row
	}
}

// isSum reports whether a row sums up the lines of an order, which other rows are, or has no amount, such as
// a note under the table.
func (p *plan) isSum(cells []string) bool {
	if p.export == nil || p.export.line == "" {
		return false
	}
	line, order := slices.Index(p.folded, p.export.line), slices.Index(p.folded, p.export.group)
	return line >= 0 && order >= 0 && cells[line] == "" && (p.lined[cells[order]] || !p.hasAmount(cells))
}

// hasAmount reports whether a row of an export has a price or an amount.
func (p *plan) hasAmount(cells []string) bool {
	return slices.ContainsFunc(p.folded, func(title string) bool {
		role := p.export.roles[title]
		return (role == schema.Price || role == schema.Revenue || role == schema.Gross) && cells[slices.Index(p.folded, title)] != ""
	})
}

// isUnsold reports whether a row is no sale.
func (e *export) isUnsold(folded, cells []string) bool {
	if e == nil {
		return false
	}
	for i, title := range folded {
		if slices.ContainsFunc(e.unsold[title], func(part string) bool { return strings.Contains(strings.ToLower(cells[i]), part) }) {
			return true
		}
	}
	return false
}

// isLeftOut reports whether a row of the file is not imported.
func (p *plan) isLeftOut(cells []string) bool {
	return p.isSum(cells) || p.export.isUnsold(p.folded, cells)
}

// filler copies the texts of a thing's first row to its other rows. The numbers of a row that sums up the
// lines after it go to the first of them that leaves them blank, so that a sum counts them once.
type filler struct {
	group   int // column that identifies the thing; -1: nothing is copied
	columns []bool
	numbers []bool
	last    []string
	sums    []string // numbers of a row that sums up, for the next row
}

func newFiller(e *export, folded []string, formats []format) *filler {
	f := &filler{group: -1, columns: make([]bool, len(folded)), numbers: make([]bool, len(folded)), last: make([]string, len(folded))}
	if e == nil || e.group == "" {
		return f
	}
	for i, title := range folded {
		if title == e.group {
			f.group = i
		}
		isOwn := slices.ContainsFunc(e.own, func(begin string) bool { return strings.HasPrefix(title, begin) })
		f.numbers[i] = formats[i].kind == schema.Number && !isOwn
		f.columns[i] = formats[i].kind != schema.Number && !isOwn
	}
	return f
}

// fill fills in the blank cells of a row, which may sum up those after it.
func (f *filler) fill(cells []string, isSum bool) {
	if f.group < 0 {
		return
	}
	isSame := cells[f.group] != "" && cells[f.group] == f.last[f.group]
	sums := f.sums
	f.sums = nil
	if isSum {
		f.sums = slices.Clone(cells)
	}
	for i, text := range cells {
		switch {
		case f.numbers[i] && isSame && text == "" && sums != nil:
			cells[i] = sums[i]
		case !f.columns[i]:
		case isSame && text == "":
			cells[i] = f.last[i]
		default:
			f.last[i] = text
		}
	}
}

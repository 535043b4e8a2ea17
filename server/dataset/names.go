package dataset

import (
	"slices"
	"strings"

	"svc/server/catalog"
	"svc/server/heading"
)

// channels are the values of columns that say how something was sold, whatever their
// heading.
var channels = set(`online offline instore in-store takeaway take-away togo to-go dinein dine-in delivery pickup pick-up collection web website app mobile
	eatin eat-in walkin walk-in drivethru drive-thru phone outlet marketplace wholesale retail pos`)

// statuses are those of columns that say how far a sale got.
var statuses = set(`paid unpaid pending completed complete cancelled canceled refunded returned shipped delivered processing open closed failed fulfilled unfulfilled
	pagado pendiente cancelado enviado entregado completado devuelto pago pendente concluido`)

// payments are those of columns that say how something was paid.
var payments = set(`visa mastercard amex americanexpress maestro discover card cash credit debit creditcard debitcard voucher giftcard paypal applepay googlepay ewallet invoice cheque check
	karte bar tarjeta efectivo carte especes cartao dinheiro pix`)

// settleNames corrects roles by the values that a column has.
func settleNames(source *catalog.Source) {
	for i := range source.Columns {
		c := &source.Columns[i]
		switch {
		case c.Role == catalog.Store && allIn(c.Values, channels):
			move(source, i, catalog.Channel)
		case c.Role == catalog.State && allIn(c.Values, statuses):
			move(source, i, catalog.Status)
		case c.Role == catalog.Customer && allIn(c.Values, payments):
			move(source, i, catalog.Payment)
		}
	}
	settleOrder(source)
	settleDay(source)
	settleProduct(source)
	settleStock(source)
}

func allIn(values []string, known map[string]bool) bool {
	for _, value := range values {
		if !known[strings.ReplaceAll(strings.ToLower(value), " ", "")] {
			return false
		}
	}
	return len(values) > 0
}

// move takes a column's role and gives it another, unless some column has that.
func move(source *catalog.Source, column int, role catalog.Role) {
	source.Columns[column].Role = catalog.None
	if !hasAny(*source, role) {
		source.Columns[column].Role = role
	}
}

// settleOrder: a name that is a number sign and a number is that of an order.
func settleOrder(source *catalog.Source) {
	product, ok := source.ByRole(catalog.Product)
	if !ok || len(product.Values) == 0 {
		return
	}
	for _, value := range product.Values {
		if number, ok := strings.CutPrefix(value, "#"); !ok || !isDigits(number) {
			return
		}
	}
	for i, c := range source.Columns {
		if c.Role == catalog.Product {
			move(source, i, catalog.Order)
		}
	}
}

// late words are in the headings of days on which something else happened than a sale.
var late = set(`delivery delivered due ship shipped shipping required birth birthday expiry expires expiration valid until updated modified end ended start
	liefertermin lieferdatum faellig fallig geburtsdatum livraison echeance entrega vencimiento vencimento nacimiento nascimento`)

// settleDay: the only date of a table is the one that is meant.
func settleDay(source *catalog.Source) {
	only := -1
	for i, c := range source.Columns {
		if c.Role == catalog.Day {
			return
		}
		if !accepts(catalog.Day, c) {
			continue
		}
		if only >= 0 || slices.ContainsFunc(strings.Fields(heading.Fold(c.Heading)), func(word string) bool { return late[word] }) {
			return
		}
		only = i
	}
	if _, isStock := source.ByRole(catalog.Stock); only >= 0 && !isStock {
		source.Columns[only].Role = catalog.Day
	}
}

// others begin the names of what is no product.
var others = set(`customer client first last full company contact ship shipping billing employee staff supplier vendor store shop branch city month day user file
	brand category payment sales cashier seller buyer device screen account project campaign state country region`)

// settleProduct: without a product, the name of something that nobody else has is one.
func settleProduct(source *catalog.Source) {
	if _, ok := source.ByRole(catalog.Product); ok {
		return
	}
	for i, c := range source.Columns {
		words := strings.Fields(heading.Fold(c.Heading))
		if len(words) < 2 || words[len(words)-1] != "name" || others[words[0]] {
			continue
		}
		if c.Role == catalog.None && c.Type == catalog.Text && c.Distinct > 1 {
			source.Columns[i].Role = catalog.Product
			return
		}
	}
}

// settleStock: the quantity of a list that has no days, orders, customers or amounts,
// but what only those have who order goods, is what is there.
func settleStock(source *catalog.Source) {
	isList := hasAny(*source, catalog.Reorder, catalog.Incoming, catalog.LeadTime, catalog.Supplier, catalog.UnitCost)
	if !isList || hasAny(*source, catalog.Day, catalog.Order, catalog.Revenue, catalog.Gross, catalog.Stock, catalog.Customer) {
		return
	}
	for i, c := range source.Columns {
		if c.Role == catalog.Quantity {
			source.Columns[i].Role = catalog.Stock
		}
	}
}

// hasAny says that some column plays one of the roles.
func hasAny(source catalog.Source, roles ...catalog.Role) bool {
	return slices.ContainsFunc(source.Columns, func(c catalog.Column) bool { return slices.Contains(roles, c.Role) })
}

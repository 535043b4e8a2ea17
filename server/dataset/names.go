package dataset

import (
	"slices"
	"strings"

	"svc/server/header"
	"svc/server/schema"
)

// channels are the values of columns that say how something was sold, whatever their
// heading.
var channels = wordSet(`online offline instore in-store takeaway take-away togo to-go dinein dine-in delivery pickup pick-up collection web website app mobile
	eatin eat-in walkin walk-in drivethru drive-thru phone outlet marketplace wholesale retail pos`)

// statuses are those of columns that say how far a sale got.
var statuses = wordSet(`paid unpaid pending completed complete cancelled canceled refunded returned shipped delivered processing open closed failed fulfilled unfulfilled
	pagado pendiente cancelado enviado entregado completado devuelto pago pendente concluido`)

// payments are those of columns that say how something was paid.
var payments = wordSet(`visa mastercard amex americanexpress maestro discover card cash credit debit creditcard debitcard voucher giftcard paypal applepay googlepay ewallet invoice cheque check
	karte bar tarjeta efectivo carte especes cartao dinheiro pix`)

// settleNames corrects roles by the values that a column has.
func settleNames(source *schema.Source) {
	for i := range source.Columns {
		c := &source.Columns[i]
		switch {
		case c.Role == schema.Store && allIn(c.Values, channels):
			move(source, i, schema.Channel)
		case c.Role == schema.State && allIn(c.Values, statuses):
			move(source, i, schema.Status)
		case c.Role == schema.Customer && allIn(c.Values, payments):
			move(source, i, schema.Payment)
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
func move(source *schema.Source, column int, role schema.Role) {
	source.Columns[column].Role = schema.None
	if !hasAny(*source, role) {
		source.Columns[column].Role = role
	}
}

// settleOrder: a name that is a number sign and a number is that of an order.
func settleOrder(source *schema.Source) {
	product, ok := source.ByRole(schema.Product)
	if !ok || len(product.Values) == 0 {
		return
	}
	for _, value := range product.Values {
		if number, ok := strings.CutPrefix(value, "#"); !ok || !isDigits(number) {
			return
		}
	}
	for i, c := range source.Columns {
		if c.Role == schema.Product {
			move(source, i, schema.Order)
		}
	}
}

// otherDayWords words are in the headings of days on which something else happened than a sale.
var otherDayWords = wordSet(`delivery delivered due ship shipped shipping required birth birthday expiry expires expiration valid until updated modified end ended start
	liefertermin lieferdatum faellig fallig geburtsdatum livraison echeance entrega vencimiento vencimento nacimiento nascimento`)

// settleDay: the only date of a table is the one that is meant.
func settleDay(source *schema.Source) {
	only := -1
	for i, c := range source.Columns {
		if c.Role == schema.Day {
			return
		}
		if !accepts(schema.Day, c) {
			continue
		}
		if only >= 0 || slices.ContainsFunc(strings.Fields(header.Fold(c.Heading)), func(word string) bool { return otherDayWords[word] }) {
			return
		}
		only = i
	}
	if _, isStock := source.ByRole(schema.Stock); only >= 0 && !isStock {
		source.Columns[only].Role = schema.Day
	}
}

// otherNameWords begin the names of what is no product.
var otherNameWords = wordSet(`customer client first last full company contact ship shipping billing employee staff supplier vendor store shop branch city month day user file
	brand category payment sales cashier seller buyer device screen account project campaign state country region`)

// settleProduct: without a product, the name of something that nobody else has is one.
func settleProduct(source *schema.Source) {
	if _, ok := source.ByRole(schema.Product); ok {
		return
	}
	for i, c := range source.Columns {
		words := strings.Fields(header.Fold(c.Heading))
		if len(words) < 2 || words[len(words)-1] != "name" || otherNameWords[words[0]] {
			continue
		}
		if c.Role == schema.None && c.Type == schema.Text && c.Distinct > 1 {
			source.Columns[i].Role = schema.Product
			return
		}
	}
}

// settleStock: the quantity of a list that has no days, orders, customers or amounts,
// but what only those have who order goods, is what is there.
func settleStock(source *schema.Source) {
	isList := hasAny(*source, schema.Reorder, schema.Incoming, schema.LeadTime, schema.Supplier, schema.UnitCost)
	if !isList || hasAny(*source, schema.Day, schema.Order, schema.Revenue, schema.Gross, schema.Stock, schema.Customer) {
		return
	}
	for i, c := range source.Columns {
		if c.Role == schema.Quantity {
			source.Columns[i].Role = schema.Stock
		}
	}
}

// hasAny says that some column plays one of the roles.
func hasAny(source schema.Source, roles ...schema.Role) bool {
	return slices.ContainsFunc(source.Columns, func(c schema.Column) bool { return slices.Contains(roles, c.Role) })
}

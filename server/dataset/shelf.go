package dataset

import (
	"slices"
	"strings"

	"svc/server/header"
	"svc/server/schema"
)

// packWords are in the headings of prices of a pack, for which a kitchen buys its goods; useWords in those of
// how much of them is used.
var packWords, useWords = wordSet("pack case box sack bag"), wordSet("use usage used")

// tradeWords are in the headings of prices at which goods are sold to the trade, or bought.
var tradeWords = wordSet("trade wholesale")

// settleShelf corrects the roles of a list of goods, whose days are not those of sales, and of one of single
// goods that are for sale, sold or reserved.
func settleShelf(source *schema.Source) {
	settleDateOfShelf(source)
	pieces := listsPieces(*source)
	if !listsEach(*source) && !pieces {
		return
	}
	settleQuantityOfShelf(source)
	settlePrice(source)
	settleCostOfShelf(source, pieces)
	if revenue, ok := source.ByRole(schema.Revenue); ok && revenue.Scale == 0 && hasAny(*source, schema.Stock) && hasWord(revenue.Heading, wordSet("sales sold")) {
		giveNone(source, schema.Revenue) // how many were sold so far
	}
	isList := hasAny(*source, schema.Stock) && !hasAny(*source, schema.Order, schema.Revenue, schema.Gross) && !namesCustomers(*source)
	if isList || pieces {
		giveNone(source, schema.Day)
	}
	if isList {
		giveNone(source, schema.Quantity)
		giveNone(source, schema.Region)
		settlePaidOfShelf(source)
		settlePriceOfShelf(source)
		if cost, ok := source.ByRole(schema.Cost); ok && hasAny(*source, schema.UnitCost) && hasWord(cost.Heading, wordSet("avg average last")) {
			giveNone(source, schema.Cost)
		}
		settleWholeShelf(source)
	}
}

// cameWords are in the headings of the days on which goods came to the shop, cameHeadings are those of nothing
// else.
var (
	cameWords    = wordSet("in added received bought arrived acquired")
	cameHeadings = map[string]bool{"in": true, "date in": true, "bought in": true, "added": true}
)

// settleDateOfShelf takes the day on which goods came in for no day of sales, where the table has what they cost
// and nothing of who bought them.
func settleDateOfShelf(source *schema.Source) {
	if offer, ok := source.ByRole(schema.Revenue); ok && schema.NamesOffer(offer.Heading) && len(strings.Fields(header.Fold(offer.Heading))) == 1 && hasAny(*source, schema.Price, schema.UnitCost) && !hasAny(*source, schema.Day, schema.Order, schema.Customer) {
		giveNone(source, schema.Revenue) // what some sell for now
		source.Columns[findColumn(*source, offer.Heading)].Unit = schema.Money
		settleStock(source)
		settleCost(source)
	}
	day, ok := source.ByRole(schema.Day)
	isPriced := hasAny(*source, schema.Price) || slices.ContainsFunc(source.Columns, func(c schema.Column) bool {
		return accepts(schema.Price, c) && hasWord(c.Heading, sellsFor)
	})
	isList := hasAny(*source, schema.UnitCost, schema.Cost, schema.Paid) && isPriced && !hasAny(*source, schema.Order, schema.Customer, schema.Revenue, schema.Gross, schema.Channel, schema.Payment, schema.Staff)
	came := cameHeadings[header.Fold(day.Heading)] || listsEach(*source) && hasWord(writtenOut(header.Fold(day.Heading)), cameWords)
	if ok && isList && came {
		giveNone(source, schema.Day)
		settleStock(source)
		settleCost(source)
	}
}

// settlePaidOfShelf takes what was paid for goods for what they cost, where nothing else tells it, and a card for
// a thing of the list.
func settlePaidOfShelf(source *schema.Source) {
	for i, c := range source.Columns {
		switch {
		case c.Role == schema.Paid && !hasAny(*source, schema.UnitCost, schema.Cost):
			source.Columns[i].Role = schema.UnitCost
		case c.Role == schema.Customer && header.Fold(c.Heading) == "card":
			move(source, i, schema.Product)
		}
	}
}

// settleQuantityOfShelf takes a quantity for the stock beside the least that should be there, or a day of the
// last sale. Where the stock is made of parts, a quantity is of full cases, or of what was sold.
func settleQuantityOfShelf(source *schema.Source) {
	quantity, counted := source.ByRole(schema.Quantity)
	if !counted {
		return
	}
	lastSold := slices.ContainsFunc(source.Columns, func(c schema.Column) bool {
		return (c.Type == schema.Date || c.Type == schema.Moment) && hasWord(c.Heading, wordSet("sold")) && hasWord(c.Heading, wordSet("last"))
	})
	isKey := func(c schema.Column) bool {
		return (c.Role == schema.Product || c.Role == schema.SKU) && 10*c.Distinct >= 9*source.Rows
	}
	isShelf := !hasAny(*source, schema.Day) && hasAny(*source, schema.UnitCost, schema.Cost) && slices.ContainsFunc(source.Columns, isKey) && !hasAny(*source, schema.Channel, schema.Payment, schema.Staff, schema.Status)
	isStock := isShelf || hasAny(*source, schema.Reorder) || lastSold && hasAny(*source, schema.UnitCost, schema.Price)
	sold := hasWord(quantity.Heading, wordSet("sold sales")) && findColumn(*source, totalStock) >= 0
	switch {
	case isStock && !hasWord(quantity.Heading, soldWords) && !hasAny(*source, schema.Stock, schema.Order, schema.Customer, schema.Revenue, schema.Gross):
		giveNone(source, schema.Quantity)
		giveRole(source.Columns, findColumn(*source, quantity.Heading), schema.Stock)
	case hasAny(*source, schema.Stock) && (sold || findColumn(*source, totalUnits) >= 0):
		giveNone(source, schema.Quantity)
	}
}

// settleCostOfShelf takes the cost beside a trade price, at which goods are sold to the trade then, for what
// they cost, and the cost of single goods for that of a piece.
func settleCostOfShelf(source *schema.Source, pieces bool) {
	if cost, ok := source.ByRole(schema.UnitCost); ok && hasWord(cost.Heading, tradeWords) {
		paid := slices.IndexFunc(source.Columns, func(c schema.Column) bool {
			return (c.Role == schema.None || c.Role == schema.Cost) && accepts(schema.UnitCost, c) && hasWord(c.Heading, wordSet("cost")) && !hasWord(c.Heading, packWords)
		})
		if paid >= 0 {
			giveNone(source, schema.UnitCost)
			giveRole(source.Columns, paid, schema.UnitCost)
		}
	}
	if cost, ok := source.ByRole(schema.Cost); ok && pieces {
		giveNone(source, schema.Cost)
		giveRole(source.Columns, findColumn(*source, cost.Heading), schema.UnitCost)
	}
}

// recommendedWords are in the headings of prices that makers recommend, and the shop need not take.
var recommendedWords = wordSet("rrp msrp srp recommended suggested")

// settlePriceOfShelf takes the price that all goods have, and not an offer for some, nor one that the maker
// recommends beside the shop's own. Where only the price of a pack is known, and how much is used, the goods are bought
// for it, and not sold.
func settlePriceOfShelf(source *schema.Source) {
	if price, ok := source.ByRole(schema.Price); ok && price.Blank > 0 && schema.NamesOffer(price.Heading) {
		full := slices.IndexFunc(source.Columns, func(c schema.Column) bool {
			return c.Role == schema.None && c.Blank == 0 && accepts(schema.Price, c) && hintOf(c.Heading) == schema.Price
		})
		if full >= 0 {
			giveRole(source.Columns, full, schema.Price)
		}
	}
	if price, ok := source.ByRole(schema.Price); ok && hasWord(price.Heading, recommendedWords) {
		own := slices.IndexFunc(source.Columns, func(c schema.Column) bool {
			isOther := schema.NamesOffer(c.Heading) || hasWord(c.Heading, tradeWords) || hasWord(c.Heading, packWords) || hasWord(c.Heading, recommendedWords)
			return c.Role == schema.None && !isOther && c.Blank <= price.Blank && accepts(schema.Price, c) && hintOf(c.Heading) == schema.Price
		})
		if own >= 0 {
			giveRole(source.Columns, own, schema.Price)
		}
	}
	uses := slices.ContainsFunc(source.Columns, func(c schema.Column) bool { return c.Type == schema.Number && hasWord(c.Heading, useWords) })
	if price, ok := source.ByRole(schema.Price); ok && uses && !hasAny(*source, schema.UnitCost, schema.Cost) && hasWord(price.Heading, packWords) {
		giveNone(source, schema.Price)
		giveRole(source.Columns, findColumn(*source, price.Heading), schema.UnitCost)
	}
}

// settleWholeShelf takes what is in stock everywhere for the stock, where another column has what is in one
// place: Total QOH beside Main QOH.
func settleWholeShelf(source *schema.Source) {
	stock, ok := source.ByRole(schema.Stock)
	isWhole := func(c schema.Column) bool { return hasWord(writtenOut(header.Fold(c.Heading)), wordSet("total all")) }
	if !ok || isWhole(stock) {
		return
	}
	whole := slices.IndexFunc(source.Columns, func(c schema.Column) bool {
		return c.Role == schema.None && isWhole(c) && accepts(schema.Stock, c) && slices.Contains(composed(c.Heading), schema.Stock)
	})
	if whole >= 0 {
		giveRole(source.Columns, whole, schema.Stock)
	}
}

// namesCustomers reports whether a table has customers, and no cards that are goods.
func namesCustomers(s schema.Source) bool {
	customer, ok := s.ByRole(schema.Customer)
	return ok && header.Fold(customer.Heading) != "card"
}

// listsEach reports whether the goods of a table are mostly in one row each, or in one for each size or batch,
// and not in one for each day or sale.
func listsEach(s schema.Source) bool {
	_, dated := s.ByRole(schema.Day)
	return !dated || slices.ContainsFunc(s.Columns, func(c schema.Column) bool {
		return (c.Role == schema.Product || c.Role == schema.SKU) && 5*c.Distinct >= 2*s.Rows
	})
}

// soldStates and heldStates are states of single goods.
var (
	soldStates = wordSet("sold")
	heldStates = wordSet("stock available reserved hold demo workshop sale")
)

// listsPieces reports whether each row is one thing that is for sale or was sold, by its state, with no
// amount and no day of the sale: a dealer's machines.
func listsPieces(s schema.Source) bool {
	status, ok := s.ByRole(schema.Status)
	if !ok || hasAny(s, schema.Revenue, schema.Gross, schema.Order, schema.Quantity) || !hasAny(s, schema.Price) {
		return false
	}
	says := func(words map[string]bool) bool {
		return slices.ContainsFunc(status.Values, func(v string) bool { return hasWord(v, words) })
	}
	return says(soldStates) && says(heldStates)
}

package dataset

import (
	"regexp"
	"slices"
	"strings"

	"svc/server/header"
	"svc/server/schema"
)

// unitPrice matches headings of the price of a measure or a thing: £/kg, Price/Case, Rate per
// night.
var unitPrice = regexp.MustCompile(`(?i)^(price|rate|tariff|cost|sell|retail|\p{Sc})[\s_(]*\p{Sc}?[\s_)]*(/|per[\s_])[\s_]*\p{L}+[23²³]?[\s_(]*\p{Sc}?\)?(\s+(inc|ex)[a-z.]*(\s+(vat|tax|gst))?)?$`)

// currencyOfUnit matches headings of a currency and of what it is paid for: USD_KG.
var currencyOfUnit = regexp.MustCompile(`(?i)^(usd|gbp|eur|aud|cad)[\s_/]+(per[\s_])?(\p{L}+)$`)

// priceOfOne matches headings of a thing and a currency: Unit £, £ each.
var priceOfOne = regexp.MustCompile(`(?i)^((unit|each|ea|item|piece|pc)[\s_(]*\p{Sc}\)?|\p{Sc}\s*(each|ea|unit|piece|pc))$`)

// perOne matches folded headings of what one of something costs: per box.
var perOne = regexp.MustCompile(`^per( \pL+)?$`)

// pricesUnit reports whether a heading is that of the price of a measure or a thing by its currency.
func pricesUnit(title string) bool {
	if priceOfOne.MatchString(title) {
		return true
	}
	found := currencyOfUnit.FindStringSubmatch(title)
	if found == nil {
		return false
	}
	unit := strings.ToLower(found[3])
	return sizeWords[unit] || eachWords[unit]
}

// dealWords stand before value in the headings of what was sold: Invoice Value, FOB Value.
var dealWords = wordSet("invoice shipment consignment goods export fob cif sale sales order contract deal net line total job")

// settleValue makes the value of a list of sales the revenue, if no other column is: a value beside
// a stock, or without days, is that of something else.
func settleValue(source *schema.Source) {
	isPriced := hasAny(*source, schema.Price) && hasAny(*source, schema.Quantity)
	isSold := hasAny(*source, schema.Day, schema.Order) && hasAny(*source, schema.Product, schema.Customer, schema.Order)
	if hasAny(*source, schema.Revenue, schema.Gross, schema.Stock) || isPriced || !isSold {
		return
	}
	for i, c := range source.Columns {
		words := strings.Fields(writtenOut(header.Loose(c.Heading)))
		last := len(words) - 1
		isValue := last >= 0 && words[last] == "value" && !slices.ContainsFunc(words[:last], func(w string) bool { return !dealWords[w] })
		if c.Role == schema.None && isValue && accepts(schema.Revenue, c) {
			source.Columns[i].Role = schema.Revenue
			return
		}
	}
}

// quoteWords are in the headings of what something was to cost.
var quoteWords = wordSet("quote quoted estimate estimated")

// settleQuote makes what was charged the revenue in place of what was quoted. What was paid so far
// is neither.
func settleQuote(source *schema.Source) {
	revenue, ok := source.ByRole(schema.Revenue)
	if !ok || !hasWord(revenue.Heading, quoteWords) {
		return
	}
	for i, c := range source.Columns {
		heading := writtenOut(header.Loose(c.Heading))
		isCharged := hintOf(c.Heading) == schema.Revenue && !hasWord(c.Heading, quoteWords) && !slices.Contains(vocabulary[schema.Paid], heading)
		if c.Role == schema.None && isCharged && accepts(schema.Revenue, c) {
			giveRole(source.Columns, i, schema.Revenue)
			return
		}
	}
}

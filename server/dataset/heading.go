package dataset

import (
	"regexp"
	"slices"
	"strings"

	"svc/server/header"
	"svc/server/schema"
)

// A composition is what headings of a role have in common that no list of whole headings can have:
// one of the words that tell it, and none but these and the words that may stand beside them. Qty OH,
// kg left and Bottles On Hand are all a stock.
type composition struct {
	role   schema.Role
	tells  map[string]bool
	beside []map[string]bool
	needs  []map[string]bool // of each, one word
}

// Words that stand in headings of figures.
var (
	numberWords = wordSet("quantity qty qnty units unit pcs pieces piece count counted number no total items each ea")
	sizeWords   = wordSet("kg kgs kilo kilos g gram grams lb lbs oz l ltr ltrs litre litres liter liters ml m metre metres meter meters ft yd yds yards cm box boxes bottle bottles btl btls case cases pack packs packet packets bag bags roll rolls pair pairs can cans tin tins jar jars keg kegs tray trays bunch bunches stem stems sheet sheets pallet pallets crate crates punnet punnets sack sacks dozen doz portion portions")
	nowWords    = wordSet("current currently now at in on the of level lvl shop store warehouse whse wh shelf floor actual physical total our")
	heldWords   = wordSet("oh onhand hand stock stk instock inventory left remaining remain avail available held soh qoh")
	pointWords  = wordSet("point pt pts level lvl lev quantity qty stock stk units at when below limit")
	eachWords   = wordSet("per each ea unit item piece pc a one")
	moneyWords  = wordSet("total amount amt sum value val charge charged price cost money")
	dealtWords  = wordSet("line row order ord sale sales item ext extd extended invoice inv bill job booking bkg ticket tkt tab basket transaction txn receipt net final grand customer to pay")
	taxedWords  = wordSet("inc incl including ex exc excl excluding vat tax gst after less disc discount with")
	ourWords    = wordSet("our shop store full regular normal current std standard website web online list")
)

// compositions are tried in this order.
var compositions = []composition{
	{role: schema.Incoming, tells: wordSet("incoming inbound coming transit"), beside: []map[string]bool{numberWords, sizeWords, nowWords, wordSet("stock due")}},
	{role: schema.Reorder, tells: wordSet("reorder par minimum min threshold trigger alert"), beside: []map[string]bool{pointWords, sizeWords, wordSet("re order low on hand")}},
	{role: schema.Stock, tells: heldWords, beside: []map[string]bool{numberWords, sizeWords, nowWords}},
	{role: schema.UnitCost, tells: wordSet("cost buy buying bought purchase wholesale whsl trade landed"), needs: []map[string]bool{eachWords, wordSet("price")}, beside: []map[string]bool{sizeWords, taxedWords, ourWords, wordSet("in at")}},
	{role: schema.Price, tells: wordSet("price rrp msrp srp rsp retail sell selling sells sticker tag asking"), beside: []map[string]bool{eachWords, sizeWords, taxedWords, ourWords, wordSet("price for at")}},
	{role: schema.Revenue, tells: dealtWords, needs: []map[string]bool{moneyWords}, beside: []map[string]bool{taxedWords}},
}

// composed returns the roles that the words of a heading tell together.
func composed(title string) (all []schema.Role) {
	words := strings.Fields(writtenOut(header.Loose(strings.ReplaceAll(title, "/", " per "))))
	for _, c := range compositions {
		if c.matches(words) {
			all = append(all, c.role)
		}
	}
	return all
}

func (c composition) matches(words []string) bool {
	has := func(set map[string]bool) bool {
		return slices.ContainsFunc(words, func(w string) bool { return set[w] })
	}
	if !has(c.tells) {
		return false
	}
	allowed := slices.Concat(c.beside, c.needs)
	other := func(w string) bool {
		return !c.tells[w] && !slices.ContainsFunc(allowed, func(set map[string]bool) bool { return set[w] })
	}
	return !slices.ContainsFunc(words, other) && (len(c.needs) == 0 || slices.ContainsFunc(c.needs, has))
}

var _ = regexp.MustCompile

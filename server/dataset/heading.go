package dataset

import (
	"slices"
	"strings"

	"svc/server/header"
	"svc/server/schema"
)

// A composition is what headings of a role have in common that no list of whole headings can have:
// words that tell the role, and none but these and the words that may stand beside them. Qty OH, kg
// left and Bottles On Hand are all a stock.
type composition struct {
	role   schema.Role
	tells  []map[string]bool // of each, one word
	beside []map[string]bool
}

// Words of headings of figures.
var (
	numberWords = wordSet("quantity qty qnty units unit pcs pieces piece count counted cnt number no total items each ea")
	sizeWords   = wordSet("kg kgs kilo kilos g gram grams lb lbs oz l ltr ltrs litre litres liter liters ml m metre metres meter meters ft yd yds yards cm box boxes bottle bottles btl btls case cases pack packs packet packets bag bags roll rolls pair pairs can cans tin tins jar jars keg kegs tray trays bunch bunches stem stems sheet sheets pallet pallets crate crates punnet punnets sack sacks dozen doz portion portions length lengths")
	nowWords    = wordSet("closing free counted physical current currently now at in on the of level lvl shop store warehouse whse wh shelf floor actual physical total our main outlet")
	heldWords   = wordSet("counted oh onhand hand stock stk instock inventory left remaining remain available avail held soh qoh")
	pointWords  = wordSet("point pt pts level lvl lev quantity qty stock stk units at when below limit re order low on hand main outlet")
	eachWords   = wordSet("per each ea unit item piece pc a one")
	moneyWords  = wordSet("total tot amount amt sum value val charge charged price cost money")
	dealtWords  = wordSet("line row order guest client ord sale sales item ext extd extended invoice inv bill job booking bkg ticket tkt tab basket transaction txn receipt net nett final grand customer pay")
	taxedWords  = wordSet("inc incl including ex exc excl excluding vat tax gst after less disc discount with")
	ourWords    = wordSet("our your shop store full regular normal current std standard website web online list planned default was till")
	spanWords   = wordSet("this last year yr month mth week wk ytd mtd to date so far lifetime ever all time days 30 90")
	givenWords  = wordSet("value net less included given total tot amount amt order sales sale item line money in that of which allocated applied charge charged cost paid on and the to")
)

// compositions are tried in this order.
var compositions = []composition{
	{schema.Incoming, sets(wordSet("incoming inbound coming transit")), sets(numberWords, sizeWords, nowWords, wordSet("stock due"))},
	{schema.Reorder, sets(wordSet("reorder par minimum min threshold trigger alert rop")), sets(pointWords, sizeWords)},
	{schema.LeadTime, sets(wordSet("lead"), wordSet("days time weeks day")), sets(wordSet("in supplier order to default"))},
	{schema.Stock, sets(heldWords), sets(numberWords, sizeWords, nowWords)},
	{schema.UnitCost, sets(wordSet("cost cst buy buying bought purchase wholesale trade landed supply supplier"), union(union(eachWords, sizeWords), wordSet("price m2 sqm dealer new"))), sets(sizeWords, taxedWords, ourWords, wordSet("in at"))},
	{schema.Price, sets(wordSet("price rrp msrp srp rsp retail sell selling sells sticker tag asking")), sets(eachWords, sizeWords, taxedWords, ourWords, wordSet("for at sold day night hour hr head person place sell"))},
	{schema.Price, sets(wordSet("rate"), wordSet("day daily night nightly hour hourly hr week weekly head person")), sets(eachWords, ourWords)},
	{schema.Quantity, sets(wordSet("sold ordered")), sets(numberWords, sizeWords, spanWords)},
	{schema.UnitCost, sets(wordSet("trade wholesale landed"), wordSet("amount price cost")), sets(taxedWords)},
	{schema.Price, sets(wordSet("charge"), eachWords), sets(ourWords, wordSet("amount"))},
	{schema.Price, sets(wordSet("fee fees charge amount"), wordSet("person place head session class lesson seat ticket pupil child")), sets(eachWords, ourWords)},
	{schema.Revenue, sets(wordSet("sold"), moneyWords), nil},
	{schema.Revenue, sets(dealtWords, moneyWords), sets(taxedWords)},
	{schema.Revenue, sets(wordSet("sales takings revenue turnover")), sets(moneyWords, taxedWords, spanWords, wordSet("net"))},
	{schema.Discount, sets(wordSet("discount discounts disc markdown")), sets(givenWords, wordSet("sibling sib early bird group promo multi loyalty staff member offer bundle restaurant funded voucher coupon cart"))},
	{schema.Tax, sets(wordSet("tax vat gst")), sets(givenWords, wordSet("us uk state local city"))},
	{schema.Shipping, sets(wordSet("shipping freight postage carriage p&p courier")), sets(givenWords, wordSet("rate"))},
	{schema.Refund, sets(wordSet("refund refunds refunded")), sets(givenWords, wordSet("back customer buyer guest"))},
	{schema.Owed, sets(wordSet("owed owing owes outstanding arrears unpaid balance")), sets(givenWords, wordSet("still open due remaining left day now"))},
	{schema.Paid, sets(wordSet("paid received")), sets(givenWords, wordSet("so far date already from us now"))},
}

func sets(all ...map[string]bool) []map[string]bool { return all }

// union returns the words of two sets.
func union(a, b map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, set := range sets(a, b) {
		for w := range set {
			all[w] = true
		}
	}
	return all
}

// composed returns the roles that the words of a heading tell together.
func composed(title string) (all []schema.Role) {
	words := strings.Fields(writtenOut(header.Loose(strings.ReplaceAll(title, "/", " per "))))
	if header.Currency(title) != "" {
		words = append(words, "amount") // Line £
	}
	for _, c := range compositions {
		if c.matches(words) && !isCodeHeading(title) {
			all = append(all, c.role)
		}
	}
	if role := roleOfNoun(words); role != schema.None {
		all = append(all, role)
	}
	return all
}

func (c composition) matches(words []string) bool {
	if c.role == schema.Reorder && slices.Contains(words, "order") && !slices.Contains(words, "re") && len(words) < 4 {
		return false // the least that a supplier sells
	}
	for _, set := range c.tells {
		if !slices.ContainsFunc(words, func(w string) bool { return set[w] }) {
			return false
		}
	}
	known := slices.Concat(c.tells, c.beside)
	return !slices.ContainsFunc(words, func(w string) bool {
		return !slices.ContainsFunc(known, func(set map[string]bool) bool { return set[w] })
	})
}

// nounRoles are roles of headings that end in a word for them, whatever is before it: Usual
// Supplier, home_branch.
var nounRoles = []schema.Role{schema.Product, schema.Category, schema.Brand, schema.Supplier, schema.Customer, schema.City, schema.Country, schema.Region, schema.Store, schema.Channel, schema.Payment, schema.Staff}

// labelWords may follow the word that tells the role.
var labelWords = wordSet("name details full known if")

// vagueNouns are words for several roles or none, unless they are the whole heading.
var vagueNouns = wordSet("genre family collection name nom nombre nome title type line range group class card email service game course lesson tour activity package description article reference code source platform area zone")

// countingWords are in headings of figures and of what is done, whatever noun comes last: Miles to
// Customer, Visits by Customer, Paid Staff.
var countingWords = wordSet("in to by for of per with from on at no number total paid days hours miles visits jobs times count qty quantity")

// roleOfNoun returns the role of the last word of a heading of several.
func roleOfNoun(words []string) schema.Role {
	last := len(words) - 1
	for last > 0 && labelWords[words[last]] {
		last--
	}
	isFigure := func(w string) bool { return countingWords[w] }
	if last < 0 || len(words) < 2 || vagueNouns[words[last]] || slices.ContainsFunc(words, isFigure) {
		return schema.None
	}
	for _, c := range known().byHeading[words[last]] {
		if slices.Contains(nounRoles, c.role) {
			return c.role
		}
	}
	return schema.None
}

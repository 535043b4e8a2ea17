package dataset

import (
	"slices"
	"strings"

	"svc/server/english"
	"svc/server/header"
	"svc/server/schema"
)

// settleRest gives roles that no heading tells to columns by what is left and by their values: a list
// of goods has names of goods, whatever the shop calls them.
func settleRest(source *schema.Source) {
	settleVendor(source)
	settleChannel(source)
	settleStates(source)
	settlePlaces(source)
	settleGoods(source)
	settleCode(source)
	if hasAny(*source, schema.Day) {
		giveFirst(source, schema.DayTime, func(c schema.Column) bool { return !hasWord(c.Heading, endWords) })
	}
}

// endWords are in the headings of the times at which something ended.
var endWords = wordSet("to end ends ended finish finished out until close closed left ready due")

// settleVendor makes a vendor the supplier beside a brand, in a list of what is ordered and in one of purchases.
func settleVendor(source *schema.Source) {
	isBought := hasAny(*source, schema.Reorder, schema.Incoming, schema.LeadTime) || hasAny(*source, schema.Order) && hasAny(*source, schema.UnitCost, schema.Cost) && !hasAny(*source, schema.Price, schema.Customer)
	if brand := slices.IndexFunc(source.Columns, func(c schema.Column) bool { return c.Role == schema.Brand && hasWord(c.Heading, vendorWords) }); brand >= 0 && isBought {
		move(source, brand, schema.Supplier)
	}
	if hasAny(*source, schema.Brand) {
		giveFirst(source, schema.Supplier, func(c schema.Column) bool { return hasWord(writtenOut(header.Fold(c.Heading)), vendorWords) })
	}
}

var vendorWords = wordSet("vendor vendors")

// settleChannel gives the channel role, if no column has it, to one whose values are all ways to sell: Eat
// In/Take Away.
func settleChannel(source *schema.Source) {
	if hasAny(*source, schema.Revenue, schema.Gross, schema.Price) {
		giveFirst(source, schema.Channel, func(c schema.Column) bool { return c.Distinct > 1 && allIn(c.Values, channels) })
	}
}

// mostOfStatus bounds the values of a column of states.
const mostOfStatus = 12

// becameWords are in the headings of what became of a sale or a booking.
var becameWords = wordSet("state status stat outcome result stage happened attended attendance come came show turned")

// settleStates makes a column of few texts of which one says that a sale was cancelled, refunded or missed
// the status, if its heading asks what became of it, or it says that nobody came.
func settleStates(source *schema.Source) {
	if hasAny(*source, schema.Stock) {
		return
	}
	giveFirst(source, schema.Status, func(c schema.Column) bool {
		asks := hasWord(c.Heading, becameWords)
		tells := func(v string) bool { return stateOf(v) == missed || asks && stateOf(v) != stands }
		return c.Type == schema.Text && c.Distinct > 1 && c.Distinct <= mostOfStatus && slices.ContainsFunc(c.Values, tells) && !tellsType(c)
	})
}

// countries are values of columns of countries, whatever their heading.
var countries = wordSet(`uk gb unitedkingdom greatbritain britain england scotland wales northernireland ireland us usa unitedstates unitedstatesofamerica canada mexico brazil argentina chile peru colombia
	france germany spain italy portugal netherlands holland belgium luxembourg austria switzerland denmark sweden norway finland iceland poland czechia czechrepublic slovakia slovenia hungary romania bulgaria greece croatia serbia ukraine turkey estonia latvia lithuania malta cyprus
	australia newzealand japan china hongkong taiwan korea southkorea india pakistan bangladesh srilanka thailand vietnam indonesia malaysia singapore philippines israel uae unitedarabemirates saudiarabia qatar egypt morocco tunisia kenya ethiopia nigeria ghana southafrica`)

// states are the codes of the states of the USA.
var states = wordSet("al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy dc")

// areas are headings of where customers are.
var areas = header.Words("pick up|pickup|pick up point|pickup point|pickup location|collect from|drop off|district|neighbourhood|neighborhood|village|parish|locality|patch|round|route|delivery area|delivery zone|delivery round|delivery route")

// settlePlaces makes a column whose values are countries the country, and one of codes of states the
// state: Origin, Coming From, St. One that says where somebody is picked up is the region.
func settlePlaces(source *schema.Source) {
	giveFirst(source, schema.Country, func(c schema.Column) bool { return c.Distinct > 1 && allIn(c.Values, countries) })
	giveFirst(source, schema.State, func(c schema.Column) bool {
		const least = 4 // others are words: ok, in, or
		return c.Distinct >= least && allIn(c.Values, states)
	})
	giveFirst(source, schema.Region, func(c schema.Column) bool {
		return slices.Contains(areas, header.Fold(c.Heading)) && c.Distinct > 1 && 3*c.Distinct < source.Rows && !allIn(c.Values, channels)
	})
}

// goodsKinds are kinds of nouns for what a shop sells, otherKinds those of nouns that may be for
// something else as well: a level is a device, too.
var (
	goodsKinds = strings.Fields("food drink plant flower device vehicle tool instrument equipment garment clothing wear textile fabric medicine furniture animal meat fruit vegetable commodity vessel decoration toy publication jewelry footwear")
	otherKinds = strings.Fields("structure construction event area facility building person way representation surface container board")
)

// isGoods reports whether a noun is for what a shop may sell, and for nothing else.
func isGoods(noun string) bool {
	is := func(kind string) bool { return english.IsA(noun, kind) }
	return slices.Contains(goodsKinds, noun) || slices.ContainsFunc(goodsKinds, is) && !slices.ContainsFunc(otherKinds, is)
}

// settleGoods makes the names of what is sold or kept the product, if there is none: Cheese, Gown
// Style, Cut / Item, What is it. In a list of stock it is the column in which most rows differ.
func settleGoods(source *schema.Source) {
	isAttended := hasAny(*source, schema.Customer) && hasAny(*source, schema.Day) && hasAny(*source, schema.Status) && !listsMembers(*source) && !listsOnce(*source)
	isSold := isAttended || hasAny(*source, schema.Revenue, schema.Gross, schema.Price, schema.Quantity, schema.Stock, schema.UnitCost)
	if hasAny(*source, schema.Product) || !isSold {
		return
	}
	named, most := -1, -1
	for i, c := range source.Columns {
		isName := c.Type == schema.Text && c.Role == schema.None && c.Distinct > 2 && !isCodeHeading(c.Heading) && !hasWord(c.Heading, otherNameWords) && !hasWord(c.Heading, noteWords) && !slices.Contains(areas, header.Fold(c.Heading)) && !areCodes(c.Values)
		if !isName {
			continue
		}
		if named < 0 && namesGoods(c.Heading) && !(hasAny(*source, schema.Customer) && hasWord(c.Heading, ownedWords) && !listsHires(*source)) {
			named = i
		}
		if most < 0 || c.Distinct > source.Columns[most].Distinct {
			most = i
		}
	}
	if named < 0 && hasAny(*source, schema.Stock) && most >= 0 && 2*source.Columns[most].Distinct > source.Rows {
		named = most
	}
	if isBooked := hasAny(*source, schema.Customer) && hasAny(*source, schema.Day) && !hasAny(*source, schema.Quantity, schema.Stock); named < 0 && isBooked {
		named = slices.IndexFunc(source.Columns, func(c schema.Column) bool {
			return c.Type == schema.Text && c.Role == schema.None && c.Distinct > 1 && 3*c.Distinct < source.Rows && bookedHeadings[header.Fold(c.Heading)]
		})
	}
	if named >= 0 {
		source.Columns[named].Role = schema.Product
	}
}

// listsHires reports whether the rows are of things that go out and come back, by their days, or have a price a day.
func listsHires(s schema.Source) bool {
	price, ok := s.ByRole(schema.Price)
	day, _ := s.ByRole(schema.Day)
	return endsOf(header.Fold(day.Heading)) != nil || ok && hasWord(price.Heading, wordSet("day daily night nightly week weekly"))
}

// areCodes reports whether all values are words with digits, as those of tokens.
func areCodes(values []string) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, " ") || !hasDigit(v) })
}

// bookedHeadings are headings of what people book or have done.
var bookedHeadings = wordSet("walk massage therapy procedure show hike sitting shoot experience party visit consultation fault class room job wash repair subject workshop session level treatment trip excursion court pitch unit listing property accommodation cottage cabin lodge")

// noteWords are in the headings of texts that are no names.
var noteWords = wordSet("note notes comment comments remark remarks reason message details address allergen allergens")

// namesGoods reports whether a heading is for goods by its last noun, or by the nouns on both sides of
// a slash, or asks what they are.
func namesGoods(heading string) bool {
	words := strings.Fields(writtenOut(header.Loose(heading)))
	if len(words) == 0 {
		return false
	}
	if words[0] == "what" || words[0] == "whats" || words[0] == "stuff" {
		return true
	}
	last := words[len(words)-1]
	if len(words) > 1 && slices.Contains([]string{"style", "type", "kind", "name", "model", "variety", "picked", "wanted"}, last) {
		last = words[len(words)-2]
	}
	for part := range strings.SplitSeq(heading, "/") {
		if hintOf(strings.TrimSpace(part)) == schema.Product && part != heading {
			return true
		}
	}
	return isGoods(english.Lemma(last))
}

// settleCode makes the codes of a list of goods, of which each has one, the SKU.
func settleCode(source *schema.Source) {
	if hasAny(*source, schema.Stock, schema.Reorder) && !hasAny(*source, schema.Order, schema.Customer) {
		giveFirst(source, schema.SKU, func(c schema.Column) bool { return c.Distinct == source.Rows && isCodeHeading(c.Heading) })
	}
}

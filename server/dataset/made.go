package dataset

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"svc/db"
	"svc/server/english"
	"svc/server/header"
	"svc/server/schema"
)

// madeColumn is a column that is made of others, after those of the file.
type madeColumn struct {
	column schema.Column
	of     string // the headings it is made of, "" if its own says so
	// value returns the value of a row, from its cells and what they hold.
	value func(cells []string, held []any) any
}

// made returns the columns to make of those of the file.
func (p *plan) made() []madeColumn {
	return slices.Concat(p.once(), p.addressParts(), p.stockParts(), p.takings(), p.owed(), p.commission(), p.tax(), p.fullName(), p.expenses())
}

// madeOf says of which columns others are made.
func (p *plan) madeOf() (all []Warning) {
	for _, m := range p.added {
		if m.of != "" {
			all = append(all, place{}.warning(m.column.Heading, "it is made of "+m.of))
		}
	}
	return all
}

// Words of headings of what is in stock in several columns.
var (
	heldEnds   = wordSet("qty quantity stock soh oh count units hand")
	heldAside  = wordSet("order ordered reorder min minimum max maximum case pack box sold sales sale committed allocated available free incoming opening closing start end safety buffer previous prior new old wasted waste ideal january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec week month year today yesterday system expected book received reserved returned damaged total counted desired target par last avg sell price cost lead all")
	caseWords  = header.Words("cases|full cases|cases in stock|boxes|full boxes|packs|full packs|outers")
	looseWords = header.Words("loose|loose units|loose bottles|singles|single bottles|single units|odd|odds|part case|units loose|bottles loose|loose btls|singles loose")
	sizesWords = header.Words("case qty|case size|case quantity|units per case|per case|bottles per case|btls per case|pack size|pack qty|units per pack|case of|box qty|box size|units per box")
	caseCosts  = header.Words("cost per case|case cost|cost case|cost price per case|price per case|cost per box|box cost|cost per pack|pack cost|cost box|cost pack")
)

// stockParts returns the columns to make of a list of goods whose stock is told in several columns: one
// for each place, or full cases and loose pieces; and, of what a case costs, what a piece does.
func (p *plan) stockParts() (all []madeColumn) {
	if !p.listsGoods() {
		return nil
	}
	if held := p.heldByPlace(); len(held) > 1 {
		p.places = held
		all = append(all, p.total(held))
		all = append(all, p.contents(held)...)
	}
	cases, size := p.numberCalled(caseWords), p.numberCalled(sizesWords)
	if loose := p.numberCalled(looseWords); cases >= 0 && loose >= 0 && size >= 0 && len(all) == 0 {
		all = append(all, p.pieces(cases, size, loose))
	}
	if cost := p.numberCalled(caseCosts); cost >= 0 && size >= 0 && len(all) > 0 {
		all = append(all, p.costOfPiece(cost, size))
	}
	return all
}

// tenderWords are headings of what was taken in each way of paying.
var tenderWords = header.Words("card|cards|cash|cheque|cheques|contactless|card takings|cash takings|card payments|cash payments|card total|cash total|bacs|bank transfer|paypal|vouchers|gift vouchers|online|amex|sumup|zettle|card machine|pdq")

// takingsHeading is the heading of what was taken in all ways of paying.
const takingsHeading = "Takings"

// takings is what was taken in all ways of paying, of a sheet that has what was taken for several things and
// no total of them.
func (p *plan) takings() []madeColumn {
	var paid []int
	parts := 0
	for i, column := range p.profiles {
		folded := header.Fold(column.title)
		switch isNumber := p.formats[i].kind == schema.Number; {
		case isNumber && slices.Contains(tenderWords, folded):
			paid = append(paid, i)
		case slices.Contains([]schema.Role{schema.Order, schema.Supplier, schema.Cost, schema.UnitCost}, hintOf(column.title)), hasWord(folded, wordSet("total takings sales revenue gross net turnover income z")):
			return nil
		case isNumber && header.Currency(column.title) != "":
			parts++
		}
	}
	if len(paid) < 2 || parts < 2 {
		return nil
	}
	return []madeColumn{p.sumColumn(takingsHeading, schema.Revenue, paid)}
}

// settleTakings takes the role of refunds where the takings were made: what is in the till is net of them.
func (p *plan) settleTakings(source *schema.Source) {
	if slices.ContainsFunc(p.added, func(m madeColumn) bool { return m.column.Heading == takingsHeading }) {
		giveNone(source, schema.Refund)
	}
}

// checkTakings drops the takings that were made of the ways of paying, unless they are what was taken for
// everything in nearly all rows, with or without refunds.
func (p *plan) checkTakings(ctx context.Context, file *db.DataFile, source *schema.Source) error {
	at := p.madeAt(*source, takingsHeading)
	if at < 0 {
		return nil
	}
	taken, refunds := source.Columns[at], "0"
	var parts []string
	for i, c := range source.Columns[:len(p.profiles)] {
		amount := fmt.Sprintf("coalesce(%s, 0) * %d", c.Name, tenTo(taken.Scale))
		if c.Scale > 0 {
			amount += fmt.Sprintf(" / %d.0", tenTo(c.Scale))
		}
		switch isNumber := c.Type == schema.Number; {
		case isNumber && hintOf(c.Heading) == schema.Refund:
			refunds = amount
		case isNumber && header.Currency(c.Heading) != "" && !slices.Contains(tenderWords, header.Fold(p.profiles[i].title)):
			parts = append(parts, amount)
		}
	}
	sum := strings.Join(parts, " + ")
	found, err := file.Query(ctx, 1, fmt.Sprintf("SELECT count(*), coalesce(sum(abs(%[1]s - (%[2]s)) < 0.5 OR abs(%[1]s - (%[2]s) + abs(%[3]s)) < 0.5), 0) FROM %[4]s WHERE %[1]s IS NOT NULL", taken.Name, sum, refunds, source.From))
	if err != nil {
		return err
	}
	rows, alike := found.Rows[0][0].(int64), found.Rows[0][1].(int64)
	if float64(alike) < agreement*float64(rows) {
		p.dropMade(source, takingsHeading)
	}
	return nil
}

// madeAt returns the index of a made column in a source, or -1.
func (p *plan) madeAt(source schema.Source, heading string) int {
	if !slices.ContainsFunc(p.added, func(m madeColumn) bool { return m.column.Heading == heading }) {
		return -1
	}
	return slices.IndexFunc(source.Columns, func(c schema.Column) bool { return c.Heading == heading })
}

// dropMade takes a made column out of a source.
func (p *plan) dropMade(source *schema.Source, heading string) {
	isIt := func(of string) bool { return of == heading }
	source.Columns = slices.DeleteFunc(source.Columns, func(c schema.Column) bool { return isIt(c.Heading) })
	p.added = slices.DeleteFunc(p.added, func(m madeColumn) bool { return isIt(m.column.Heading) })
}

// listsGoods reports whether the headings are those of a list of goods, which tells no sales and no
// total of the stock.
func (p *plan) listsGoods() bool {
	tells := 0
	for i, column := range p.profiles {
		folded := header.Fold(column.title)
		switch role := hintOf(column.title); {
		case role == schema.Order, role == schema.Revenue, role == schema.Customer:
			return false
		case slices.Contains(vocabulary[schema.Stock], folded), strings.HasPrefix(writtenOut(folded)+" ", "total ") && p.formats[i].kind == schema.Number:
			return false
		case role == schema.Reorder, role == schema.Supplier, role == schema.UnitCost, role == schema.Cost, role == schema.Price:
			tells++
		}
	}
	return tells > 1
}

// markFigures marks columns of numbers whose headings beside each other show that they are figures, and no
// codes of shops, of people or of sales: Shop and Stockroom, Card and Cash, Ticket and Sold For.
func (p *plan) markFigures() {
	sold := slices.ContainsFunc(p.profiles, func(c *profile) bool { return hasWord(c.title, wordSet("sold")) })
	for _, column := range p.profiles {
		switch folded := header.Fold(column.title); {
		case folded == "sold at" && column.numeric > column.dates.count+column.dates.compact:
			column.as = schema.Revenue // and no day
		case sold && folded == "ticket" && !column.isSerial():
			column.as = schema.Price
		}
	}
	isShelf := func(folded string) bool { return schema.ShelfOf(writtenOut(folded)) != "" }
	isTender := func(folded string) bool { return slices.Contains(tenderWords, folded) }
	for role, is := range map[schema.Role]func(string) bool{schema.Stock: isShelf, schema.Revenue: isTender} {
		var all []*profile
		for _, column := range p.profiles {
			isNumber := column.filled > 0 && column.numeric == column.filled-column.nones
			if is(header.Fold(column.title)) && isNumber && (role != schema.Stock || p.mayListGoods() && column.extents[0].min < leastCode) {
				all = append(all, column)
			}
		}
		beside := role == schema.Stock && slices.ContainsFunc(p.profiles, func(c *profile) bool { return writtenOut(header.Fold(c.title)) == "total" })
		if len(all) > 1 || beside && len(all) == 1 {
			for _, column := range all {
				column.as = role
			}
		}
	}
}

// leastCode is the least number that only codes of shops begin with.
const leastCode = 10

// mayListGoods reports whether no heading is that of a day, an order or an amount of sales.
func (p *plan) mayListGoods() bool {
	return !slices.ContainsFunc(p.profiles, func(c *profile) bool {
		hint := hintOf(c.title)
		isWhole := writtenOut(header.Fold(c.title)) == "total" // of the stock, as well
		return slices.Contains([]schema.Role{schema.Day, schema.Order, schema.Revenue, schema.Customer}, hint) && !hasWord(c.title, otherDayWords) && !isWhole
	})
}

// heldByPlace returns the columns with what is in stock in each of several places.
func (p *plan) heldByPlace() (all []int) {
	for i, column := range p.profiles {
		words := strings.Fields(header.Fold(column.title))
		last := len(words) - 1
		hint := hintOf(column.title)
		isOther := hint != schema.None && hint != schema.Stock && hint != schema.Store && hint != schema.Quantity
		isHeld := last > 0 && !isOther && heldEnds[words[last]] && !slices.ContainsFunc(words, func(w string) bool { return heldAside[w] })
		isHeld = isHeld || strings.HasPrefix(header.Fold(column.title), "current quantity ")
		if isPiece := p.formats[i].kind == schema.Number && p.formats[i].scale == 0 && !p.formats[i].percent; isPiece && (isHeld || schema.ShelfOf(writtenOut(header.Fold(column.title))) != "") {
			all = append(all, i)
		}
	}
	if len(all) > 1 {
		return all
	}
	return append(all, p.ownPlaces(all)...)
}

// mostPlaces bounds the places in which a shop has its goods.
const mostPlaces = 5

// ownPlaces returns columns of whole numbers whose headings are places that only this shop has, besides those that
// are known: On bench, and Tunnel beside it. Plurals are parts of the goods, such as drawers, and words for packs
// their sizes.
func (p *plan) ownPlaces(known []int) (all []int) {
	named := len(known) > 0
	var beside []int
	for i, column := range p.profiles {
		words := strings.Fields(header.Fold(column.title))
		last := len(words) - 1
		reach := column.extents[0]
		isPiece := p.formats[i].kind == schema.Number && p.formats[i].scale == 0 && !p.formats[i].percent && len(column.currencies) == 0 && reach.min < reach.max
		isOther := hintOf(column.title) != schema.None || slices.ContainsFunc(words, func(w string) bool { return heldAside[w] || notPlaces[w] || sizeWords[w] })
		if last < 0 || last > 2 || !isPiece || isOther || slices.Contains(known, i) {
			continue
		}
		if last > 0 && slices.Contains([]string{"on", "in", "at"}, words[0]) {
			named = true
			all = append(all, i)
		} else if !strings.HasSuffix(words[last], "s") {
			beside = append(beside, i)
		}
	}
	if len(known)+len(all) == 0 {
		named = p.areBranches(beside)
	}
	if all = append(all, beside...); !named || len(all)+len(known) > mostPlaces {
		return nil
	}
	return all
}

// areBranches reports whether columns that are all beside each other have names of no other use, as towns do where a
// shop has branches: Otley and Ilkley. A list with a column of its stock has it in no others.
func (p *plan) areBranches(columns []int) bool {
	for k, i := range columns {
		name := header.Fold(p.profiles[i].title)
		isName := len(name) > 4 && strings.ContainsAny(name, "aeiou") && !strings.Contains(name, " ") && !english.Known(name)
		if !isName || k > 0 && i != columns[k-1]+1 {
			return false
		}
	}
	hasStock := slices.ContainsFunc(p.profiles, func(c *profile) bool { return hintOf(c.title) == schema.Stock })
	return len(columns) > 1 && !hasStock
}

// notPlaces are words of headings of whole numbers of goods that are no places.
var notPlaces = wordSet("year yr vintage age size width height length depth weight pages page rating score abv points volume vol ml cl g kg cm mm m watts watt bin row level ref code id no number num qty days weeks months visits views rank")

// numberCalled returns the column of numbers that has one of some headings, or -1.
func (p *plan) numberCalled(headings []string) int {
	for i, c := range p.profiles {
		folded := header.Fold(strings.ReplaceAll(c.title, "/", " "))
		if p.formats[i].kind == schema.Number && (slices.Contains(headings, folded) || slices.Contains(headings, writtenOut(folded))) {
			return i
		}
	}
	return -1
}

// titles returns headings as a sentence has them.
func (p *plan) titles(columns ...int) string {
	var all []string
	for _, i := range columns {
		all = append(all, p.profiles[i].title)
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

// totalStock is the heading of the stock of all places.
const totalStock = "Total stock"

// total is the stock of all places, of which a blank one holds none. A row with a count that cannot be read has no
// total.
func (p *plan) total(held []int) madeColumn {
	return madeColumn{
		column: schema.Column{Heading: totalStock, Type: schema.Number, Role: schema.Stock}, of: p.titles(held...),
		value: func(_ []string, values []any) any {
			sum := int64(0)
			for _, i := range held {
				n, ok := values[i].(int64)
				if !ok {
					return nil
				}
				sum += n
			}
			return sum
		},
	}
}

// contentUnits are what the contents of a pack are measured in, contentPacks what holds them.
var (
	contentUnits = wordSet("m2 m² sqm kg g l ltr litre litres m metre metres meter meters")
	contentPacks = wordSet("box pack bag roll case tin tub sack sheet length pallet")
)

// contents is how much there is of goods whose stock is told in packs, where a column has what is in one.
func (p *plan) contents(held []int) []madeColumn {
	total := p.total(held)
	for i, column := range p.profiles {
		of, pack, ok := schema.PerPack(column.title)
		if !ok || !contentUnits[strings.ToLower(of)] || !contentPacks[strings.ToLower(pack)] || p.formats[i].kind != schema.Number {
			continue
		}
		return []madeColumn{{
			column: schema.Column{Heading: schema.TotalHeading(of), Type: schema.Number, Scale: p.formats[i].scale}, of: p.titles(append(slices.Clone(held), i)...),
			value: func(_ []string, values []any) any {
				each, known := values[i].(int64)
				packs, counted := total.value(nil, values).(int64)
				if !known || !counted {
					return nil
				}
				return packs * each
			},
		}}
	}
	return nil
}

// totalUnits is the heading of the stock in pieces.
const totalUnits = "Total units"

// pieces is the stock in pieces, of full cases and loose ones.
func (p *plan) pieces(cases, size, loose int) madeColumn {
	return madeColumn{
		column: schema.Column{Heading: totalUnits, Type: schema.Number, Role: schema.Stock}, of: p.titles(cases, size, loose),
		value: func(_ []string, values []any) any {
			full, _ := values[cases].(int64)
			each, known := values[size].(int64)
			single, _ := values[loose].(int64)
			if values[cases] == nil && values[loose] == nil || full != 0 && !known {
				return nil
			}
			return full*each/tenTo(p.formats[cases].scale+p.formats[size].scale) + single/tenTo(p.formats[loose].scale)
		},
	}
}

// tenTo returns a power of ten.
func tenTo(n int) int64 {
	power := int64(1)
	for range n {
		power *= 10
	}
	return power
}

// pieceScale is the scale of what a piece of a case costs.
const pieceScale = 6

// costOfPiece is what one piece of a case costs.
func (p *plan) costOfPiece(cost, size int) madeColumn {
	return madeColumn{
		column: schema.Column{Heading: "Cost per unit", Type: schema.Number, Scale: pieceScale, Unit: schema.Money, Role: schema.UnitCost}, of: p.titles(cost, size),
		value: func(_ []string, values []any) any {
			paid, known := values[cost].(int64)
			pieces, ok := values[size].(int64)
			if !known || !ok || pieces == 0 {
				return nil
			}
			each := float64(paid) / float64(pieces) * math.Pow10(p.formats[size].scale-p.formats[cost].scale)
			return int64(math.Round(each * math.Pow10(pieceScale)))
		},
	}
}

// firstNames, lastNames and ofCustomers are words of headings such as "Customer first name".
var (
	firstNames  = wordSet("first forename given")
	lastNames   = wordSet("last surname family")
	ofCustomers = wordSet("name billing customer client guest buyer contact member")
)

// fullName is the first and the last name of a customer together, by which people know them.
func (p *plan) fullName() []madeColumn {
	first, last := p.nameOf(firstNames), p.nameOf(lastNames)
	isNamed := slices.ContainsFunc(p.profiles, func(c *profile) bool {
		return header.Fold(c.title) == "full name" || hintOf(c.title) == schema.Customer && !hasWord(c.title, contactWords) && !isCodeHeading(c.title)
	})
	if first < 0 || last < 0 || isNamed {
		return nil
	}
	return []madeColumn{{
		column: schema.Column{Heading: "Full name", Type: schema.Text}, of: p.titles(first, last),
		value: func(cells []string, _ []any) any {
			name := strings.TrimSpace(cells[first] + " " + cells[last])
			return map[bool]any{true: name}[name != ""]
		},
	}}
}

// nameOf returns the first column of texts whose heading is one of some names of a customer, or -1.
func (p *plan) nameOf(names map[string]bool) int {
	return slices.IndexFunc(p.profiles, func(c *profile) bool {
		words := strings.Fields(header.Fold(c.title))
		isOther := func(w string) bool { return !names[w] && !ofCustomers[w] }
		isName := hasWord(c.title, names) && (len(words) == 1 || hasWord(c.title, wordSet("name surname forename"))) && !slices.ContainsFunc(words, isOther)
		return isName && p.formats[slices.Index(p.profiles, c)].kind == schema.Text
	})
}

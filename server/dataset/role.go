package dataset

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"svc/server/header"
	"svc/server/schema"
)

// The levels of a match: the heading itself, without what is in brackets, or after a word
// that does not change its meaning.
const (
	exactly = iota
	loosely
	atEnd
	inParts // by its words, see composed
	byPaid  // of an amount that is only what was paid of one, see names
)

// candidate is a role that a column may have by its heading. Lower levels and ranks win.
type candidate struct {
	role   schema.Role
	column int
	level  int
	rank   int // of the word in the vocabulary
}

// rolesBeside are roles that a heading gives beside an amount only: Amount Paid by itself is the
// amount.
var rolesBeside = []schema.Role{schema.Paid, schema.Owed}

// known has the candidates of the headings in the vocabulary. It is made when a file is first
// looked at, since most commands look at none.
var known = sync.OnceValue(func() (k struct {
	byHeading   map[string][]candidate
	runTogether map[string][]candidate // of headings of several words, without the spaces: customername
}) {
	k.byHeading, k.runTogether = map[string][]candidate{}, map[string][]candidate{}
	for _, role := range rolesInOrder {
		if slices.Contains(rolesBeside, role) {
			continue
		}
		for rank, heading := range vocabulary[role] {
			c := candidate{role: role, rank: rank}
			k.byHeading[heading] = append(k.byHeading[heading], c)
			if together := strings.ReplaceAll(heading, " ", ""); together != heading {
				k.runTogether[together] = append(k.runTogether[together], c)
			}
		}
	}
	return k
})

// neutral words may come before a known heading: "Weekly Sales" are sales, but "fuel
// price" is not the product's price.
var neutral = wordSet(`total net gross unit item plu product order sales sale customer daily weekly monthly yearly annual operating transaction invoice
	line store shop retail my our average avg the coffee gesamt netto customers client business pos purchase food drink book seat room visit booking session bottle box pack case
	hire rental job repair treatment lesson class course membership subscription appointment reservation event trip tour ride stay project contract ticket admission entry play performance show gig party wedding shoot match game ingredient ingredients material materials food raw head lead`)

// documentWords are before a type that is of rows, and not of goods.
var documentWords = wordSet("transaction line invoice sale")

// thereIs ends headings of how much is held of any unit: Boxes In Stock, Metres on Hand.
var thereIs = []string{"in stock", "on hand", "on order"}

// notHeld are words before those of how much is held that are none of goods: Days in Stock.
var notHeld = wordSet("days day weeks week months month years age value cash cost amount price date money total")

// candidates returns the roles that a heading may name. With a currency it names neither text nor days nor
// numbers of pieces, and without any other word it is that of what was paid.
func candidates(title string) []candidate {
	all := candidatesByHeading(title)
	if header.Currency(title) == "" {
		return all
	}
	if header.Loose(title) == "" {
		return []candidate{{role: schema.Revenue, level: atEnd}}
	}
	return slices.DeleteFunc(all, func(c candidate) bool {
		return isTextRole(c.role) || c.role == schema.Day || c.role == schema.DayTime || countRoles[c.role]
	})
}

func candidatesByHeading(title string) (all []candidate) {
	folded := header.Fold(title)
	all = withLevel(all, known().byHeading[folded], exactly)
	all = withLevel(all, known().runTogether[folded], exactly)
	loose := header.Loose(title)
	if loose != folded {
		all = withLevel(all, known().byHeading[loose], loosely)
	}
	if taxed := taxWords.ReplaceAllString(loose, ""); taxed != loose {
		all = withLevel(all, known().byHeading[taxed], loosely)
		loose = taxed
	}
	if written := writtenOut(loose); written != loose {
		all = withLevel(all, known().byHeading[written], loosely)
		loose = written
	}
	if found := ofLocation.FindStringSubmatch(folded); found != nil {
		all = append(all, candidate{role: map[string]schema.Role{"current quantity": schema.Stock, "stock alert count": schema.Reorder}[found[1]], level: loosely})
	}
	if ratingOnScale.MatchString(folded) {
		all = append(all, candidate{role: schema.Rating, level: loosely})
	}
	if _, counted, ok := strings.Cut(loose, " of "); ok && countOf.MatchString(loose) && hintOf(counted) == schema.Quantity {
		all = append(all, candidate{role: schema.Quantity, level: loosely})
	}
	for before, rest, found := strings.Cut(loose, " "); found && (neutral[before] || slices.Contains(thereIs, rest) && !notHeld[before]); before, rest, found = strings.Cut(rest, " ") {
		if rest != "type" || !documentWords[before] {
			all = withLevel(all, known().byHeading[rest], atEnd)
		}
	}
	if found := unitPrice.FindStringSubmatch(title); len(all) == 0 && found != nil {
		role := schema.Price
		if strings.EqualFold(found[1], "cost") {
			role = schema.UnitCost
		}
		all = append(all, candidate{role: role, level: atEnd})
	}
	if len(all) == 0 && (pricesUnit(title) || perOne.MatchString(loose)) {
		all = append(all, candidate{role: schema.Price, level: atEnd})
	}
	if len(all) == 0 && ratingScale.MatchString(title) && !hasWord(title, countedWords) {
		all = append(all, candidate{role: schema.Rating, level: atEnd})
	}
	side, both := eitherOf(title)
	if both && side != schema.None && len(all) == 0 {
		all = append(all, candidate{role: side, level: atEnd})
	}
	for _, role := range append(composed(title), side) {
		if role != schema.None && !slices.Contains(rolesBeside, role) {
			all = append(all, candidate{role: role, level: inParts})
		}
	}
	if names(schema.Paid, title) {
		for i := range all {
			all[i].level = byPaid
		}
	}
	return all
}

// eitherOf returns the role that both words of a heading such as UPC/PLU or Sales Price / Rate have, or the one of
// names that a side of Bride / Client has, of which the other has none.
func eitherOf(title string) (role schema.Role, both bool) {
	one, other, found := strings.Cut(title, "/")
	if !found || strings.Contains(other, "/") {
		return schema.None, false
	}
	switch a, b := hintOf(one), hintOf(other); {
	case a == b:
		return a, true
	case isTextRole(cmp.Or(a, b)) && (a == schema.None || b == schema.None):
		return cmp.Or(a, b), false
	}
	return schema.None, false
}

// ofLocation matches headings of Square's catalog, which has the stock of each location: Current Quantity Main
// Street.
var ofLocation = regexp.MustCompile(`^(current quantity|stock alert count) .+`)

// countOf begins headings of numbers of things: No of Packs.
var countOf = regexp.MustCompile(`^(no|nr|num|number|qty|quantity|count) of \S+( sold| ordered)?$`)

// countedWords are in headings whose scale is the number of something: Party Size (1-10).
var countedWords = wordSet("size party guests people number no qty quantity count")

// ratingScale ends headings of marks from one to five or ten: Freshness (1-5), Service out of 10.
var ratingScale = regexp.MustCompile(`(?i)(\(1 ?(-|–|to) ?(5|10)\)|out of (5|10)\)?|/ ?(5|10)\)?)$`)

// taxWords end headings of amounts, with or without tax.
var taxWords = regexp.MustCompile(` (inc|incl|including|ex|exc|excl|excluding)( (` + strings.Join(schema.TaxNames, "|") + `))?$`)

// ratingOnScale matches the headings of ratings that end with their scale: Score (1-10), Stars out of 5.
var ratingOnScale = regexp.MustCompile(`(^| )(rating|score|stars|satisfaction|feedback|review)( out of| of| 0| 1)?( to)? (5|10)$`)

func withLevel(all, more []candidate, level int) []candidate {
	for _, c := range more {
		c.level = level
		all = append(all, c)
	}
	return all
}

// hintOf returns the role that a heading names best, whatever its column holds.
func hintOf(title string) schema.Role {
	return bestOf(candidates(title))
}

// typeHintOf is hintOf for what tells how cells are read: a word of a heading alone makes no names of
// numbers, such as those of Miles to Customer.
func typeHintOf(title string) schema.Role {
	return bestOf(slices.DeleteFunc(candidates(title), func(c candidate) bool { return c.level == inParts && isTextRole(c.role) }))
}

// bestOf returns the role of the best of some candidates.
func bestOf(all []candidate) schema.Role {
	if len(all) == 0 {
		return schema.None
	}
	return slices.MinFunc(all, compareCandidates).role
}

func compareCandidates(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.rank, b.rank),
		cmp.Compare(slices.Index(rolesInOrder, a.role), slices.Index(rolesInOrder, b.role)), cmp.Compare(a.column, b.column))
}

// assign gives each column the role that its heading names, if its type allows it, and
// each role the column whose heading names it best.
func assign(columns []schema.Column) {
	var all []candidate
	for i, c := range columns {
		for _, found := range candidates(c.Heading) {
			if found.column = i; accepts(found.role, c) && !(found.role == schema.Day && isPaidLater(columns, c)) {
				all = append(all, found)
			}
		}
	}
	slices.SortStableFunc(all, compareCandidates)
	taken := map[schema.Role]bool{}
	for _, c := range columns {
		taken[c.Role] = true
	}
	for _, c := range all {
		if columns[c.column].Role == schema.None && !taken[c.role] {
			columns[c.column].Role = c.role
			taken[c.role] = true
		}
	}
}

// isPaidLater reports whether a column has the days on which some rows were paid, and another has a
// day for every row: a sale that is not yet paid is one, too.
func isPaidLater(columns []schema.Column, c schema.Column) bool {
	return c.Blank > 0 && hasWord(c.Heading, paidWords) && slices.ContainsFunc(columns, func(o schema.Column) bool { return o.Blank == 0 && accepts(schema.Day, o) })
}

// giveRole gives a column a role and takes it from the column that had it.
func giveRole(columns []schema.Column, at int, role schema.Role) {
	for i := range columns {
		if columns[i].Role == role {
			columns[i].Role = schema.None
		}
	}
	columns[at].Role = role
}

// accepts reports whether a column has values and fits a role.
func accepts(role schema.Role, c schema.Column) bool { return c.Distinct > 0 && fits(role, c) }

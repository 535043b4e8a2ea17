package read

import (
	_ "embed"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// kind is what part a phrase plays in a question.
type kind string

const (
	harmless      kind = "harmless"  // says nothing that the figures depend on
	metric        kind = "metric"    // names a figure
	sell          kind = "sell"      // to sell, to make, to take: money or pieces
	money         kind = "money"     // wants money, not pieces
	perOrder      kind = "perorder"  // a figure for each order, on average
	dim           kind = "dim"       // a role by which rows are grouped
	unit          kind = "unit"      // a piece of time: month
	series        kind = "series"    // by a piece of time: monthly
	top           kind = "top"       //
	bottom        kind = "bottom"    //
	bestSeller    kind = "topsell"   // best seller
	placeNo       kind = "place"     // a place after the first: second best
	claim         kind = "istrue"    // asks whether what follows is so
	worstSeller   kind = "lowsell"   // slow mover
	rank          kind = "rank"      // all, the highest first
	howMany       kind = "howmany"   //
	howMuch       kind = "howmuch"   //
	different     kind = "different" // counts each value once
	average       kind = "average"   //
	by            kind = "by"        // groups by what follows
	link          kind = "of"        // of, in, for, from: links
	which         kind = "which"     // asks for names
	list          kind = "list"      // asks for all names
	share         kind = "share"     //
	compared      kind = "compared"  // beside what follows
	than          kind = "than"      // than, on, from: compares after a word of change
	and           kind = "and"       //
	or            kind = "or"        //
	not           kind = "not"       //
	grown         kind = "grown"     //
	shrunk        kind = "shrunk"    //
	change        kind = "change"    // growth or its opposite, whichever it is
	trend         kind = "trend"     // over time
	versusEarlier kind = "onyear"    // with the same days a year earlier, or the period before
	comparison    kind = "cmp"       // a number is a bound
	ifWord        kind = "if"        // supposes a change
	would         kind = "would"     // asks what it would lead to
	price         kind = "price"     // of a unit
	expensive     kind = "dear"      // expensive
	cheap         kind = "cheap"     //
	soldOut       kind = "soldout"   //
	lowStock      kind = "lowstock"  //
	runOut        kind = "runout"    // will be out of stock
	unsold        kind = "idle"      // on hand, and not sold for long
	slowMoving    kind = "slow"      // on hand, and sold least
	loss          kind = "loss"      // sold below cost
	why           kind = "why"       //
	forecast      kind = "forecast"  // days that have not come
	rating        kind = "rating"    // asks for the column of ratings
	refund        kind = "refund"    // a status
	single        kind = "single"    // single, individual: one row
	unavailable   kind = "outside"   // a thing that shops have and these data may not
	who           kind = "who"       // who: a person
	where         kind = "where"     // where: a place
	when          kind = "when"      // when: a time
	days          kind = "days"      // weekdays by name, or hours of a day
	column        kind = "column"    // a heading
	value         kind = "value"     // a value of the data
	period        kind = "period"    //
	number        kind = "number"    //
)

// sense is one meaning of a phrase.
type sense struct {
	kind   kind
	arg    string // the metric, role, part, operator or concept
	metric plan.Metric
	role   schema.Role
	part   plan.Part
}

// vocabulary is the shop talk that is understood whatever the data are.
//
//go:embed vocabulary.txt
var vocabulary string

// lookup is the vocabulary by key.
var lookup = readVocabulary()

// longest is the number of words of its longest phrase.
var longest = func() int {
	n := 0
	for k := range lookup {
		n = max(n, strings.Count(k, " ")+1)
	}
	return n
}()

func readVocabulary() map[string][]sense {
	out := map[string][]sense{}
	var s sense
	for line := range strings.Lines(vocabulary) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if head, ok := strings.CutSuffix(strings.TrimSpace(line), "|"); ok {
			name, arg, _ := strings.Cut(strings.TrimSpace(head), ":")
			s = sense{kind: kind(name), arg: arg, metric: plan.Metric(arg), role: schema.Role(arg), part: plan.Part(arg)}
			continue
		}
		for phrase := range strings.SplitSeq(strings.TrimSpace(line), ",") {
			if phrase = strings.TrimSpace(phrase); phrase != "" {
				k := key(phrase)
				if k == "" {
					k = phrase // a sign
				}
				out[k] = append(out[k], s)
			}
		}
	}
	return out
}

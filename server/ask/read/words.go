package read

import (
	_ "embed"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// kind is the part of a phrase in a question.
type kind string

const (
	harmless      kind = "harmless"  // has no effect on the figures
	metric        kind = "metric"    // names a figure
	sell          kind = "sell"      // to sell, to make, to take: money or units
	money         kind = "money"     // asks for money and not units
	perOrder      kind = "perorder"  // a figure for each order, on average
	dim           kind = "dim"       // a role by which rows are grouped
	unit          kind = "unit"      // a unit of time: month
	series        kind = "series"    // by a unit of time: monthly
	top           kind = "top"       // the most
	bottom        kind = "bottom"    // the least
	bestSeller    kind = "topsell"   // best seller
	placeNo       kind = "place"     // a place after the first: second best
	claim         kind = "istrue"    // is it true that
	worstSeller   kind = "lowsell"   // slow mover
	rank          kind = "rank"      // all, the highest first
	howMany       kind = "howmany"   // how many
	howMuch       kind = "howmuch"   // how much
	different     kind = "different" // counts each value once
	average       kind = "average"   // an average
	by            kind = "by"        // groups by what follows
	link          kind = "of"        // of, in, for, from
	which         kind = "which"     // asks for names
	list          kind = "list"      // asks for all names
	share         kind = "share"     // a share of the whole
	compared      kind = "compared"  // compared with
	than          kind = "than"      // than, on, from, after a word of change
	and           kind = "and"       // joins
	or            kind = "or"        // joins alternatives
	not           kind = "not"       // negates
	grown         kind = "grown"     // rose
	shrunk        kind = "shrunk"    // fell
	change        kind = "change"    // growth or decline
	trend         kind = "trend"     // over time
	versusEarlier kind = "onyear"    // than the year or the period before
	comparison    kind = "cmp"       // makes a number a bound
	ifWord        kind = "if"        // supposes a change
	would         kind = "would"     // asks for the effect
	price         kind = "price"     // price of a unit
	expensive     kind = "dear"      // at a high price
	cheap         kind = "cheap"     // at a low price
	soldOut       kind = "soldout"   // out of stock
	lowStock      kind = "lowstock"  // below the reorder point
	runOut        kind = "runout"    // will be out of stock
	unsold        kind = "idle"      // in stock, and not sold for long
	slowMoving    kind = "slow"      // in stock, and sold least
	loss          kind = "loss"      // sold below cost
	why           kind = "why"       // asks for causes
	forecast      kind = "forecast"  // days in the future
	rating        kind = "rating"    // asks for the column of ratings
	refund        kind = "refund"    // returned, refunded, cancelled
	single        kind = "single"    // single, individual: one row
	unavailable   kind = "outside"   // a thing that the data do not have
	who           kind = "who"       // asks for a person
	where         kind = "where"     // asks for a place
	when          kind = "when"      // asks for a time
	days          kind = "days"      // weekdays by name, or hours of a day
	column        kind = "column"    // a heading
	value         kind = "value"     // a value of the data
	period        kind = "period"    // days
	number        kind = "number"    // a number
)

// sense is one meaning of a phrase.
type sense struct {
	kind   kind
	arg    string // metric, role, part, operator or concept
	metric plan.Metric
	role   schema.Role
	part   plan.Part
}

// vocabulary has the shop talk that every source understands.
//
//go:embed vocabulary.txt
var vocabulary string

// lookup has the vocabulary by key.
var lookup = readVocabulary()

// longest is the number of words of the longest phrase in the vocabulary.
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

// Package read understands business questions in plain English without a model: it
// turns a question into a plan, or says what is missing.
//
// A reading is a derivation over all words of the question. Package link gives every span
// of words all its meanings over a source, package when those of time. A chart composes
// adjacent meanings by productions, a beam merges what is left beside each other, and
// finish makes a plan of each complete reading. The reading that costs least wins. A word
// without a use costs, is named, and is never dropped in silence (H5); the best reading
// with another plan is the rival. Package certain says whether the words account for the
// plan.
//
// It computes nothing and sees no row: it knows the data only by their schema.
package read

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"svc/server/ask/certain"
	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/schema"
)

// Reading is a question that was understood.
type Reading struct {
	Plan   plan.Plan
	Source schema.Source
	// AsOf is the day that relative periods count from. With Stale it is the last day of
	// the data, which is more than a week before today (H8).
	AsOf     time.Time
	Stale    bool
	Relative bool     // the question has a relative period, or means now
	Notes    []string // sentences on what was assumed
	Certain  bool     // the words account for the plan, and two people would read them alike (H4)
	// Companions is the number of the plan's last measures that the question does not
	// name.
	Companions int
	// Implied are filters of the plan that the question does not say. Notes do.
	Implied []plan.Filter
	Beside  bool   // the plan's other figures are asked for of the first group, by a second question
	Noun    string // what the question calls the rows that it lists, singular
	Asked   string // heading of a column that the question asks for of each row that it lists

	// Claim is the part of time that the question takes for the first of a ranking; nil: none.
	Claim *plan.Period

	// Next is the reading of a second question after this one; nil: there is none.
	Next *Reading

	guessed bool // the words leave open what a part of the plan was taken for

	// Elsewhere is true if another source has some of what is asked for, too, which is not
	// counted. Notes name it.
	Elsewhere bool

	Unused []string // words of content that the plan does not use
	Rival  *Reading // another plan that fits nearly as well
	cost   float64
}

// Reason is why a question was refused.
type Reason string

const (
	Missing  Reason = "missing"  // no such column
	Unknown  Reason = "unknown"  // unknown words
	Outside  Reason = "outside"  // days without data
	Forecast Reason = "forecast" // days in the future
	Foreign  Reason = "foreign"  // not about the business
	NoData   Reason = "nodata"   // no source
)

// Refusal is the error for a question that cannot be answered, with a sentence for the
// user.
type Refusal struct {
	Reason   Reason
	Sentence string
	Source   schema.Source // the nearest one
	Words    []string      // of the question that are not known
	days     *plan.Period  // of which the source has none
	Nearest  []string      // questions that come nearest to the one asked
	// About is what was understood of the question: its figure, conditions and days.
	About plan.Plan
	cost  float64
	unfit float64 // part of cost: a plan that cannot be computed
}

// rank orders the refusals of several sources: a source that lacks what is asked for comes
// last.
func (r *Refusal) rank() float64 {
	if r.Reason == Missing {
		return r.cost + costMissing
	}
	return r.cost
}

// Error returns the sentence.
func (r *Refusal) Error() string { return r.Sentence }

// Reader reads questions over the sources of one account. It is safe for concurrent use.
type Reader struct {
	lexicons []*lexicon
	fixed    bool
}

// Fix makes the reader prefer its first source whatever days are asked for, since somebody
// has chosen it.
func (r *Reader) Fix() *Reader {
	r.fixed = true
	return r
}

// lexicon is what the grammar knows of one source.
type lexicon struct {
	source  schema.Source
	words   *link.Lexicon
	given   map[plan.Metric]bool
	events  map[string][]string // by heading of days: see stems
	kinds   []schema.Column     // that count one thing by its kind
	day     *schema.Column      // of dates, if no column has the role of the day
	product *schema.Column      // of products, if no column has the role
	expiry  *schema.Column      // of the days after which goods cannot be sold
	earned  *schema.Column      // of what was earned, if no column has the role of revenue
	place   *schema.Column      // the only column of places, if no word for its role is known
	ofSpan  bool                // over what was sold of a list in some days
	called  []string            // what else people call the place whose stock it is of
	shelves []*lexicon          // over the stock of one place each, of a list that has it of several
	spans   map[string]*lexicon // over what was sold in some days, of a list that has it of each item, by the days
	sold    *schema.Column      // units sold of each item of a stock list, or nil
	bought  *bought             // what a list of goods bought and sold one by one says of the buying; nil of others
}

// can reports whether the source gives a metric.
func (x *lexicon) can(m plan.Metric) bool { return x.given[m] }

// newLexicon returns what the words of a source mean.
func newLexicon(s schema.Source) *lexicon {
	x := &lexicon{source: s, words: link.New(s), given: map[plan.Metric]bool{}, events: map[string][]string{}, kinds: s.Kinds()}
	for _, m := range plan.Metrics {
		_, err := plan.FormulaOf(s, plan.Measure{Metric: m})
		x.given[m] = err == nil
	}
	for i := range s.Columns {
		if c := &s.Columns[i]; isDay(c) {
			x.events[c.Heading] = stemsOf(c)
		}
	}
	if first := x.dayCalled("first"); first != nil && s.Kind == schema.Customers {
		x.events[first.Heading] = []string{"first", "join"} // and not the last visit
	}
	x.earned, x.expiry = x.earnedColumn(), x.expiryColumn()
	if x.expiry != nil {
		x.events[x.expiry.Heading] = []string{"expir"} // of best before, too
	}
	x.bought, x.sold = x.findBought(), x.soldColumn()
	x.place = x.only("country state city region location suburb")
	if _, ok := s.ByRole(schema.Product); !ok {
		x.product = x.only("product item")
	}
	if _, ok := s.ByRole(schema.Day); !ok {
		if i := slices.IndexFunc(s.Columns, func(c schema.Column) bool { return isDay(&c) }); i >= 0 {
			x.day = &s.Columns[i]
		}
	}
	return x
}

// New returns a reader over sources, the preferred one first. It takes some milliseconds
// for each 10,000 values, so callers keep readers.
func New(sources []schema.Source) *Reader {
	var r Reader
	for _, s := range sources {
		x := newLexicon(s)
		for _, c := range s.Shelves() {
			x.shelves = append(x.shelves, newLexicon(s.With(schema.Stock, c.Heading)))
		}
		x.nameShelves()
		for span, sold := range s.Spans() {
			if x.spans == nil {
				x.spans = map[string]*lexicon{}
			}
			x.spans[span] = newLexicon(sold)
			x.spans[span].ofSpan = true
		}
		r.lexicons = append(r.lexicons, x)
	}
	return &r
}

// hasReversals reports whether rows of the source were refunded or cancelled.
func (x *lexicon) hasReversals() bool {
	return slices.ContainsFunc(x.source.Reversals, func(r schema.Reversal) bool { return r.Rows > 0 })
}

// only returns the only column that one of some words for roles names, or nil.
func (x *lexicon) only(words string) *schema.Column {
	var found *schema.Column
	for _, m := range x.mentions(context.Background(), link.Tokenize(words)) {
		isNoun := m.Kind == link.Dim || m.Kind == link.Column && m.How != link.Near && m.How != link.Corrected
		if isNoun && m.Column != nil && m.Column.Type == schema.Text && m.To == m.From+1 {
			if found != nil && found.Heading != m.Column.Heading {
				return nil
			}
			found = m.Column
		}
	}
	return found
}

// maxTokens bounds the words of a question.
const maxTokens = 120

// maxMentions bounds the meanings of all words together: the work on them grows with their
// square. A hundred headings with the same words give each of these words a hundred.
const maxMentions = 1500

// staleAfter is the age of the newest row from which relative days count from it (H8).
const staleAfter = 7 * 24 * time.Hour

// Read is ReadContext without an end.
func (r *Reader) Read(question string, today time.Time) (Reading, error) {
	return r.ReadContext(context.Background(), question, today)
}

// ReadContext reads a question asked on a day. The error is a *Refusal, or that of ctx. What
// reads badly as one question may be two.
func (r *Reader) ReadContext(ctx context.Context, question string, today time.Time) (Reading, error) {
	tokens := link.Tokenize(question)
	if got, ok := r.readOfRow(ctx, question, tokens, today); ok {
		return got, nil
	}
	if got, ok, err := r.readDoing(ctx, question, tokens, today); ok {
		return got, err
	}
	if got, ok := r.readPortion(ctx, question, tokens, today); ok {
		return got, nil
	}
	whole, err := r.readOver(ctx, &words{tokens: tokens}, question, today)
	if ctx.Err() != nil {
		return whole, ctx.Err()
	}
	several := isSeveral(tokens)
	isGuess := whole.guessed && len(whole.Unused) == 0 && whole.Rival == nil // by week, how many came and how many did not
	if err == nil && (isGuess || !whole.isDoubted()) && !several {
		return whole, nil
	}
	if both, ok := r.readClauses(ctx, question, tokens, today); ok {
		return both, nil
	}
	whole.Certain = whole.Certain && !several
	return whole, err
}

// readWhole reads a text as one question.
func (r *Reader) readWhole(ctx context.Context, question string, today time.Time) (Reading, error) {
	return r.readOver(ctx, &words{tokens: link.Tokenize(question)}, question, today)
}

// readOver reads the words of a text over the sources.
func (r *Reader) readOver(ctx context.Context, q *words, question string, today time.Time) (Reading, error) {
	if len(r.lexicons) == 0 {
		return Reading{}, &Refusal{Reason: NoData, Sentence: "There is no data yet: nothing has been imported, so there is nothing to compute this from."}
	}
	if isForeign(question, q.tokens) {
		return Reading{}, &Refusal{Reason: Foreign, Sentence: "This does not read as a question about the business in English, so it cannot be answered.", Source: r.lexicons[0].source}
	}
	all, err := r.readAll(ctx, q, today)
	if err != nil {
		return Reading{}, err
	}
	var best *outcome
	for _, o := range all {
		if o.refused == nil && (best == nil || o.got.cost < best.got.cost) {
			best = o
		}
	}
	switch {
	case best == nil:
		return Reading{}, nearestRefusal(all)
	case r.fixed:
		return best.got, nil
	}
	return *ratherOf(best, all), nil
}

// outcome is what became of a question over one source.
type outcome struct {
	x       *lexicon
	day     asOfDay
	got     Reading
	refused *Refusal // nil: got is a reading
}

// asOfDay is the day that relative days count from; stale: it is not today, but the last day of
// old data (H8).
type asOfDay struct {
	time.Time
	stale bool
}

// readAll reads the words of a question over each source that it may be about.
func (r *Reader) readAll(ctx context.Context, q *words, today time.Time) (all []*outcome, err error) {
	for _, x := range r.lexiconsFor(ctx, q) {
		o := &outcome{x: x}
		o.day.Time, o.day.stale = AsOf(x.source, today)
		if err := o.read(ctx, q); err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	if r.fixed {
		return all, nil
	}
	return all, readAsOfNewest(ctx, q, all)
}

// read reads the words as of the outcome's day. The error is that of ctx.
func (o *outcome) read(ctx context.Context, q *words) error {
	var err error
	o.refused = nil
	o.got, err = o.x.read(ctx, q, o.day)
	if errors.As(err, &o.refused) {
		return nil
	}
	return err
}

// read returns the best reading over one source. A reading that must be refused competes
// with those that can be answered: what names a missing thing is no reading of the rest.
func (x *lexicon) read(ctx context.Context, q *words, day asOfDay) (Reading, error) {
	if got, ok := x.readPlaces(ctx, q, day); ok {
		return got, nil
	}
	if got, ok := x.readSpansApart(ctx, q, day); ok {
		return got, nil
	}
	if shelf := x.shelfNamed(q.tokens); shelf != nil {
		got, err := shelf.read(ctx, q, day)
		stock, _ := shelf.source.ByRole(schema.Stock)
		got.Notes = append(got.Notes, "The stock is that of "+stock.Heading+".")
		return got, err
	}
	if sold, left := x.spanNamed(q.tokens); sold != nil {
		got, err := sold.read(ctx, &words{tokens: left, tail: q.tail}, day)
		units, _ := sold.source.ByRole(schema.Quantity)
		got.Notes = append(got.Notes, "What was sold is in "+units.Heading+", and prices are those of now.")
		got.Certain = false
		return got, err
	}
	now := x.now(day.Time)
	c, err := x.filled(ctx, q, now)
	if err != nil {
		return Reading{}, err
	}
	var answers []*Reading
	var refusals []*Refusal
	for _, st := range c.compose() {
		if ctx.Err() != nil {
			return Reading{}, ctx.Err()
		}
		got, err := c.finish(st, now)
		var refusal *Refusal
		if errors.As(err, &refusal) {
			refusal.cost, refusal.About = got.cost, got.Plan
			refusals = append(refusals, refusal)
			continue
		}
		got.AsOf, got.Stale = day.Time, day.stale
		answers = append(answers, &got)
	}
	slices.SortStableFunc(answers, func(a, b *Reading) int { return cmp.Compare(a.cost, b.cost) })
	slices.SortStableFunc(refusals, func(a, b *Refusal) int { return cmp.Compare(a.cost, b.cost) })
	if len(answers) == 0 || len(refusals) > 0 && refusals[0].cost < answers[0].cost-costAnswer {
		if len(refusals) == 0 {
			return Reading{}, &Refusal{Reason: Unknown, Sentence: "This could not be understood.", Source: x.source, cost: costLost}
		}
		return Reading{}, refusals[0]
	}
	best := *answers[0]
	best.Rival = rivalOf(answers)
	best.Certain = c.accounts(best) && !best.guessed
	return best, nil
}

// filled returns the chart of the words with all items. The error is a *Refusal of too many, or
// that of ctx.
func (x *lexicon) filled(ctx context.Context, q *words, now when.Now) (*chart, error) {
	tooMuch := &Refusal{Reason: Unknown, Sentence: "This asks for too much at once to be understood, so it cannot be answered. In parts it can.", Source: x.source, cost: costLost}
	if len(q.over(ctx, x)) > maxMentions {
		return nil, tooMuch
	}
	c := newChart(ctx, x, q, now)
	isWhole := c.fill(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if !isWhole {
		return nil, tooMuch
	}
	return c, nil
}

// accounts reports whether the words of the question stand for all of a reading's plan.
func (c *chart) accounts(r Reading) bool {
	p := r.Plan
	p.Measures = p.Measures[:len(p.Measures)-r.Companions]
	p.Where = slices.DeleteFunc(slices.Clone(p.Where), func(f plan.Filter) bool {
		return slices.ContainsFunc(r.Implied, func(o plan.Filter) bool { return reflect.DeepEqual(f, o) })
	})
	return certain.Question{Source: c.x.source, Tokens: c.tokens, Links: c.mentions, Times: c.times, Now: c.now}.Accounts(p)
}

// rivalOf returns the best reading with another plan than the first's, if it costs little
// more.
func rivalOf(answers []*Reading) *Reading {
	first := canonical(answers[0].Plan)
	for _, a := range answers[1:] {
		if a.cost > answers[0].cost+rivalMargin {
			break
		}
		if canonical(a.Plan) != first {
			return a
		}
	}
	return nil
}

// canonical returns a plan as text in which the order of filters and the words of periods
// make no difference.
func canonical(p plan.Plan) string {
	p.Where = slices.Clone(p.Where)
	slices.SortFunc(p.Where, func(a, b plan.Filter) int { return cmp.Compare(a.Column+string(a.Op), b.Column+string(b.Op)) })
	text, _ := json.Marshal(p)
	return string(text)
}

// isForeign reports whether a text is no question: code, markup, other than Latin letters,
// no word, or too many.
func isForeign(question string, tokens []link.Token) bool {
	lower := strings.ToLower(question)
	for _, sign := range []string{";", "--", "/*", "<", "{", "}", "`", "\\", "select *", "drop table", "http:", "https:"} {
		if strings.Contains(lower, sign) && !(sign == "<" && !strings.ContainsAny(lower, "/>")) {
			return true
		}
	}
	for _, char := range question {
		if char > 0x24F && (char < 0x2000 || char > 0x20CF) {
			return true
		}
	}
	return len(tokens) == 0 || len(tokens) > maxTokens
}

// AsOf returns the day that relative days count from: today, or the last day of data older
// than a week, which are stale (H8).
func AsOf(s schema.Source, today time.Time) (day time.Time, stale bool) {
	today = time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC)
	last, err := time.Parse(time.DateOnly, cmp.Or(s.Last, s.SoldLast))
	if err == nil && today.Sub(last) > staleAfter {
		return last, true
	}
	return today, false
}

// now returns what package when needs to know.
func (x *lexicon) now(asOf time.Time) when.Now {
	n := when.Now{Today: asOf}
	n.First, _ = time.Parse(time.DateOnly, x.source.First)
	n.Last, _ = time.Parse(time.DateOnly, x.source.Last)
	if x.source.ByMonth && n.Last.After(asOf) {
		n.Last = asOf // its last month has not ended: no row is of a day to come
	}
	_, n.Time = plan.TimeColumn(x.source, plan.Hour)
	return n
}

// mentions returns the derivations' input; none if ctx has ended.
func (x *lexicon) mentions(ctx context.Context, tokens []link.Token) []link.Mention {
	found, _ := x.words.Mentions(ctx, tokens) // the only error is that of ctx, which ReadContext returns
	return found
}

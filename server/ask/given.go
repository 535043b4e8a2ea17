package ask

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"svc/db"
	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/ask/tell"
	"svc/server/fairqueue"
	"svc/server/money"
	"svc/server/schema"
)

// Bounds of what is read of a context.
const (
	maxPairs      = 200
	maxPairText   = 300 // characters
	maxPairNames  = 10  // of a list
	maxSpelling   = 24  // characters of a number beyond maxPairNumber
	maxPairPlaces = 6   // decimals
)

// maxPairNumber bounds the numbers that are computed with. It is more than any shop has.
var maxPairNumber = big.NewRat(1_000_000_000_000_000, 1)

// knownPairs are the keys of seed 2.4a that mean more than their words say.
var knownPairs = map[string]schema.Column{
	"revenue": {Role: schema.Revenue, Unit: schema.Money},
	"cost":    {Role: schema.Cost, Unit: schema.Money},
	"margin":  {Role: schema.Margin, Unit: schema.Percent},
}

// mostMargin is that of goods that cost nothing, in per cent. One above it is no margin.
var mostMargin = big.NewRat(100, 1)

// fromContext answers from the pairs of the request, which are all the data of a generic
// key (H3): they become a source of one row, which is read and computed like any other.
// Their texts are shown and steer nothing (H7). None is refused: a value without a simple
// form is left out, and so is a number that is short in writing and would fill the memory
// in full.
func (s *Service) fromContext(ctx context.Context, accountID string, req Request) (told tell.Answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, ComputeTime)
	defer cancel()
	err = s.queue.Do(ctx, fairqueue.Questions, accountID, func(ctx context.Context) error {
		told, err = s.fromPairs(ctx, req)
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return tell.Refuse(tooSlow(tooLong), tell.Options{Given: true}), nil
	}
	return told, err
}

// fromPairs is fromContext in its turn.
func (s *Service) fromPairs(ctx context.Context, req Request) (tell.Answer, error) {
	q := req.Question
	source := pairSource(req.Context)
	reader := read.New([]schema.Source{source})
	o := tell.Options{Today: s.clock().UTC(), Currency: source.Currency, CFO: q.CFO, Simulate: q.Simulate, Explain: q.Explain, Given: true}
	reads := func(text string) (plan.Plan, bool) {
		reading, err := reader.ReadContext(ctx, text, o.Today)
		ok := err == nil && ofPairs(&reading, text)
		return reading.Plan, ok
	}
	o.Reads = func(text string) bool { _, ok := reads(text); return ok }
	refuse := func(reason string) (tell.Answer, error) {
		a := tell.Refuse(&read.Refusal{Reason: read.Missing, Source: source, Sentence: reason + beyondPairs(req.Context, source)}, o)
		return withFollowUps(a, source, q.Text, o), nil
	}
	if len(source.Columns) == 0 {
		return refuse("")
	}
	reading, err := reader.ReadContext(ctx, q.Text, o.Today)
	if refusal := (*read.Refusal)(nil); errors.As(err, &refusal) {
		return refuse(refusal.Sentence + " ")
	}
	if ctx.Err() != nil {
		return tell.Answer{}, ctx.Err()
	}
	if err != nil || !ofPairs(&reading, q.Text) {
		return refuse("")
	}
	o.Reads = func(text string) bool { // and asks for something else
		p, ok := reads(text)
		return ok && !plan.Same(p, reading.Plan, source)
	}
	var result compute.Result
	err = s.store.Snapshot(ctx, func(row db.Querier) (err error) {
		result, err = compute.Run(ctx, row, source, reading.Plan)
		return err
	})
	if err != nil {
		return tell.Answer{}, err
	}
	for _, n := range result.Total.Now {
		if n == nil || new(big.Rat).Abs(n).Cmp(maxPairNumber) > 0 {
			return refuse("")
		}
	}
	return withFollowUps(tell.Tell(result, reading, o), source, q.Text, o), nil
}

// saidOfSelf are headings of what a caller says of the business and would not ask.
var saidOfSelf = []string{"Biz type", "Currency", "Region", "Sector"}

// withFollowUps adds questions for figures and texts of the context to an answer that has
// none. It tries only a few, since each is read like one that is asked.
func withFollowUps(a tell.Answer, source schema.Source, asked string, o tell.Options) tell.Answer {
	const few, maxTries, maxHeading = 3, 12, 60
	tries := 0
	for _, c := range source.Columns {
		if len(a.FollowUps) >= few || tries >= maxTries {
			break
		}
		question := fmt.Sprintf("What %s our %s?", tell.Is(c.Heading), strings.ToLower(c.Heading))
		if slices.Contains(saidOfSelf, c.Heading) || len(c.Heading) > maxHeading || strings.EqualFold(question, asked) || slices.Contains(a.FollowUps, question) {
			continue
		}
		if tries++; o.Reads(question) {
			a.FollowUps = append(a.FollowUps, question)
		}
	}
	return a
}

// groupWords ask for a figure of each group, which no pair has.
var groupWords = regexp.MustCompile(`(?i)\b(by|per|each|every|split)\b`)

// ofPairs makes a reading's plan fit for one row, and reports whether that can answer it: to
// count, rank or select rows says nothing of the business, and a word without effect may have
// asked for another figure (H5). A text that is counted is what is asked for: "how many
// staff" of "about 40".
func ofPairs(reading *read.Reading, question string) bool {
	p, source := &reading.Plan, reading.Source
	splits := len(p.By) > 0 && groupWords.MatchString(question)
	dropped := len(reading.Unused) > 0 && len(p.WhatIf) == 0 // an answer to a what-if says what it supposes
	if p.Order == plan.Lowest || len(p.Having) > 0 || p.Count || p.Share || dropped || splits {
		return false
	}
	for _, m := range p.Measures {
		c, _ := plan.Column(source, m.Column)
		switch {
		case m.Per != "":
			return false
		case len(p.By) > 0:
		case m.Metric == plan.Distinct && c.Type == schema.Text:
			p.Measures, p.By = []plan.Measure{{Metric: plan.Rows}}, []plan.Dimension{{Column: c.Heading}}
			return true
		case m.Metric == plan.Rows || m.Metric == plan.Orders || m.Metric == plan.Distinct:
			return false
		}
	}
	return true
}

// beyondPairs returns the sentence that a context lacks what is asked for, and what it has.
func beyondPairs(pairs map[string]json.RawMessage, source schema.Source) string {
	switch {
	case len(pairs) == 0:
		return "There is no data to answer this from: no context was sent with the question."
	case len(source.Columns) == 0:
		return "There is no data to answer this from: the context of the question has no number, text or list of texts that can be read."
	}
	var titles []string
	for _, c := range source.Columns[:min(len(source.Columns), maxPairNames)] {
		titles = append(titles, strings.ToLower(c.Heading))
	}
	return fmt.Sprintf("The context of the question does not say this. It holds %s.", tell.Joined(titles))
}

// pairSource returns the numbers, texts and lists of texts of a context as a source of one
// row, a column for each pair, in the order of the keys. It is said to have two rows: with
// one, each value of a column would count as a row.
func pairSource(pairs map[string]json.RawMessage) schema.Source {
	s := schema.Source{ID: "context", Name: "the context of the question", Kind: schema.Other, Rows: 2}
	keys := slices.Sorted(maps.Keys(pairs))
	var columns []string
	for _, key := range keys[:min(len(keys), maxPairs)] {
		value := pairValue(pairs[key])
		if code, ok := value.(string); ok && key == "currency" {
			if code, ok = money.Known(code); ok {
				s.Currency = code
			}
		}
		c, bound, ok := pairColumn(key, value)
		if !ok {
			continue
		}
		c.Name = fmt.Sprintf("c%d", len(s.Columns)+1)
		s.Columns = append(s.Columns, c)
		if key == "top_products" {
			s.Words = taught(c.Heading, "sells best", "sell best", "best sellers", "best selling products", "most popular products")
		}
		s.Args = append(s.Args, bound)
		columns = append(columns, fmt.Sprintf("?%d AS %s", len(s.Args), c.Name))
	}
	if sign, ok := pairValue(pairs["symbol"]).(string); ok && s.Currency == "" {
		s.Currency = money.OfSign(sign)
	}
	s.From = "(SELECT " + strings.Join(columns, ", ") + ")"
	return s
}

// taught returns words that mean a heading.
func taught(heading string, words ...string) (out []schema.Word) {
	for _, w := range words {
		out = append(out, schema.Word{Text: w, Kind: schema.AHeading, Target: heading})
	}
	return out
}

// pairColumn returns the column of a pair and the value of its one row; false if the value
// has no simple form.
func pairColumn(key string, value any) (c schema.Column, bound any, ok bool) {
	c = schema.Column{Heading: plan.Capitalized(plainLine(strings.ReplaceAll(key, "_", " "))), Type: schema.Text}
	if c.Heading == "" || key == "symbol" {
		return c, nil, false
	}
	if n, isNumber := value.(*big.Rat); isNumber {
		known := knownPairs[key]
		if known.Role == schema.Margin && n.Cmp(mostMargin) > 0 { // like any other key (H3): nothing is computed from it
			known = schema.Column{}
		}
		c.Type, c.Role, c.Unit = schema.Number, known.Role, cmp.Or(known.Unit, schema.Count)
		c.Scale, bound = scaled(n)
		return c, bound, true
	}
	text, _ := value.(string)
	c.Values, c.Distinct = []string{text}, 1
	return c, text, text != ""
}

// pairValue returns a JSON value as a *big.Rat, or as a text on one line. A list is the text
// of its texts. It returns nil for any other value.
func pairValue(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	switch v := value.(type) {
	case string:
		return plainLine(v)
	case json.Number:
		return pairNumber(v)
	case []any:
		var names []string
		for _, item := range v {
			if name, ok := item.(string); ok && len(names) < maxPairNames {
				names = append(names, plainLine(name))
			}
		}
		return tell.Joined(names)
	}
	return nil
}

// pairNumber returns a number. One beyond maxPairNumber stays a text in the caller's
// spelling, like 1e300, since its digits would fill the answer; nothing is computed from it.
// A long spelling is left out.
func pairNumber(spelling json.Number) any {
	f, err := spelling.Float64()
	switch {
	case err != nil:
		return nil
	case f == 0: // the spelling may have a million decimals
		return new(big.Rat)
	}
	n, ok := new(big.Rat).SetString(spelling.String())
	switch {
	case ok && new(big.Rat).Abs(n).Cmp(maxPairNumber) <= 0:
		return n
	case ok && len(spelling) <= maxSpelling:
		return spelling.String()
	}
	return nil
}

// scaled returns a number as an integer of 10^-scale, rounded to maxPairPlaces decimals, or
// fewer if it would exceed 64 bits.
func scaled(n *big.Rat) (scale int, units int64) {
	ten := big.NewRat(10, 1)
	n = new(big.Rat).Set(n)
	limit := big.NewRat(1<<62, 1)
	for ; scale < maxPairPlaces && !n.IsInt(); scale++ {
		next := new(big.Rat).Mul(n, ten)
		if new(big.Rat).Abs(next).Cmp(limit) > 0 {
			break
		}
		n = next
	}
	rounded, _ := new(big.Int).SetString(n.FloatString(0), 10)
	return scale, rounded.Int64()
}

// plainLine returns a caller's text on one line, without markup, and cut to maxPairText.
func plainLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '<' || r == '>' || r == '`' {
			return -1
		}
		return r
	}, s)
	if r := []rune(s); len(r) > maxPairText {
		s = string(r[:maxPairText]) + "…"
	}
	return strings.TrimSpace(s)
}

package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/fault"
	"svc/server/schema"
)

const (
	// searchChunk is the number of rows that a search looks at between looks at its time.
	searchChunk = 20_000
	// longTable is the number of rows from which those who sort or search it take turns.
	longTable = 50_000
	// maxSkip bounds the rows of an order that are read to show those behind them.
	maxSkip = 10_000
	// maxSearchWords bounds the words of a search, and maxListed how many values of a column are
	// listed for one of them.
	maxSearchWords = 8
	maxListed      = 1000
)

// BrowseTime is how long a look at a dataset's rows may search, or sort, by default.
const BrowseTime = 1500 * time.Millisecond

// Look chooses rows of a dataset.
type Look struct {
	// Search are words, each of which a row has in one of its columns; empty: all rows.
	Search string
	// Sort is the heading of a column, "-" before it for the highest value first; empty: the
	// order of the files.
	Sort string
	// After is the number of the row after which the look begins, in the order of the files.
	After int64
	Skip  int // rows in another order before the first that is returned
	Limit int
	// From is the first column that is returned, counted from 0, and Columns how many are; 0:
	// all from there on.
	From, Columns int
	Within        time.Duration // 0: BrowseTime
	Faulty        bool          // only rows with cells that do not fit their columns
}

// Looked are rows of a dataset.
type Looked struct {
	Source  schema.Source
	Columns []schema.Column // of Rows
	Rows    []db.DataRow
	More    bool
	// Searched is the number of the row up to which a search in the order of the files has
	// looked. It is less than Total if the search has found enough, or has ended for its time.
	Searched, Total int64
	// Unsorted is true if the rows were too many to be sorted in the time. They are in the order
	// of the files then.
	Unsorted bool
	Sorted   int // index of the column of the order among the source's; -1: none
	Down     bool
	// Faulty is how many rows have cells that do not fit their columns. Faults has their
	// reasons, for each of Rows if only such were looked for, or if there is one row.
	Faulty int64
	Faults [][]string
}

// ErrSkip: the rows are too far behind in their order.
var ErrSkip = &fault.Error{Code: fault.InvalidRequest, Field: "page", Message: fmt.Sprintf("must begin in the first %d rows of an order; sort the other way, or search", maxSkip)}

// Browse returns rows of one of the account's datasets, by its id or name, or with an empty id of
// the one that ask reads. It stops within a time, and says so. Errors are db.ErrNotFound,
// ErrHeading and ErrSkip.
func (s *Service) Browse(ctx context.Context, accountID, id string, l Look) (Looked, error) {
	source, err := s.Find(ctx, accountID, id)
	if err != nil {
		return Looked{}, err
	}
	return s.browse(ctx, accountID, source, l)
}

func (s *Service) browse(ctx context.Context, accountID string, source schema.Source, l Look) (out Looked, err error) {
	out, l.Search = Looked{Source: source, Sorted: -1}, strings.TrimSpace(l.Search)
	if out.Sorted, out.Down, err = sortOf(source, l.Sort); err != nil {
		return out, err
	}
	if l.Skip > maxSkip {
		return out, ErrSkip
	}
	from := max(0, min(l.From, len(source.Columns)-1))
	out.Columns = source.Columns[from:]
	if l.Columns > 0 {
		out.Columns = out.Columns[:min(l.Columns, len(out.Columns))]
	}
	file, err := s.Open(source)
	if err != nil {
		return out, err
	}
	defer file.Close() // it is only read
	if out.Total, err = db.DataRowCount(ctx, file); err != nil {
		return out, err
	}
	if out.Faulty, err = db.FaultyRowCount(ctx, file); err != nil {
		return out, err
	}
	isPlain := l.Search == "" && out.Sorted < 0 && !l.Faulty
	if isPlain || out.Total < longTable {
		return out, out.read(ctx, file, l)
	}
	return out, s.queue.Do(ctx, fairqueue.Questions, accountID, func(ctx context.Context) error { return out.read(ctx, file, l) })
}

// explain fills in the reasons of rows with cells that do not fit.
func (out *Looked) explain(ctx context.Context, q db.Querier) error {
	for _, row := range out.Rows {
		reasons, err := db.FaultsOf(ctx, q, row.Number)
		if err != nil {
			return err
		}
		out.Faults = append(out.Faults, reasons)
	}
	return nil
}

// sortOf returns the index of the column of an order, -1 if it is empty.
func sortOf(source schema.Source, by string) (at int, down bool, err error) {
	if by == "" {
		return -1, false, nil
	}
	title, down := strings.CutPrefix(by, "-")
	if slices.ContainsFunc(source.Columns, func(c schema.Column) bool { return c.Heading == by }) { // it may begin with a minus
		title, down = by, false
	}
	if at = findColumn(source, title); at < 0 { // price is the column with that role
		at = slices.IndexFunc(source.Columns, func(c schema.Column) bool { return c.Role == schema.Role(title) && title != "" })
	}
	if at < 0 {
		return at, false, fmt.Errorf("%w: %q; it has %s", ErrHeading, title, headingsOf(source))
	}
	return at, down, nil
}

// maxNamed is how many headings an error names.
const maxNamed = 20

// headingsOf names the columns of a source.
func headingsOf(source schema.Source) string {
	var all []string
	for _, c := range source.Columns[:min(maxNamed, len(source.Columns))] {
		all = append(all, fmt.Sprintf("%q", c.Heading))
	}
	text := strings.Join(all, ", ")
	if more := len(source.Columns) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// read fills in the rows.
func (out *Looked) read(ctx context.Context, q db.Querier, l Look) (err error) {
	if err = out.find(ctx, q, l); err == nil && out.Faulty > 0 && (l.Faulty || l.Limit == 1) {
		err = out.explain(ctx, q)
	}
	return err
}

// find fills in the rows without what is wrong with them.
func (out *Looked) find(ctx context.Context, q db.Querier, l Look) (err error) {
	var names []string
	for _, c := range out.Columns {
		names = append(names, c.Name)
	}
	match, possible := matchOf(out.Source, l.Search)
	if l.Faulty {
		match = append(match, []db.DataTest{{Faulty: true}})
	}
	if !possible || l.Faulty && out.Faulty == 0 {
		out.Searched = out.Total
		return nil
	}
	if l.Within == 0 {
		l.Within = BrowseTime
	}
	if out.Sorted >= 0 {
		err := out.sort(ctx, q, names, match, l)
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err
		}
		out.Unsorted = true
	}
	return out.scan(ctx, q, names, match, l)
}

// sort reads rows in the order of a column. The error is context.DeadlineExceeded if that takes
// longer than it may.
func (out *Looked) sort(ctx context.Context, q db.Querier, names []string, match db.DataMatch, l Look) (err error) {
	ctx, cancel := context.WithTimeout(ctx, l.Within)
	defer cancel()
	column := out.Source.Columns[out.Sorted]
	order := db.DataOrder{Column: column.Name, Down: out.Down, NoCase: column.Type == schema.Text && out.Total < indexedFrom}
	out.Rows, out.More, err = db.DataRowsSorted(ctx, q, names, match, order, l.Skip, l.Limit)
	out.Searched = out.Total
	return err
}

// scan reads rows in the order of the files. It looks at some rows in any case, so that whoever
// goes on from there comes to an end.
func (out *Looked) scan(ctx context.Context, q db.Querier, names []string, match db.DataMatch, l Look) error {
	until := time.Now().Add(l.Within)
	at := max(0, l.After)
	for at < out.Total && len(out.Rows) < l.Limit {
		last := min(at+searchChunk, out.Total)
		rows, more, err := db.DataRowsAfter(ctx, q, names, match, at, last, l.Limit-len(out.Rows))
		if err != nil {
			return err
		}
		out.Rows = append(out.Rows, rows...)
		if at = last; more {
			at = rows[len(rows)-1].Number
		}
		if time.Now().After(until) {
			break
		}
		if err := fairqueue.Yield(ctx); err != nil {
			return err
		}
	}
	out.Searched, out.More = at, at < out.Total
	return nil
}

// matchOf returns the condition of a search; false: no row can meet it. Values that are known
// are looked up here, so that each row is only compared with those that fit.
func matchOf(source schema.Source, search string) (match db.DataMatch, possible bool) {
	terms := termsOf(search)
	for _, term := range terms[:min(len(terms), maxSearchWords)] {
		var tests []db.DataTest
		for _, c := range source.Columns {
			if test, ok := testOf(c, term); ok {
				tests = append(tests, test)
			}
		}
		if len(tests) == 0 {
			return nil, false
		}
		match = append(match, tests)
	}
	return match, true
}

// term is what one column of a row must have: a word, the words between quotation marks, or
// those of a day.
type term struct {
	text string
	day  string // YYYY-MM-DD or YYYY-MM, if the words are a day or a month
}

// searchWord matches words between quotation marks, and a word outside of them.
var searchWord = regexp.MustCompile(`["“”„]([^"“”„]*)["“”„]|[^\s"“”„]+`)

// termsOf returns the terms of a search.
func termsOf(search string) (terms []term) {
	var words []string
	flush := func() {
		for len(words) > 0 {
			t, n := dayTerm(words)
			terms, words = append(terms, t), words[n:]
		}
	}
	for _, m := range searchWord.FindAllStringSubmatch(search, -1) {
		if !strings.ContainsAny(m[0], `"“”„`) {
			words = append(words, m[0])
			continue
		}
		flush()
		if text := strings.Join(strings.Fields(m[1]), " "); text != "" {
			t, n := dayTerm(strings.Fields(text))
			if n < len(strings.Fields(text)) {
				t = term{text: text}
			}
			terms = append(terms, t)
		}
	}
	flush()
	return terms
}

// dayTerm returns the first word, or with those after it the day or the month that they are,
// and how many words it took: "2 Jan 2024", "January 2, 2024", "Jan 2024".
func dayTerm(words []string) (t term, taken int) {
	for _, n := range []int{3, 2} {
		if len(words) < n {
			continue
		}
		text := strings.Join(words[:n], " ")
		for layout, form := range dayLayouts {
			if at, err := time.Parse(layout, strings.ReplaceAll(text, ",", "")); err == nil {
				return term{text, at.Format(form)}, n
			}
		}
	}
	return term{text: words[0], day: words[0]}, 1
}

// dayLayouts has for each layout of a day or a month in words how a column of days begins then.
var dayLayouts = map[string]string{
	"2 Jan 2006": time.DateOnly, "2 January 2006": time.DateOnly, "Jan 2 2006": time.DateOnly, "January 2 2006": time.DateOnly,
	"Jan 2006": "2006-01", "January 2006": "2006-01",
}

// testOf returns how a column is searched for a term; false: it cannot have it.
func testOf(c schema.Column, of term) (t db.DataTest, ok bool) {
	t.Column = c.Name
	word := of.text
	switch c.Type {
	case schema.Text:
		folded := db.FoldText(word)
		if int64(len(c.Values)) < c.Distinct {
			t.Word = folded
			return t, true
		}
		for _, value := range c.Values {
			if strings.Contains(db.FoldText(value), folded) {
				t.OneOf = append(t.OneOf, value)
			}
		}
		if len(t.OneOf) > maxListed {
			t.OneOf, t.Word = nil, folded
		}
		return t, t.Word != "" || len(t.OneOf) > 0
	case schema.Number:
		n, ok := scaled(word, c.Scale)
		t.Equals = &n
		return t, ok
	case schema.Date, schema.Moment, schema.Time:
		t.Begin = of.day
		return t, of.day != "" && !strings.ContainsFunc(of.day, func(r rune) bool { return !strings.ContainsRune("0123456789-:", r) })
	}
	return t, false
}

// scaled returns a number like "1,204.50" or "£9" in units of 10^-scale; false: it is not one, or has
// further places.
func scaled(text string, scale int) (int64, bool) {
	text = strings.NewReplacer(",", "", "−", "-", "£", "", "$", "", "€", "", "¥", "", "₹", "").Replace(text)
	if strings.ContainsAny(text, "eEpPxX_/") {
		return 0, false
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, false
	}
	n.Mul(n, big.NewRat(int64(math.Pow10(scale)), 1))
	return n.Num().Int64(), n.IsInt() && n.Num().IsInt64()
}

// row returns one row with all of its columns, by its number. The error is db.ErrNotFound if
// there is none.
func (s *Service) row(ctx context.Context, accountID string, source schema.Source, number int64) (Looked, error) {
	if number < 1 {
		return Looked{}, fmt.Errorf("row: %w", db.ErrNotFound)
	}
	out, err := s.browse(ctx, accountID, source, Look{After: number - 1, Limit: 1})
	if err == nil && len(out.Rows) == 0 {
		err = fmt.Errorf("row %d: %w", number, db.ErrNotFound)
	}
	return out, err
}

// Headings returns the headings of the columns that a look returned.
func (out Looked) Headings() (all []string) {
	for _, c := range out.Columns {
		all = append(all, c.Heading)
	}
	return all
}

// Cells returns the values of a row as they were read, in the way of an export.
func (out Looked) Cells(row db.DataRow) (cells []string) {
	for i, value := range row.Values {
		cells = append(cells, cellText(out.Columns[i], value))
	}
	return slices.Clip(cells)
}

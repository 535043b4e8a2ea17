package dataset

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/schema"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// browseRows are the rows of a page, browseColumns its columns, and browseCell the letters of a
// cell.
const (
	browseRows    = 50
	browseColumns = 40
	browseCell    = 80
	fewColumns    = 8 // that fit a screen
)

// rowsPart is which rows a page shows, as its address has it.
type rowsPart struct {
	id, search, sort string
	from, page       int   // first column, from 0; page in an order, from 1
	faulty           bool  // only rows with problems
	after            int64 // number of the row before the first, in the order of the files
}

func readRowsPart(id string, q url.Values) rowsPart {
	number := func(name string, least, most int) int {
		n, err := strconv.Atoi(q.Get(name))
		if err != nil || n < least || n > most {
			return least
		}
		return n
	}
	return rowsPart{id, q.Get("q"), q.Get("sort"), number("from", 0, 1<<20), number("page", 1, maxSkip), q.Get("show") == showProblems, int64(number("after", 0, 1<<40))}
}

// showProblems is `show` in the address of the rows with problems.
const showProblems = "problems"

// address returns the address of the part with other values of parameters, in pairs.
func (p rowsPart) address(more ...string) string {
	q := url.Values{}
	values := []string{"q", p.search, "sort", p.sort, "from", strconv.Itoa(p.from), "page", strconv.Itoa(p.page), "after", strconv.FormatInt(p.after, 10)}
	if p.faulty {
		values = append(values, "show", showProblems)
	}
	for all := append(values, more...); len(all) > 1; all = all[2:] {
		q.Set(all[0], all[1])
		if text := all[1]; text == "" || text == "0" || all[0] == "page" && text == "1" {
			q.Del(all[0])
		}
	}
	return (&url.URL{Path: setPath + "/" + p.id, RawQuery: q.Encode()}).String()
}

func (p rowsPart) look() Look {
	return Look{
		Search: p.search, Sort: p.sort, Faulty: p.faulty, After: p.after, Skip: (p.page - 1) * browseRows, Limit: browseRows, From: p.from, Columns: browseColumns,
	}
}

// ShowSet handles GET /console/data/set/:id: the rows of a dataset, or with `part` in the query
// its columns or its history.
func (p *Pages) ShowSet(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.setPage(w, r, v, refused{part: r.URL.Query().Get("part")})
}

// absent answers a request for a row or a column that the dataset does not have.
func (p *Pages) absent(w *web.Response, v session.Visitor, id string, e *fault.Error) error {
	w.Record(e)
	page := views.Message{
		Frame: v.Frame("Not found"), Text: []string{views.Sentence(e)}, Link: setPath + "/" + id, LinkText: "To the dataset",
	}
	page.Section = "data"
	return p.views.Render(w, web.Status(e), page)
}

// setPage shows a dataset.
func (p *Pages) setPage(w *web.Response, r *http.Request, v session.Visitor, in refused) error {
	q := r.URL.Query()
	part := readRowsPart(w.Params.ByName("id"), q)
	page, source, err := p.set(r.Context(), v, part.id, in)
	if err != nil {
		return noDataset(err)
	}
	if source.Currency == "" && !source.Mixed {
		source.Currency = v.Account.Profile.Currency // as in answers
	}
	page.Section, page.Notice = "data", doneNotices[q.Get("done")]
	page.JustChanged = q.Get("done") == "added" || q.Get("done") == "replaced"
	if page.Part == "" {
		err = p.fillRows(r.Context(), v, page, source, part, q.Get("row"))
	}
	switch {
	case errors.Is(err, ErrHeading):
		return p.absent(w, v, part.id, &fault.Error{Code: fault.NotFound, Message: "the dataset has no such column", Err: err})
	case errors.Is(err, db.ErrNotFound):
		return p.absent(w, v, part.id, &fault.Error{Code: fault.NotFound, Message: "the dataset has no such row", Err: err})
	}
	if err == nil && page.Revenue == "" {
		page.Revenue, err = p.service.Total(r.Context(), v.Account.ID, source)
	}
	if err != nil {
		return noDataset(err)
	}
	status, sentence, field := views.Report(w, in.problem)
	page.Problem, page.Field = sentence, field
	return p.views.Render(w, status, *page)
}

// setAddress returns the address of a part of a dataset's page, after something was done.
func setAddress(id, part, done string) string {
	q := url.Values{}
	for name, value := range map[string]string{"part": part, "done": done} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return (&url.URL{Path: setPath + "/" + id, RawQuery: q.Encode()}).String()
}

// fillRows fills in a part of the rows, of which one may be open.
func (p *Pages) fillRows(ctx context.Context, v session.Visitor, page *views.Dataset, source schema.Source, part rowsPart, open string) error {
	found, err := p.service.browse(ctx, v.Account.ID, source, part.look())
	if err != nil {
		return err
	}
	rows := &views.DataRows{Search: part.search, Sort: part.sort, Unsorted: found.Unsorted, From: part.from, Wide: len(found.Columns) > fewColumns}
	page.Browse = rows
	shown := part
	shown.page, shown.after = 1, 0
	kept := 3
	if part.faulty {
		kept = 2 // beside the problem
	}
	minor := minorColumns(found.Columns, kept)
	for i, c := range found.Columns {
		column := views.ListColumn{Title: c.Heading, Order: c.Heading, Means: meansText(c, found.Source), Number: isNumber(c)}
		rows.Heads = append(rows.Heads, views.Heads([]views.ListColumn{column}, part.sort, func(order string) string { return shown.address("sort", order) })...)
		rows.Heads[i].Minor = minor[i]
	}
	rows.Faulty, rows.OnlyFaulty = found.Faulty, part.faulty
	rows.All, rows.ShowFaulty = shown.address("show", ""), shown.address("show", showProblems)
	for n, row := range found.Rows {
		number := strconv.FormatInt(row.Number, 10)
		line := views.DataLine{Number: money.Digits(row.Number, 0), Link: part.address("row", number), Open: open == number}
		if n < len(found.Faults) {
			line.Problem = strings.Join(found.Faults[n], "; ")
		}
		for i, value := range row.Values {
			line.Cells = append(line.Cells, views.DataCell{Text: shownText(found.Columns[i], source.Currency, value), Number: isNumber(found.Columns[i]), Minor: minor[i]})
		}
		rows.Lines = append(rows.Lines, line)
	}
	rows.Range = rangeText(part, found)
	p.fillPager(rows, part, found)
	for from := 0; from < len(found.Source.Columns) && len(found.Source.Columns) > browseColumns; from += browseColumns {
		text := fmt.Sprintf("%d to %d", from+1, min(len(found.Source.Columns), from+browseColumns))
		rows.Parts = append(rows.Parts, views.Group{Title: text, Link: part.address("from", strconv.Itoa(from)), Chosen: from == part.from})
	}
	if open == "" {
		return nil
	}
	return p.fillOpen(ctx, v, rows, source, part, open)
}

// minorColumns reports which columns a phone leaves out: all but a few, which are the day, what was
// sold and its amount, if there are such, else the first.
func minorColumns(columns []schema.Column, kept int) []bool {
	minor := make([]bool, len(columns))
	keep := func(i int) {
		if minor[i] && kept > 0 {
			minor[i] = false
			kept--
		}
	}
	for i := range columns {
		minor[i] = true
	}
	for _, roles := range [][]schema.Role{{schema.Day}, {schema.Product, schema.Category, schema.SKU}, {schema.Revenue, schema.Gross, schema.Price, schema.Stock}} {
		for _, role := range roles {
			if i := slices.IndexFunc(columns, func(c schema.Column) bool { return c.Role == role }); i >= 0 {
				keep(i)
				break
			}
		}
	}
	for i := range columns {
		keep(i)
	}
	return minor
}

// fillOpen fills in the open row with all of its columns.
func (p *Pages) fillOpen(ctx context.Context, v session.Visitor, rows *views.DataRows, source schema.Source, part rowsPart, open string) error {
	number, _ := strconv.ParseInt(open, 10, 64) // 0 is no row
	one, err := p.service.row(ctx, v.Account.ID, source, number)
	if err != nil {
		return err
	}
	rows.Open = &views.OpenLine{Title: "Row " + money.Digits(number, 0), Close: part.address()}
	if len(one.Faults) > 0 {
		rows.Open.Problem = strings.Join(one.Faults[0], "; ")
	}
	for i, value := range one.Rows[0].Values {
		c := one.Columns[i]
		rows.Open.Facts = append(rows.Open.Facts, views.DataFact{Heading: c.Heading, Text: shownText(c, source.Currency, value)})
	}
	return nil
}

// fillPager fills in the way to other rows. In the order of the files a page begins at a number,
// so that one among millions costs no more than the first.
func (p *Pages) fillPager(rows *views.DataRows, part rowsPart, found Looked) {
	if found.Unsorted {
		part.sort, part.page = "", 1
	}
	sorted := part.sort != ""
	switch {
	case sorted && found.More && part.page*browseRows <= maxSkip:
		rows.Pager.Next = part.address("page", strconv.Itoa(part.page+1))
	case !sorted && found.More && (len(found.Rows) == browseRows || part.search == "" && !part.faulty):
		rows.Pager.Next = part.address("after", strconv.FormatInt(found.Searched, 10))
	case !sorted && found.More:
		rows.Further = part.address("after", strconv.FormatInt(found.Searched, 10))
	}
	switch {
	case sorted && part.page > 1:
		rows.Pager.Previous = part.address("page", strconv.Itoa(part.page-1))
	case !sorted && part.search == "" && !part.faulty && part.after > 0:
		rows.Pager.Previous = part.address("after", strconv.FormatInt(max(0, part.after-browseRows), 10))
	case !sorted && part.after > 0:
		rows.Pager.First = part.address("after", "0")
	}
	rows.Ends = sorted && found.More && rows.Pager.Next == ""
}

// rangeText says which rows are shown, like "Rows 51–100 of 4,210".
func rangeText(part rowsPart, found Looked) string {
	digits := func(n int64) string { return money.Digits(n, 0) }
	shown := int64(len(found.Rows))
	if part.faulty && part.search == "" {
		if found.More || part.page > 1 || part.after > 0 {
			return counted(shown) + " of those with problems"
		}
		return counted(shown) + " with problems of " + digits(found.Total)
	}
	switch {
	case part.search != "" && found.Searched < found.Total && shown < browseRows:
		return fmt.Sprintf("%s found in the first %s of %s", counted(shown), digits(found.Searched), counted(found.Total))
	case part.search != "" && (found.More || part.page > 1 || part.after > 0):
		return counted(shown) + " of those that were found"
	case part.search != "":
		return counted(shown) + " found of " + digits(found.Total)
	case shown == 0:
		return "No rows"
	case shown == found.Total:
		return counted(shown)
	}
	first := part.after + 1
	if part.sort != "" && !found.Unsorted {
		first = int64(part.page-1)*browseRows + 1
	}
	return fmt.Sprintf("Rows %s–%s of %s", digits(first), digits(first+shown-1), digits(found.Total))
}

func isNumber(c schema.Column) bool { return c.Type == schema.Number }

// meansText says what a column is taken for, or else what it holds.
func meansText(c schema.Column, source schema.Source) string {
	text := roleText(c.Role)
	if c.Role == schema.None {
		text = heldText(c)
	}
	if mark := money.Sign(source.Currency); c.Unit == schema.Money && mark != "" {
		text += ", " + mark
	}
	return text
}

// shownText writes a value as pages show it: figures with commas, days with their month, and long
// texts cut.
func shownText(c schema.Column, currency string, value any) string {
	n, isInteger := value.(int64)
	text, _ := value.(string)
	switch {
	case value == nil:
		return ""
	case isInteger && c.Type == schema.Truth:
		return map[bool]string{true: "yes", false: "no"}[n == 1]
	case isInteger && c.Unit == schema.Percent:
		return money.Digits(n, c.Scale) + " %"
	case isInteger && c.Unit == schema.Money && c.Scale < money.Decimals(currency):
		return money.Digits(n, c.Scale) + moneyRest(c.Scale, money.Decimals(currency))
	case isInteger:
		return money.Digits(n, c.Scale) + c.Suffix
	case c.Type == schema.Date:
		return dayText(time.DateOnly, text, shortDay)
	case c.Type == schema.Moment:
		return dayText(time.DateTime, text, shortDay+", 15:04")
	}
	letters := []rune(text)
	if len(letters) > browseCell {
		letters = append(letters[:browseCell-1], '…')
	}
	return string(letters)
}

// moneyRest returns the decimals that an amount with fewer than its currency has lacks.
func moneyRest(scale, places int) string {
	rest := strings.Repeat("0", places-scale)
	if scale == 0 {
		return "." + rest
	}
	return rest
}

func dayText(stored, text, layout string) string {
	at, err := time.Parse(stored, text)
	if err != nil {
		return text
	}
	return at.Format(layout)
}

// totalTime is how long a page waits for the revenue of a dataset.
const totalTime = time.Second

// Total returns what all rows of a dataset come to, "" if it has no revenue or if that takes too
// long. It is kept until the dataset changes.
func (s *Service) Total(ctx context.Context, accountID string, source schema.Source) (text string, err error) {
	stamp, err := db.Read(ctx, s.store, func(tx *db.Tx) (string, error) { return tx.DatasetStamp(accountID, source.ID) })
	if err != nil {
		return "", err
	}
	stamp += " " + source.Currency
	if known, ok := s.totals.Load(source.ID); ok && known.(total).stamp == stamp {
		return known.(total).text, nil
	}
	file, err := s.Open(source)
	if err != nil {
		return "", err
	}
	defer file.Close() // it is only read
	err = s.queue.Do(ctx, fairqueue.Questions, accountID, func(ctx context.Context) (err error) {
		limited, cancel := context.WithTimeout(ctx, totalTime)
		defer cancel()
		text, err = revenue(limited, file, source)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = nil
		}
		return err
	})
	if err == nil {
		s.totals.Store(source.ID, total{stamp, text})
	}
	return text, err
}

// total is the revenue of a dataset in a version.
type total struct{ stamp, text string }

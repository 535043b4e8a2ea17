package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"svc/db"
	"svc/server/header"
	"svc/server/schema"
	"svc/server/sheet"
)

// merge adds a file to the rows of a dataset (I5). A row is known again by its identity;
// of a row that both have, the file's is kept. So a file that overlaps with an earlier one
// adds only what is new. Rows of one identity are told apart by their order, as two equal
// sales of a day are two.
//
// Memory grows with the file, by about a hundred bytes a row, but not with the dataset.
type merge struct {
	base     *db.DataFile
	headings []string // of the dataset, and then those that only the file has
	columns  []int    // for each heading its column in the file; -1: none
	values   values   // how the cells of dataset and file are read, to compare them
	required int      // number of headings that each file has
	lacks    []int    // headings that the file does not have: a known row keeps its cells of these
	file     int      // index of the new file among those of the dataset
	hasComma bool
	home     string // currency of the account
	locale   locale
	plan     *plan // of the rows of dataset and file
	identity identity
	incoming map[digest]*incoming // rows of the file by identity
	counts   Merged
	gone     int // of the updated rows, those that are left out from now on
	// Days of the dataset and of the file that prove the order of day and month.
	baseDays, fileDays dates
}

// Merged counts what became of the rows of a file that was added to a dataset.
type Merged struct {
	Added   int // new rows
	Updated int // known rows with other content, which was taken over
	Known   int // rows that the dataset has as they are
}

// digest is the beginning of a SHA-256.
type digest [16]byte

// content is what the cells of a row of the file are.
type content struct {
	digest digest
	isLeft bool // see plan.isLeftOut
}

// incoming are the rows of the file with one identity, in order.
type incoming struct {
	contents []content
	met      int        // rows of the dataset with the identity that this pass has met
	kept     [][]string // of those rows, the cells that the file lacks
	sent     int        // rows of the file with the identity that this pass has returned
}

// newMerge reads the file and compares it with the dataset, whose source and files these
// are. The error is a *sheet.Error if the file does not fit.
func newMerge(ctx context.Context, in *input, base *db.DataFile, source schema.Source, files []ImportedFile) (*merge, error) {
	known, err := rawHeadings(ctx, base)
	if err != nil {
		return nil, err
	}
	r, err := in.open()
	if err != nil {
		return nil, err
	}
	m := &merge{base: base, home: in.home, locale: in.locale, file: len(files), hasComma: len(files) > 0 && files[0].Comma, incoming: map[digest]*incoming{}}
	must := required(known, files)
	if missing := lacking(must, r.sheet.Headings()); len(missing) > 0 {
		return nil, &sheet.Error{Line: r.sheet.HeadingLine(), Reason: fmt.Sprintf("the file does not fit %s: it has no column %s%s", source.Name, quoted(missing), others(must, r.sheet.Headings()))}
	}
	m.required = len(must)
	m.headings, m.columns = alignHeadings(known, r.sheet.Headings())
	m.identity = identityOf(source, m.headings, m.columns, len(known))
	for i, at := range m.columns {
		if at < 0 {
			m.lacks = append(m.lacks, i)
		}
	}
	if err := m.readValues(ctx, r); err != nil {
		return nil, err
	}
	id := func(cells []string) digest { return m.identity.digest(m.values.of(align(cells, m.columns))) }
	if in.repeats, err = findRepeats(ctx, *in, source, id); err != nil {
		return nil, err
	}
	if r, err = in.open(); err != nil {
		return nil, err
	}
	rows, err := m.readFile(ctx, r)
	if err != nil {
		return nil, err
	}
	err = m.eachKept(ctx, func(entry) error { return nil })
	m.counts.Added = rows + m.gone - m.counts.Known - m.counts.Updated
	if err == nil {
		err = m.checkDateOrder(source.Name)
	}
	return m, err
}

// readValues decides how the cells of dataset and file are read.
func (m *merge) readValues(ctx context.Context, r *reader) error {
	p := newPlan(m.headings, m.home, m.locale)
	err := r.eachRow(ctx, func(row sheet.Row) error {
		p.observe(place{}, align(row.Cells, m.columns))
		return nil
	})
	if err != nil {
		return err
	}
	err = m.eachBase(ctx, func(_ db.RawRow, cells []string) error {
		p.observe(place{}, cells)
		return nil
	})
	p.decide(m.hasComma)
	m.plan, m.values = p, p.formats
	for i := range m.values {
		m.values[i].currency = "" // the same amount with a sign is the same row
		m.values[i].usual = nil
	}
	return err
}

// readFile notes the identity and the content of the file's rows. It returns the number of those that count.
func (m *merge) readFile(ctx context.Context, r *reader) (rows int, err error) {
	all := 0
	err = r.eachRow(ctx, func(row sheet.Row) error {
		cells := align(row.Cells, m.columns)
		m.identity.observeDay(&m.fileDays, cells)
		read := m.values.of(cells)
		id := m.identity.digest(read)
		if m.incoming[id] == nil {
			m.incoming[id] = &incoming{}
		}
		c := content{digestOf(read...), m.plan.isLeftOut(cells)}
		m.incoming[id].contents = append(m.incoming[id].contents, c)
		all++
		if !c.isLeft {
			rows++
		}
		return nil
	})
	if err == nil && all == 0 {
		err = noRows(r)
	}
	return rows, err
}

// checkDateOrder refuses a file whose days are written in another order than those of the
// dataset: read in one order, the days of one of them would be wrong.
func (m *merge) checkDateOrder(name string) error {
	base, sureOfBase := m.baseDays.provenOrder()
	file, sureOfFile := m.fileDays.provenOrder()
	if sureOfBase && sureOfFile && base != file {
		return &sheet.Error{Reason: fmt.Sprintf("the file writes dates with the %s first, %s with the %s first; write them in one order", file, name, base)}
	}
	return nil
}

// provenOrder returns the order of day and month that some dates prove and none disproves.
func (d *dates) provenOrder() (o dateOrder, sure bool) {
	return dateOrderIf(d.proven[monthFirst] > 0), (d.proven[dayFirst] > 0) != (d.proven[monthFirst] > 0)
}

// eachKept calls fn with the rows of the dataset that the file does not bring, and counts
// those that it brings.
func (m *merge) eachKept(ctx context.Context, fn func(entry) error) error {
	for _, in := range m.incoming {
		in.met, in.sent, in.kept = 0, 0, in.kept[:0]
	}
	m.counts.Known, m.counts.Updated, m.gone = 0, 0, 0
	return m.eachBase(ctx, func(row db.RawRow, cells []string) error {
		m.identity.observeDay(&m.baseDays, cells)
		lacked := m.takeLacking(cells)
		read := m.values.of(cells)
		if in := m.incoming[m.identity.digest(read)]; in != nil && in.met < len(in.contents) {
			if len(lacked) > 0 {
				in.kept = append(in.kept, lacked)
			}
			m.count(in.contents[in.met], content{digestOf(read...), m.plan.isLeftOut(cells)})
			in.met++
			return nil
		}
		m.giveLacking(cells, lacked)
		return fn(entry{file: row.File, line: row.Line, cells: cells})
	})
}

// count counts a row of the file that the dataset has. Rows that are left out are none.
func (m *merge) count(file, base content) {
	switch {
	case file.isLeft && base.isLeft:
	case base.isLeft: // it is new
	case file.isLeft:
		m.counts.Updated++
		m.gone++
	case file == base:
		m.counts.Known++
	default:
		m.counts.Updated++
	}
}

// eachBase calls fn with the rows of the dataset.
func (m *merge) eachBase(ctx context.Context, fn func(row db.RawRow, cells []string) error) error {
	isFirst := true
	return db.EachRaw(ctx, m.base, func(row db.RawRow) error {
		if isFirst { // the headings
			isFirst = false
			return nil
		}
		cells, err := parseCells(row.Cells, len(m.headings))
		if err != nil {
			return err
		}
		return fn(row, cells)
	})
}

// takeLacking blanks the cells of a row that the file does not have, and returns them.
func (m *merge) takeLacking(cells []string) (taken []string) {
	for _, i := range m.lacks {
		taken, cells[i] = append(taken, cells[i]), ""
	}
	return taken
}

func (m *merge) giveLacking(cells, taken []string) {
	for n, text := range taken {
		cells[m.lacks[n]] = text
	}
}

// align returns a row of the file with its cells below the dataset's headings. If the
// dataset has the row, cells that the file lacks are those of the dataset.
func (m *merge) align(cells []string) []string {
	all := align(cells, m.columns)
	if len(m.lacks) == 0 {
		return all
	}
	if in := m.incoming[m.identity.digest(m.values.of(all))]; in != nil {
		if in.sent < len(in.kept) {
			m.giveLacking(all, in.kept[in.sent])
		}
		in.sent++
	}
	return all
}

// align returns a row with its cells at the columns; a column below 0 is blank.
func align(cells []string, columns []int) []string {
	all := make([]string, len(columns))
	for i, at := range columns {
		if at >= 0 {
			all[i] = cells[at]
		}
	}
	return all
}

// required returns those of a dataset's headings that each of its files must have: what
// the first file had. A column that a later file has added is blank in files without it.
func required(known []string, files []ImportedFile) []string {
	if len(files) == 0 || files[0].Width == 0 {
		return known
	}
	return known[:min(len(known), files[0].Width)]
}

// lacking returns those of the headings that a file does not have. A column without a
// heading, as a stray note beside a table makes it, is none.
func lacking(headings, have []string) (missing []string) {
	_, columns := alignHeadings(headings, have)
	for i, title := range headings {
		if columns[i] < 0 && !sheet.IsUnnamed(title) {
			missing = append(missing, title)
		}
	}
	return missing
}

// others names the columns of a file that a dataset does not have: one of them may be a
// column of the dataset with another heading.
func others(known, have []string) string {
	more, _ := alignHeadings(known, have)
	if more = more[len(known):]; len(more) == 0 {
		return ""
	}
	return fmt.Sprintf("; instead it has %s: if that is the same, give it the dataset's heading in the file", quoted(more))
}

// alignHeadings finds the columns of a file below a dataset's headings. Headings that only
// the file has follow; the column of one that it lacks is -1.
func alignHeadings(known, have []string) (headings []string, columns []int) {
	taken := make([]bool, len(have))
	find := func(fits func(title string) bool) int {
		for at := range have {
			if !taken[at] && fits(have[at]) {
				taken[at] = true
				return at
			}
		}
		return -1
	}
	headings = slices.Clone(known)
	for _, title := range known {
		at := find(func(other string) bool { return other == title })
		if folded := header.Fold(title); at < 0 && folded != "" {
			at = find(func(other string) bool { return header.Fold(other) == folded })
		}
		columns = append(columns, at)
	}
	for i, title := range have {
		if !taken[i] {
			headings, columns = append(headings, title), append(columns, i)
		}
	}
	return headings, columns
}

func quoted(titles []string) string {
	var all []string
	for _, title := range titles[:min(len(titles), 3)] {
		all = append(all, fmt.Sprintf("%q", title))
	}
	text := strings.Join(all, ", ")
	if rest := len(titles) - len(all); rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

// errStop ends a pass over raw rows.
var errStop = errors.New("stop")

// rawHeadings returns the headings of a dataset's files. The error is db.ErrNotFound if the
// dataset has no raw rows.
func rawHeadings(ctx context.Context, file *db.DataFile) (headings []string, err error) {
	err = db.EachRaw(ctx, file, func(row db.RawRow) error {
		if headings, err = parseCells(row.Cells, 0); err != nil {
			return err
		}
		return errStop
	})
	if errors.Is(err, errStop) {
		err = nil
	}
	return headings, err
}

// parseCells returns the cells of a raw row, at least width of them.
func parseCells(text string, width int) (cells []string, err error) {
	if err := json.Unmarshal([]byte(text), &cells); err != nil {
		return nil, fmt.Errorf("raw row: %w", err)
	}
	for len(cells) < width {
		cells = append(cells, "")
	}
	return cells, nil
}

func formatCells(cells []string) (string, error) {
	text, err := json.Marshal(cells)
	return string(text), err
}

package dataset

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"svc/server/header"
	"svc/server/schema"
	"svc/server/sheet"
)

// values reads the cells of rows to compare them: a day is the same day however it is
// written, and so is a number (I5).
type values []format

// of returns what the cells of a row hold, each in one spelling. A cell that does not fit
// its column is returned as it is.
func (v values) of(cells []string) []string {
	read := slices.Clone(cells)
	for i, text := range cells {
		text = sheet.Unguard(text) // which earlier imports kept as it was
		switch value, ok := v[i].value(text); {
		case ok && value == nil:
			read[i] = ""
		case ok:
			read[i] = fmt.Sprint(value)
		}
	}
	return read
}

// identity is what makes two rows the same: day, order, line and the signs of amounts.
// The day is part of it because tills number their orders anew each day or month, and the
// signs because a refund repeats the order and the product of its sale.
type identity struct {
	order, day int   // order -1: the whole row
	parts      []int // the first that is not blank identifies the line of the order
	amounts    []int // columns whose signs count
	width      int   // number of headings that the dataset had before
}

// lineHeadings are the folded headings of the numbers of an order's lines.
var lineHeadings = map[string]bool{
	"line": true, "line no": true, "line number": true, "line id": true, "line item id": true, "lineitem id": true, "order line": true,
	"order item id": true, "order item code": true, "pos": true, "position": true, "zeile": true, "ligne": true, "linea": true, "linha": true,
}

// identityOf returns the identity of a dataset's rows, by columns that the file has: day, order and line, SKU or product.
// Day and order will do if every row has another order; else the whole row counts, as it
// does without a day or an order.
func identityOf(source schema.Source, headings []string, columns []int, width int) identity {
	index := func(role schema.Role) int {
		c, ok := source.ByRole(role)
		at := slices.Index(headings, c.Heading)
		if !ok || at < 0 || columns[at] < 0 {
			return -1
		}
		return at
	}
	id := identity{order: index(schema.Order), day: index(schema.Day), width: width}
	if id.order < 0 || id.day < 0 {
		id.order = -1
		return id
	}
	if line := slices.IndexFunc(headings, func(title string) bool { return lineHeadings[header.Fold(title)] }); line >= 0 && columns[line] >= 0 {
		id.parts = append(id.parts, line)
	}
	for _, role := range []schema.Role{schema.SKU, schema.Product} {
		if at := index(role); at >= 0 {
			id.parts = append(id.parts, at)
		}
	}
	for _, role := range []schema.Role{schema.Quantity, schema.Price, schema.Revenue, schema.Gross} {
		if at := index(role); at >= 0 {
			id.amounts = append(id.amounts, at)
		}
	}
	if order, _ := source.ByRole(schema.Order); len(id.parts) == 0 && order.Distinct != source.Rows {
		id.order = -1
	}
	return id
}

// digest returns the identity of a row, whose cells are those that values.of returns.
func (id identity) digest(cells []string) digest {
	if id.order < 0 || cells[id.order] == "" {
		return digestOf(cells[:id.width]...)
	}
	part := ""
	for i, at := range id.parts {
		if cells[at] != "" {
			part = fmt.Sprint(i, " ", cells[at])
			break
		}
	}
	signs := ""
	for _, at := range id.amounts {
		signs += fmt.Sprint(strings.HasPrefix(cells[at], "-"), " ")
	}
	day, _, _ := strings.Cut(cells[id.day], " ") // a spreadsheet drops the seconds, or all of the time
	return digestOf("order", cells[id.order], day, part, signs)
}

// observeDay adds the day of a row.
func (id identity) observeDay(d *dates, cells []string) {
	if id.day < 0 {
		return
	}
	if m, ok := parseMoment(cells[id.day]); ok {
		d.add(m)
	}
}

// digestOf returns the digest of texts. Blank cells at the end do not count, since a file
// with a further column adds them.
func digestOf(texts ...string) (d digest) {
	for len(texts) > 0 && texts[len(texts)-1] == "" {
		texts = texts[:len(texts)-1]
	}
	hash := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(hash, "%d:%s", len(text), text)
	}
	copy(d[:], hash.Sum(nil))
	return d
}

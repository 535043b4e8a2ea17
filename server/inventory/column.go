package inventory

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"svc/server/header"
	"svc/server/sheet"
)

// columns says in which columns of a file the fields stand.
type columns struct {
	headings []string
	line     int
	fields   map[string][]int
	hint     string // a heading that looks like sales, or ""

	handle    int // of the product that a variant belongs to; -1: none, like the others
	options   []int
	isPlain   bool // the options are those of a sheet that no shop wrote
	variation int
	location  int // Shopify's inventory: a row for each place
	details   int // eBay: "Size=M|Colour=Red", and all the values for the group
	kind      int // WooCommerce: simple, variable, variation, grouped, …
	parent    int // WooCommerce: "id:44" or the SKU of the variable product
	id        int
}

// recognise finds the fields by their headings.
func recognise(headings []string, line int) (columns, error) {
	c := columns{headings: headings, line: line, fields: map[string][]int{}}
	m := newMatcher(headings)
	if heading := c.looksLikeSales(m); heading != "" {
		return c, c.notProducts(heading)
	}
	for field := range vocabulary {
		if field == FieldName {
			continue
		}
		if i := m.find(vocabulary[field]); i >= 0 {
			c.fields[field] = m.alike(field, i)
		}
	}
	c.findName(m)
	if len(c.fields[FieldName])+len(c.fields[FieldSKU])+len(c.fields[FieldBarcodes]) == 0 {
		return c, &sheet.Error{Line: line, Reason: "none of the headings is that of a product's name; the file has " + list(headings)}
	}
	c.findVariants(m)
	return c, nil
}

// looksLikeSales returns the heading that proves it, or "".
func (c *columns) looksLikeSales(m *matcher) string {
	if i := m.find(orderWords); i >= 0 {
		return c.headings[i]
	}
	for _, words := range hintWords {
		if i := m.find(words); i >= 0 && c.hint != "" {
			return c.headings[i]
		} else if i >= 0 {
			c.hint = c.headings[i]
		}
	}
	return ""
}

// notProducts is why a list of sales is refused.
func (c *columns) notProducts(heading string) error {
	return &sheet.Error{Line: c.line, Reason: fmt.Sprintf("the heading %s is that of orders or sales; import a list of products", sheet.Quote(heading))}
}

// findName goes by the words for a name; then by article and description, which
// mean one thing or another by what else there is.
func (c *columns) findName(m *matcher) {
	choices := [][]string{vocabulary[FieldName], articles, descriptions}
	if len(c.fields[FieldSKU]) == 0 {
		choices = [][]string{vocabulary[FieldName], descriptions, articles}
	}
	for _, choice := range choices {
		if i := m.find(choice); i >= 0 {
			c.fields[FieldName] = []int{i}
			break
		}
	}
	for _, choice := range [][]string{articles, numbersLast} {
		if i := m.find(choice); i >= 0 && len(c.fields[FieldSKU]) == 0 && !slices.Contains(c.fields[FieldName], i) {
			c.fields[FieldSKU] = []int{i}
		}
	}
}

func (c *columns) findVariants(m *matcher) {
	c.handle, c.variation, c.details = m.find(handles), m.find(variations), m.find([]string{"variation details"})
	c.kind, c.parent, c.id, c.location = -1, -1, -1, -1
	if c.handle >= 0 && len(c.fields[FieldStock]) > 0 {
		c.location = m.find(locations)
	}
	choices := options
	if m.find([]string{"regular price"}) >= 0 && m.find([]string{"type"}) >= 0 {
		c.kind, c.parent, c.id = m.find([]string{"type"}), m.find([]string{"parent"}), m.find([]string{"id"})
		choices = attributes
		c.fields[FieldCategory] = slices.DeleteFunc(c.fields[FieldCategory], func(i int) bool { return i == c.kind })
	}
	for _, choice := range choices {
		if i := m.find(choice); i >= 0 {
			c.options = append(c.options, i)
		}
	}
	if isShops := c.handle >= 0 || c.kind >= 0 || c.variation >= 0 || c.details >= 0 || len(c.options) > 0; !isShops {
		c.isPlain = true
		for _, word := range plainOptions {
			if i := m.find([]string{word}); i >= 0 && !slices.Contains(c.options, i) {
				c.options = append(c.options, i)
			}
		}
		slices.Sort(c.options)
	}
}

// used says of each column whether something is read from it.
func (c *columns) used() []bool {
	used := make([]bool, len(c.headings))
	alone := []int{c.handle, c.variation, c.location, c.details, c.kind, c.parent, c.id}
	for _, all := range append(slices.Collect(maps.Values(c.fields)), c.options, alone) {
		for _, i := range all {
			if i >= 0 {
				used[i] = true
			}
		}
	}
	return used
}

// ignored is Result.Ignored.
func (c *columns) ignored() []string {
	var ignored []string
	for i, used := range c.used() {
		if !used {
			ignored = append(ignored, c.headings[i])
		}
	}
	return ignored
}

// doubts are warnings about the headings: fields that may be there under a heading
// that is not known.
func (c *columns) doubts() []LineError {
	var doubts []LineError
	if c.hint != "" {
		doubts = append(doubts, LineError{c.line, c.hint, "sales have such a column; is this a list of products?"})
	}
	if len(c.fields[FieldName]) == 0 {
		doubts = append(doubts, LineError{Line: c.line, Reason: "none of the headings is that of a product's name, so that the rows can only change known products"})
	}
	for _, written := range c.ignored() {
		if strings.HasSuffix(written, "?") {
			continue
		}
		for _, t := range telling {
			if len(c.fields[t.field]) == 0 && mentions(header.Fold(written), t.parts) {
				doubts = append(doubts, LineError{c.line, written, "the column is not read; call it " + sheet.Quote(t.called) + " if that is what it holds"})
				break
			}
		}
	}
	return doubts
}

func mentions(folded string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool {
		if len(part) > 3 {
			return strings.Contains(folded, part)
		}
		return slices.Contains(strings.Fields(folded), part)
	})
}

// heading is that of a field's first column.
func (c *columns) heading(field string) string {
	if len(c.fields[field]) == 0 {
		return ""
	}
	return c.headings[c.fields[field][0]]
}

// taken is Result.Columns.
func (c *columns) taken() map[string]string {
	taken := map[string]string{}
	for field, all := range c.fields {
		var headings []string
		for _, i := range all {
			headings = append(headings, c.headings[i])
		}
		if len(headings) > 0 {
			taken[field] = strings.Join(headings, " + ")
		}
	}
	return taken
}

// matcher finds headings by their folded form.
type matcher struct {
	exact  map[string]int // the whole heading
	loose  map[string]int // without what is in brackets, and without a currency at the end
	joined map[string]int // one word, such as PRODUCTNAME
	folds  []string
}

func newMatcher(headings []string) *matcher {
	m := &matcher{map[string]int{}, map[string]int{}, map[string]int{}, make([]string, len(headings))}
	for i, written := range headings {
		if strings.HasSuffix(written, "?") {
			continue // yes or no
		}
		m.folds[i] = header.Fold(written)
		add(m.exact, m.folds[i], i)
		loose := header.Loose(written)
		add(m.loose, loose, i)
		if !strings.Contains(loose, " ") {
			add(m.joined, loose, i)
		}
	}
	return m
}

func add(to map[string]int, key string, i int) {
	if _, ok := to[key]; !ok {
		to[key] = i
	}
}

// find returns the column of the first of the words that is there, or -1. A
// heading that is one of them to the letter goes before one that is with more
// beside it.
func (m *matcher) find(words []string) int {
	for _, in := range []map[string]int{m.exact, m.loose} {
		for _, word := range words {
			if i, ok := in[word]; ok {
				return i
			}
		}
	}
	for _, word := range words {
		if i, ok := m.joined[strings.ReplaceAll(word, " ", "")]; ok {
			return i
		}
	}
	for _, word := range []string{"current quantity", "stock alert count"} {
		if slices.Contains(words, word) {
			return slices.IndexFunc(m.folds, func(f string) bool { return strings.HasPrefix(f, word+" ") })
		}
	}
	return -1
}

// alike returns, for a field that may stand in several columns, all of them:
// barcodes of several kinds, and stock by place, which is summed.
func (m *matcher) alike(field string, first int) []int {
	all := []int{first}
	for i, f := range m.folds {
		if i == first || f == "" {
			continue
		}
		switch field {
		case FieldBarcodes:
			if slices.Contains(vocabulary[FieldBarcodes], f) {
				all = append(all, i)
			}
		case FieldStock:
			if a, b := place(m.folds[first]), place(f); a != "" && a == b {
				all = append(all, i)
			}
		}
	}
	slices.Sort(all)
	return all
}

// place knows the headings that stand once for each place of a shop: "Current
// Quantity Main Street" is Square's, "In stock [Main Street]" Loyverse's.
func place(folded string) string {
	for _, begin := range []string{"current quantity ", "in stock "} {
		if strings.HasPrefix(folded, begin) {
			return begin
		}
	}
	return ""
}

// list names headings for an error, not all of them where there are many.
func list(headings []string) string {
	const most = 20
	var quoted []string
	for _, heading := range headings[:min(len(headings), most)] {
		quoted = append(quoted, sheet.Quote(heading))
	}
	text := strings.Join(quoted, ", ")
	if more := len(headings) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

package inventory

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"svc/server/header"
	"svc/server/money"
	"svc/server/sheet"
)

// columns maps the fields to the columns of a file. Columns that the file does not have
// are -1.
type columns struct {
	headings  []string
	line      int // of the headings
	fields    map[string][]int
	salesHint string // a heading that sales have, or ""

	handle    int // Shopify: identifies the product of a variant
	options   []int
	isPlain   bool // no shop's export: the options are columns such as size and colour
	variation int
	location  int // Shopify's inventory: a row for each location
	details   int // eBay: "Size=M|Colour=Red", and all the values for the group
	kind      int // WooCommerce: simple, variable, variation, grouped, …
	parent    int // WooCommerce: "id:44" or the SKU of the variable product
	id        int
}

// findColumns finds the fields by their headings. Line is the line of the headings.
func findColumns(headings []string, line int) (columns, error) {
	c := columns{headings: headings, line: line, fields: map[string][]int{}}
	m := newMatcher(headings)
	if heading := c.looksLikeSales(m); heading != "" {
		return c, c.notProducts(heading)
	}
	for field := range vocabulary {
		if field == FieldName {
			continue
		}
		if i := m.find(vocabulary[field]...); i >= 0 {
			c.fields[field] = m.allOf(field, i)
		}
	}
	c.findName(m)
	if len(c.fields[FieldName])+len(c.fields[FieldSKU])+len(c.fields[FieldBarcodes]) == 0 {
		return c, &sheet.Error{Line: line, Reason: "none of the headings is that of a product's name; the file has " + list(headings)}
	}
	c.findVariants(m)
	return c, nil
}

// looksLikeSales returns a heading that only sales have, or "". It sets salesHint.
func (c *columns) looksLikeSales(m *matcher) string {
	if i := m.find(orderWords...); i >= 0 {
		return c.headings[i]
	}
	for _, words := range hintWords {
		if i := m.find(words...); i >= 0 && c.salesHint != "" {
			return c.headings[i]
		} else if i >= 0 {
			c.salesHint = c.headings[i]
		}
	}
	return ""
}

// notProducts returns the error for a list of sales.
func (c *columns) notProducts(heading string) error {
	return &sheet.Error{Line: c.line, Reason: fmt.Sprintf("the heading %s is that of orders or sales; import a list of products", sheet.Quote(heading))}
}

// findName finds the name by its own headings, else by article and description, whose
// meaning depends on the other columns.
func (c *columns) findName(m *matcher) {
	choices := [][]string{vocabulary[FieldName], articles, descriptions}
	if len(c.fields[FieldSKU]) == 0 {
		choices = [][]string{vocabulary[FieldName], descriptions, articles}
	}
	for _, choice := range choices {
		if i := m.find(choice...); i >= 0 {
			c.fields[FieldName] = []int{i}
			break
		}
	}
	for _, choice := range [][]string{articles, numbersLast} {
		if i := m.find(choice...); i >= 0 && len(c.fields[FieldSKU]) == 0 && !slices.Contains(c.fields[FieldName], i) {
			c.fields[FieldSKU] = []int{i}
		}
	}
}

func (c *columns) findVariants(m *matcher) {
	c.handle, c.variation, c.details = m.find(handles...), m.find(variations...), m.find("variation details")
	c.kind, c.parent, c.id, c.location = -1, -1, -1, -1
	if c.handle >= 0 && len(c.fields[FieldStock]) > 0 {
		c.location = m.find(locations...)
	}
	choices := options
	if m.find("regular price") >= 0 && m.find("type") >= 0 {
		c.kind, c.parent, c.id = m.find("type"), m.find("parent"), m.find("id")
		choices = attributes
		c.fields[FieldCategory] = slices.DeleteFunc(c.fields[FieldCategory], func(i int) bool { return i == c.kind })
	}
	for _, choice := range choices {
		if i := m.find(choice...); i >= 0 {
			c.options = append(c.options, i)
		}
	}
	if isShops := c.handle >= 0 || c.kind >= 0 || c.variation >= 0 || c.details >= 0 || len(c.options) > 0; !isShops {
		c.isPlain = true
		for _, word := range plainOptions {
			if i := m.find(word); i >= 0 && !slices.Contains(c.options, i) {
				c.options = append(c.options, i)
			}
		}
		slices.Sort(c.options)
	}
}

// ignored returns Result.Ignored: the headings of the columns that are not read.
func (c *columns) ignored() []string {
	used := slices.Concat(slices.Collect(maps.Values(c.fields))...)
	used = append(used, c.options...)
	used = append(used, c.handle, c.variation, c.location, c.details, c.kind, c.parent, c.id)
	var ignored []string
	for i, heading := range c.headings {
		if !slices.Contains(used, i) {
			ignored = append(ignored, heading)
		}
	}
	return ignored
}

// warnings returns warnings about the headings, such as unknown headings that may be
// those of a field.
func (c *columns) warnings() []LineError {
	var all []LineError
	if c.salesHint != "" {
		all = append(all, LineError{"", c.line, c.salesHint, "sales have such a column; is this a list of products?"})
	}
	if len(c.fields[FieldName]) == 0 {
		all = append(all, LineError{Line: c.line, Reason: "none of the headings is that of a product's name, so that the rows can only change known products"})
	}
	for _, written := range c.ignored() {
		if strings.HasSuffix(written, "?") {
			continue
		}
		for _, hint := range fieldHints {
			if len(c.fields[hint.field]) == 0 && mentions(header.Fold(written), hint.parts) {
				all = append(all, LineError{"", c.line, written, "the column is not read; call it " + sheet.Quote(hint.called) + " if that is what it holds"})
				break
			}
		}
	}
	return all
}

// foreign returns warnings about headings of prices that name another currency, like "Price (€)"
// and "price_usd".
func (c *columns) foreign(currency string) (all []LineError) {
	for _, field := range []string{FieldPrice, FieldCost} {
		for _, i := range c.fields[field] {
			if money.Foreign(header.Currency(c.headings[i]), currency) != "" {
				all = append(all, LineError{"", c.line, c.headings[i], "the prices are taken for " + strings.ToUpper(currency) + ", whatever the heading says; nothing is converted"})
			}
		}
	}
	return all
}

// mentions reports whether a heading has one of the parts, of which short ones must be
// whole words.
func mentions(folded string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool {
		if len(part) > 3 {
			return strings.Contains(folded, part)
		}
		return slices.Contains(strings.Fields(folded), part)
	})
}

// heading returns the heading of a field's first column, or "".
func (c *columns) heading(field string) string {
	if len(c.fields[field]) == 0 {
		return ""
	}
	return c.headings[c.fields[field][0]]
}

// byField returns Result.Columns.
func (c *columns) byField() map[string]string {
	byField := map[string]string{}
	for field, all := range c.fields {
		var headings []string
		for _, i := range all {
			headings = append(headings, c.headings[i])
		}
		if len(headings) > 0 {
			byField[field] = strings.Join(headings, " + ")
		}
	}
	return byField
}

// matcher finds headings by their normalized form.
type matcher struct {
	exact  map[string]int // by header.Fold
	loose  map[string]int // by header.Loose
	joined map[string]int // by header.Loose if it is one word, such as PRODUCTNAME
	folds  []string       // header.Fold of each heading; "" for questions
}

func newMatcher(headings []string) *matcher {
	m := &matcher{map[string]int{}, map[string]int{}, map[string]int{}, make([]string, len(headings))}
	for i, written := range headings {
		if strings.HasSuffix(written, "?") {
			continue // a question such as "In stock?", whose cells are yes or no
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

// find returns the column of the first of the words that a heading matches, or -1. Exact
// matches come before loose ones.
func (m *matcher) find(words ...string) int {
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

// allOf returns all columns of a field whose first column is known: barcodes of several
// kinds, and stock by location, which is summed up. Other fields have one column.
func (m *matcher) allOf(field string, first int) []int {
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
			if a, b := locationPrefix(m.folds[first]), locationPrefix(f); a != "" && a == b {
				all = append(all, i)
			}
		}
	}
	slices.Sort(all)
	return all
}

// locationPrefix returns the prefix of headings that occur once for each location of a
// shop, or "": "Current Quantity Main Street" (Square), "In stock [Main Street]"
// (Loyverse).
func locationPrefix(folded string) string {
	for _, prefix := range []string{"current quantity ", "in stock "} {
		if strings.HasPrefix(folded, prefix) {
			return prefix
		}
	}
	return ""
}

// list returns the first 20 headings, quoted, for an error.
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

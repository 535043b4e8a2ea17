package read

import (
	"slices"
	"strconv"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// abroadWords are said of other countries than the shop's own.
var abroadWords = []string{"abroad", "overseas", "international", "internationally", "foreign"}

// mostCountries bounds the countries that a shop sells to.
const mostCountries = 250

// findAbroad adds the condition of other countries than that of most rows, which is taken for the shop's own: orders
// that went abroad. A value or a heading of the same word comes first.
func (c *chart) findAbroad() {
	country, ok := c.x.source.ByRole(schema.Country)
	if n := len(country.Values); !ok || n < 2 || n > mostCountries || c.x.source.Kind == schema.Stocklist || c.x.source.Kind == schema.Purchases {
		return
	}
	for i, t := range c.tokens {
		isNamed := slices.ContainsFunc(c.mentions, func(m link.Mention) bool {
			return (m.Kind == link.Value || m.Kind == link.Column) && m.How != link.Corrected && m.From <= i && i < m.To
		})
		if slices.Contains(abroadWords, t.Text) && !isNamed {
			f := plan.Filter{Column: country.Heading, Op: plan.In, Values: country.Values[1:]}
			c.add(i, i+1, valueCat, costFlag, sketch{where: []cond{{span: span{i, i + 1}, Filter: f, role: schema.Country, guessed: true, text: t.Raw}}})
		}
	}
}

// termsColumn returns the column of the days in which customers have to pay, or nil.
func (x *lexicon) termsColumn() *schema.Column {
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool {
		return (c.Type == schema.Number || c.Type == schema.Text) && hasWord(c.Heading, "terms", "term") && c.Role == schema.None
	})
	if i < 0 {
		return nil
	}
	return &x.source.Columns[i]
}

// findTerms adds the condition of the days in which somebody has to pay: who is on 60 days, those with 30 day terms.
func (c *chart) findTerms() {
	terms := c.x.termsColumn()
	for i := 0; terms != nil && i+1 < len(c.tokens); i++ {
		days, err := strconv.Atoi(c.tokens[i].Text)
		isDays := slices.Contains([]string{"day", "days"}, c.tokens[i+1].Text)
		isOn := i > 0 && c.tokens[i-1].Text == "on"
		isNamed := i+2 < len(c.tokens) && slices.Contains([]string{"terms", "account", "credit"}, c.tokens[i+2].Text)
		if err != nil || !isDays || !isOn && !isNamed {
			continue
		}
		from, to := i, i+2
		if isNamed {
			to++
		}
		if isOn {
			from--
		}
		values := []string{strconv.Itoa(days)}
		if terms.Type == schema.Text {
			values, _ = cut(terms.Values, func(v string) bool {
				return slices.Contains(strings.FieldsFunc(v, func(r rune) bool { return r < '0' || r > '9' }), strconv.Itoa(days))
			})
		}
		if len(values) == 0 {
			continue
		}
		c.dropFrom(from, to-1)
		f := plan.Filter{Column: terms.Heading, Op: plan.In, Values: values}
		c.add(from, to, valueCat, 0, sketch{where: []cond{{span: span{from, to}, Filter: f, text: c.text(from, to)}}})
	}
}

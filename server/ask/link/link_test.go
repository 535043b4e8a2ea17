package link

import (
	"fmt"
	"strings"
	"testing"

	"svc/server/schema"
)

func TestVocabularyFile(t *testing.T) {
	if err := shared().err; err != nil {
		t.Error(err)
	}
}

// bakery is a small source of sales.
var bakery = schema.Source{ID: "b", Name: "bakery", Kind: schema.Sales, Rows: 100, Columns: []schema.Column{
	{Heading: "Sold On", Type: schema.Date, Role: schema.Day},
	{Heading: "Loaf", Type: schema.Text, Role: schema.Product, Distinct: 4, Values: []string{"Rye 500 g", "Sourdough", "Baker's Dozen", "Olive Focaccia"}},
	{Heading: "ShopBranch", Type: schema.Text, Role: schema.Store, Distinct: 2, Values: []string{"Old Town", "Harbour"}},
	{Heading: "Takings (GBP)", Type: schema.Number, Scale: 2, Unit: schema.Money, Role: schema.Revenue},
	{Heading: "Bake Minutes", Type: schema.Number},
	{Heading: "Pre-ordered", Type: schema.Truth},
}}

func mentions(t testing.TB, x *Lexicon, question string) []string {
	t.Helper()
	ms, err := x.Mentions(t.Context(), Tokenize(question))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range ms {
		s := fmt.Sprintf("%s:%s", m.Text, m.Kind)
		if m.Column != nil {
			s += ":" + m.Column.Heading
		}
		if len(m.Values) > 0 {
			s += ":" + strings.Join(m.Values, "|")
		}
		out = append(out, s)
	}
	return out
}

func TestPrint(t *testing.T) {
	x := New(bakery)
	for _, q := range []string{"what's the average takings per branch", "how many baker's dozen did we sell in the old town", "bake minutes of rye 500 g over 30 days", "harbour loaves with takings over twenty five quid or 2 million", "didn't the customers' footfall rise 5% please"} {
		t.Log(q, strings.Join(mentions(t, x, q), "\n  "))
	}
}

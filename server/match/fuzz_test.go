package match

import (
	"math"
	"testing"
)

// seeds are names that may break a parser.
var seeds = []string{
	"", " ", "\x00", "\xff\xfe", "🍫", "👩\u200d🍳", "e\u0301", "\u0301", "ﷺ", "İ", "ß", "ﬃ", "½", "1½ l", "٣٫٥ kg",
	"6 x 330 ml", "x6", "x", "6 x", "1/2", "1/0 l", "1 1/2", "pack of", "pack of 6", "twin pack", "0 g", "1e9 g",
	"12 fl", "12 fl.", "12 fl. oz.", "2%", "%", `52"`, `"`, "'", "it's", "-", "--", "a-1", "1-a", "kx-tg4323b", "010-10747-03",
	"1,000.5", "1.000,5", "1,2,3", "1.2.3", ".5", ".", "<b>", "<", "</", "&lt;b&gt;", "&#x1F36B;", "&", "v10", "v", "10.0", "10.",
	"\u202eabc", "a\u200bb", "coca cola 330ml", "cushtop", "cush top", "aaaaaaaaaa", "aaaaaaaaab", "oz 12 oz 355 ml", "語語語語", "が",
}

func FuzzSimilarity(f *testing.F) {
	for i, a := range seeds {
		f.Add(a, seeds[(i*7+3)%len(seeds)])
		f.Add(a+" "+seeds[(i*5+1)%len(seeds)], a)
	}
	f.Add("\xff -@ -00bbbbbbbb -0-1 -0 -0\xff100\xff10-1 -0000", ".100000-<000000") // the same text with and without a model number
	f.Fuzz(func(t *testing.T, a, b string) {
		there, back := Similarity(a, b), Similarity(b, a)
		if math.IsNaN(there) || there < 0 || there > 1 || math.Abs(there-back) > 1e-9 {
			t.Errorf("Similarity(%q, %q) = %v, and %v with the names exchanged", a, b, there, back)
		}
		if same := Similarity(a, a); a != "" && same != 1 {
			t.Errorf("Similarity(%q) with itself = %v, want 1", a, same)
		}
	})
}

func FuzzFind(f *testing.F) {
	for i, a := range seeds {
		f.Add(a, seeds[(i*7+3)%len(seeds)])
	}
	f.Fuzz(func(t *testing.T, query, name string) {
		x := shop(grocery...)
		x.Put(Item{ID: "new", Name: name, SKU: query, Aliases: []string{query, name}})
		hit, ok := x.Find(query)
		candidates := x.Explain(query, 3)
		if accepted := len(candidates) > 0 && candidates[0].Accepted; accepted != ok {
			t.Errorf("Find(%q) = %v, %v, but Explain returns %v", query, hit, ok, candidates)
		}
		x.Remove("new")
		if len(x.skus)+len(x.aliases) != 0 {
			t.Errorf("codes of %q, %q are left after Remove", name, query)
		}
		if _, ok := x.Find(query); ok && hit.ID != "new" && hit.How != ByName {
			t.Errorf("Find(%q) = %v after Remove", query, hit)
		}
	})
}

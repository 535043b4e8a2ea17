package match

import (
	"math"
	"testing"
)

func word(text string, common bool) *term {
	return &term{text: text, class: classify(text), common: common}
}

func TestWordSimilarity(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want float64
	}{
		{"coffee", "coffee", 1},
		{"bagel", "bagels", plural},
		{"tomato", "tomatoes", plural},
		{"battery", "batteries", plural},
		{"coffee", "cofee", doubled},
		{"coffee", "cofefe", 0.9}, // two letters swapped
		{"coffee", "coffeee", 0.9},
		{"coffee", "coffxe", 0.9},
		{"chocolate", "chcolatte", 0.8},
		{"chocolate", "chxcxlxte", 0},
		{"kröte", "krate", 0.9},
		{"чёрный", "чорный", 0.9},
		{"coffee", "toffee", 0}, // people rarely mistype the first letter
		{"mint", "mind", 0},
		{"salt", "sald", 0},
		{"chips", "chip", plural},
		{"humus", "hummus", doubled},
		{"mayonaise", "mayonnaise", doubled},
		{"loser", "looser", 0.9},
		{"choc", "chocolate", abbreviated},
		{"or", "organic", 0},
		{"milk", "milks", plural},
		{"lemon", "lemonade", abbreviated},
		{"2007", "2008", 0},
		{"cs3", "cs4", 0},
		{"dmctz5", "dmctz4", 0},
		{"fs105", "fs105na", variant},
		{"fs105", "fs1051", 0},
		{"fs10", "fs105", 0},
		{"ln52a750a", "ln52a750b", sibling},
		{"ln52a750", "ln52a650", 0},
		{"12345", "123456", 0},
		{"lcscst", "lcscsj", 0}, // a code, which has no typos
		{"vmpl3b", "vmpl50b", 0},
		{"", "a", 0},
	} {
		for _, got := range []float64{wordSimilarity(word(test.a, false), word(test.b, false)), wordSimilarity(word(test.b, false), word(test.a, false))} {
			if math.Abs(got-test.want) > 1e-9 {
				t.Errorf("wordSimilarity(%s, %s) = %v, want %v", test.a, test.b, got, test.want)
			}
		}
	}
	if got := wordSimilarity(word("coffee", true), word("coffeo", true)); got != 0.9*bothCommon {
		t.Errorf("similarity of two common words = %v, want %v", got, 0.9*bothCommon)
	}
	if got := wordSimilarity(word("coffee", true), word("coffeo", false)); got != 0.9 {
		t.Errorf("similarity of a common word and its typo = %v, want 0.9", got)
	}
}

func TestSimilarityDecreasesWithDifferences(t *testing.T) {
	t.Parallel()
	// Each name is less similar to the first than the one before.
	for _, names := range [][]string{
		{"Jacobs Ground Coffee 500g", "JACOBS ground coffee 0.5 kg", "Ground Coffee Jacobs 500 g", "Jacobs Grund Coffee", "Jacobs Coffee", "Jacobs Ground Coffee 250 g", "Jacobs Tea"},
		{"Sony camera DSC-W150", "sony camera dscw150", "Sony camera", "Sony camera DSC-W170"},
		{"Cushtop Sleeve", "cushtop sleeve", "cush top sleeve", "sleeve", "pillow"},
		{"Office 2007", "office 2007", "office", "Office 2010"},
	} {
		last := 2.0
		for i, n := range names {
			s := Similarity(names[0], n)
			if s > last || i > 1 && s == last {
				t.Errorf("Similarity(%q, %q) = %.3f, want less than that of %q, %.3f", n, names[0], s, names[i-1], last)
			}
			if same := i < 2; same != (s == 1) {
				t.Errorf("Similarity(%q, %q) = %v, want 1 for the first two names only", names[0], n, s)
			}
			last = s
		}
	}
}

// A different number lowers the score more than a different word, though its weight is
// less.
func TestSimilarityDependsOnNumbersMost(t *testing.T) {
	t.Parallel()
	numbers, words := Similarity("Office Home 2007", "Office Home 2010"), Similarity("Office Home alpha", "Office Home beta")
	if numbers >= words {
		t.Errorf("different numbers: %v, different words: %v, want less", numbers, words)
	}
}

func TestSimilarityOfNamesWithoutWords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want float64
	}{
		{"", "", 0}, {"", "tea", 0}, {"tea", "", 0}, {"tea", "500 g", 0}, {"🍫", "🍫", 1}, {"🍫", "🥛", 0}, {"🍫", "tea", 0},
		{" ", " ", 1}, {"500 g", "0.5 kg", 1}, {"500 g", "1 kg", 0}, {"tea", "coffee", 0}, {"x 1", "x 1", 1},
	} {
		if got := Similarity(test.a, test.b); got != test.want {
			t.Errorf("Similarity(%q, %q) = %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

// Words that many names of the inventory have weigh less.
func TestSimilarityUsesInventoryWeights(t *testing.T) {
	t.Parallel()
	var items []Item
	for i := range 400 {
		items = append(items, Item{ID: id(i), Name: "Acme " + inventoryNames[i].Name})
	}
	x := New(items)
	if with, without := x.Similarity("Acme", "Acme Anvil"), Similarity("Acme", "Acme Anvil"); with >= without {
		t.Errorf("similarity by a word of all names = %v, want less than without the inventory, %v", with, without)
	}
	misspelled, right := "Acmee "+inventoryNames[3].Name+" zesty", items[3].Name
	if there, back := x.Similarity(misspelled, right), x.Similarity(right, misspelled); math.Abs(there-back) > 1e-9 {
		t.Errorf("with a typo in a common word: %v, and %v with the names exchanged, want the same", there, back)
	}
	hit, ok := x.Find("acme " + inventoryNames[7].Name + " zesty")
	if !ok || hit.Score != x.Similarity("acme "+inventoryNames[7].Name+" zesty", items[7].Name) {
		t.Errorf("Find = %v, %v, want the score of Similarity, %v", hit, ok, x.Similarity("acme "+inventoryNames[7].Name+" zesty", items[7].Name))
	}
}

var inventoryNames = inventory(400)

// A number that many names have is a standard, and names with other model numbers besides
// are other products.
func TestCommonNumberIsNoModel(t *testing.T) {
	t.Parallel()
	const name, other = "Lumo RS232 serial adapter ZX5519", "Lumo RS232 serial adapter QY7720"
	names := []string{other, "Kraken plotter", "Kraken modem", "Kraken scanner", "Kraken scale"}
	few := shop(names...).Similarity(name, other)
	for i := range names[1:] {
		names[i+1] += " RS232"
	}
	if many := shop(names...).Similarity(name, other); many > 0.6*few {
		t.Errorf("similarity is %.2f if five names have the number, and %.2f if one has, want much less", many, few)
	}
}

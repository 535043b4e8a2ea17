package match

import (
	"math"
	"testing"
)

func word(text string, common bool) *term {
	return &term{text: text, class: classify(text), common: common}
}

func TestAlike(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want float64
	}{
		{"coffee", "coffee", 1},
		{"bagel", "bagels", plural},
		{"tomato", "tomatoes", plural},
		{"coffee", "cofee", 0.9},
		{"coffee", "cofefe", 0.9}, // a swap
		{"coffee", "coffeee", 0.9},
		{"coffee", "coffxe", 0.9},
		{"chocolate", "chcolatte", 0.8},
		{"chocolate", "chxcxlxte", 0},
		{"kröte", "krate", 0.9},
		{"чёрный", "чорный", 0.9},
		{"coffee", "toffee", 0}, // hardly anybody mistypes the first letter
		{"mint", "mind", 0},
		{"salt", "sald", 0},
		{"chips", "chip", plural},
		{"choc", "chocolate", shortcut},
		{"or", "organic", 0},
		{"milk", "milks", plural},
		{"lemon", "lemonade", shortcut},
		{"2007", "2008", 0},
		{"cs3", "cs4", 0},
		{"dmctz5", "dmctz4", 0},
		{"fs105", "fs105na", variant},
		{"fs105", "fs1051", 0},
		{"fs10", "fs105", 0},
		{"ln52a750a", "ln52a750b", cousin},
		{"ln52a750", "ln52a650", 0},
		{"12345", "123456", 0},
		{"lcscst", "lcscsj", 0}, // no word at all: no slip of the pen
		{"vmpl3b", "vmpl50b", 0},
		{"", "a", 0},
	} {
		for _, got := range []float64{alike(word(test.a, false), word(test.b, false)), alike(word(test.b, false), word(test.a, false))} {
			if math.Abs(got-test.want) > 1e-9 {
				t.Errorf("alike(%s, %s) = %v, want %v", test.a, test.b, got, test.want)
			}
		}
	}
	if got := alike(word("coffee", true), word("cofee", true)); got != 0.9*doubt {
		t.Errorf("two common words are alike by %v", got)
	}
	if got := alike(word("coffee", true), word("cofee", false)); got != 0.9 {
		t.Errorf("a common word and its slip are alike by %v", got)
	}
}

func TestSimilarityOrder(t *testing.T) {
	// Each name is less like the first than the one before.
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
				t.Errorf("%q is as much like %q (%.3f) as %q (%.3f)", n, names[0], s, names[i-1], last)
			}
			if same := i < 2; same != (s == 1) {
				t.Errorf("Similarity(%q, %q) = %v", names[0], n, s)
			}
			last = s
		}
	}
}

// Another number says more than another word, though it weighs less.
func TestSimilarityOfNumbers(t *testing.T) {
	numbers, words := Similarity("Office Home 2007", "Office Home 2010"), Similarity("Office Home alpha", "Office Home beta")
	if numbers >= words {
		t.Errorf("other numbers make %v, other words %v", numbers, words)
	}
}

func TestSimilarityOfNothing(t *testing.T) {
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

// An inventory knows which of its words say little.
func TestSimilarityOfAnInventory(t *testing.T) {
	var items []Item
	for i := range 400 {
		items = append(items, Item{ID: id(i), Name: "Acme " + inventoryNames[i].Name})
	}
	x := New(items)
	if with, without := x.Similarity("Acme", "Acme Anvil"), Similarity("Acme", "Acme Anvil"); with >= without {
		t.Errorf("a word of all names makes %v, without the inventory %v", with, without)
	}
	slip, right := "Acmee "+inventoryNames[3].Name+" deluxe", items[3].Name
	if there, back := x.Similarity(slip, right), x.Similarity(right, slip); math.Abs(there-back) > 1e-9 {
		t.Errorf("a slip in a common word makes %v, and %v the other way", there, back)
	}
	hit, ok := x.Find("acme " + inventoryNames[7].Name + " deluxe")
	if !ok || hit.Score != x.Similarity("acme "+inventoryNames[7].Name+" deluxe", items[7].Name) {
		t.Errorf("Find scores %v, %v, Similarity %v", hit, ok, x.Similarity("acme "+inventoryNames[7].Name+" deluxe", items[7].Name))
	}
}

var inventoryNames = inventory(400)

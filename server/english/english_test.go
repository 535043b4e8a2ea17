package english_test

import (
	"testing"

	"svc/server/english"
)

func TestLemma(t *testing.T) {
	for word, want := range map[string]string{
		"sold": "sell", "customers": "customer", "was": "be", "games": "game", "his": "his", "goods": "good",
		"cappuccinos": "cappuccino", "espressos": "espresso", "brushes": "brush", "pastries": "pastry", "qty": "qty",
		"glass": "glass", "status": "status", "zzkits": "zzkit",
	} {
		if got := english.Lemma(word); got != want {
			t.Errorf("Lemma(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestRankFallsWithFrequency(t *testing.T) {
	if english.Rank("the") != 1 || english.Rank("sales") == 0 || english.Rank("the") > english.Rank("sales") {
		t.Errorf("Rank(the) = %d, Rank(sales) = %d, want 1 and a higher one", english.Rank("the"), english.Rank("sales"))
	}
	if got := english.Rank("frangipane-tart"); got != 0 {
		t.Errorf("Rank of an unknown word = %d, want 0", got)
	}
}

func TestIsNoun(t *testing.T) {
	for word, want := range map[string]bool{"employee": true, "weather": true, "retrieve": false, "gone": false, "actually": false, "zzkit": false} {
		if got := english.IsNoun(word); got != want {
			t.Errorf("IsNoun(%q) = %t, want %t", word, got, want)
		}
	}
}

func TestSimilarity(t *testing.T) {
	near := [][2]string{{"shoppers", "customers"}, {"women", "female"}, {"earnings", "profit"}}
	for _, pair := range near {
		far := english.Similarity(pair[0], "weather")
		if got := english.Similarity(pair[0], pair[1]); got < 0.6 || got <= far {
			t.Errorf("Similarity(%q, %q) = %.2f, want at least 0.6 and more than with weather (%.2f)", pair[0], pair[1], got, far)
		}
	}
	if got := english.Similarity("shoppers", "zzkit"); got != 0 {
		t.Errorf("Similarity with an unknown word = %.2f, want 0", got)
	}
}

func TestIsA(t *testing.T) {
	for _, pair := range [][2]string{{"latte", "drink"}, {"lamb", "meat"}, {"hammer", "tool"}, {"rental", english.Event}, {"subscriber", english.Person}} {
		if !english.IsA(pair[0], pair[1]) {
			t.Errorf("IsA(%q, %q) is false", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{"drink", "latte"}, {"latte", "cake"}, {"latte", "umbrella"}, {"chair", "tool"}, {"zzkit", "tool"}} {
		if english.IsA(pair[0], pair[1]) {
			t.Errorf("IsA(%q, %q) is true", pair[0], pair[1])
		}
	}
	if !english.IsPerson("people") || english.IsPerson("umbrella") {
		t.Errorf("IsPerson(people) = %t, IsPerson(umbrella) = %t", english.IsPerson("people"), english.IsPerson("umbrella"))
	}
}

func TestIsSuperlative(t *testing.T) {
	for word, want := range map[string]bool{
		"fattest": true, "slimmest": true, "cleanest": true, "newest": true, "safest": true, "hungriest": true,
		"busyest": false, "bigest": false, "hungryest": false, "harvest": false,
	} {
		if got := english.IsSuperlative(word); got != want {
			t.Errorf("IsSuperlative(%q) = %t, want %t", word, got, want)
		}
	}
}

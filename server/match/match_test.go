package match

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

// shop returns an inventory of items with these names; their ids are id(0), id(1), …
func shop(names ...string) *Index {
	items := make([]Item, len(names))
	for i, n := range names {
		items[i] = Item{ID: id(i), Name: n}
	}
	return New(items)
}

func id(i int) string { return fmt.Sprintf("item_%03d", i) }

// expectFind checks that Find returns the item want, or none if want is "".
func expectFind(t *testing.T, x *Index, name, want string) {
	t.Helper()
	hit, ok := x.Find(name)
	if ok != (want != "") || hit.ID != want {
		t.Errorf("Find(%.80q) = %q, %v, want %q\n%s", name, hit.ID, ok, want, explained(x, name))
	}
}

func explained(x *Index, name string) string {
	var b strings.Builder
	for _, c := range x.Explain(name, 3) {
		fmt.Fprintf(&b, "\t%.2f %s %.60q: %s\n", c.Score, c.ID, c.Name, c.Reason)
	}
	return b.String()
}

// grocery has items that differ from others by one word or one size.
var grocery = []string{
	0:  "Coca-Cola 330ml",
	1:  "Coca-Cola Zero 330ml",
	2:  "Coca-Cola 1.5 l",
	3:  "Coca-Cola 6 x 330 ml",
	4:  "Jacobs Krönung Ground Coffee 500g",
	5:  "Ground Coffee 250g",
	6:  "Organic Whole Milk 1 l",
	7:  "Whole Milk 1l",
	8:  "Milk Chocolate 100 g",
	9:  "Chocolate Milk 250 ml",
	10: "Greek Yogurt Strawberry 150 g",
	11: "Greek Yogurt Blueberry 150 g",
	12: "Belkin F8N044-SLV Cushtop Notebook Sleeve",
	13: "Sony Cyber-shot Digital Camera DSC-W150 Silver",
	14: "Heinz Tomato Ketchup 570 g",
	15: "Basmati Rice",
	16: "Brown Rice Crackers",
	17: "Large Free Range Eggs 12ct",
	18: "Crème fraîche 200 g",
	19: "Straße & Söhne Müsli 1/2 kg",
}

func TestFindReturnsTheItem(t *testing.T) {
	t.Parallel()
	x := shop(grocery...)
	for _, test := range []struct {
		outcome, name string
		want          int
	}{
		{"SameName", "Coca-Cola 330ml", 0},
		{"CaseAndSpaces", "  COCA   COLA 330 ML ", 0},
		{"OtherUnit", "coca cola 0,33 l", 0},
		{"OneMoreWordThatIsAnother", "Coca-Cola Zero 330 ml", 1},
		{"OtherSize", "Coca-Cola 1500ml", 2},
		{"Pack", "Coca Cola 6x330ml", 3},
		{"PackBehind", "Coca Cola 330 ml x 6", 3},
		{"PackInWords", "Coca Cola 33 cl (pack of 6)", 3},
		{"OtherOrder", "ground coffee krönung jacobs 500 g", 4},
		{"NoAccents", "Jacobs Kronung ground coffee 500g", 4},
		{"Typo", "Jacobs Kronung grond cofee 500g", 4},
		{"NoSize", "Jacobs Krönung Ground Coffee", 4},
		{"MissingWord", "Jacobs Ground Coffee 500g", 4},
		{"Ounces", "Ground Coffee 8.8 oz", 5},
		{"ExactBeforeLonger", "Whole Milk 1 l", 7},
		{"Longer", "organic whole milk 1l", 6},
		{"OrderTellsApart", "milk chocolate", 8},
		{"SizesTellApart", "milk chocolate 250ml", 9},
		{"Flavour", "strawberry greek yogurt", 10},
		{"Abbreviation", "greek yog blueberry 150g", 11},
		{"ModelNumber", "Belkin notebook sleeve f8n044slv", 12},
		{"WordsApart", "belkin cush top notebook sleeve f8n044slv", 12},
		{"ModelNumberWithPraise", "sony dscw150 compact camera", 13},
		{"MakerWhomTheShopDoesNotMention", "Lavazza Ground Coffee 250 g", 5},
		{"Praise", "Heinz Tomato Ketchup new bottle", 14},
		{"Plural", "large free range egg", 17},
		{"Dozen", "Large Free Range Eggs 1 dozen", 17},
		{"Ligature", "creme fraiche 200g", 18},
		{"SharpS", "STRASSE und SOHNE MUSLI 500 g", 19},
		{"Fraction", "Straße Söhne Müsli ½ kg", 19},
		{"Markup", "<b>Basmati</b>&nbsp;Rice", 15},
		{"ZeroWidth", "Bas\u200bmati\u00ad R\u2060ice\ufeff", 15},
		{"FullWidth", "ＢＡＳＭＡＴＩ　ＲＩＣＥ", 15},
	} {
		t.Run(test.outcome, func(t *testing.T) { expectFind(t, x, test.name, id(test.want)) })
	}
}

func TestFindReturnsNothingIfUnsure(t *testing.T) {
	t.Parallel()
	x := shop(grocery...)
	for outcome, name := range map[string]string{
		"Empty":             "",
		"Blank":             " \t\n",
		"EmojiOnly":         "🍫🥛",
		"SignsOnly":         `!?"%'-./`,
		"DigitsOnly":        "330",
		"SizeOnly":          "330 ml",
		"UnitsOnly":         "ml g kg oz",
		"BrandOnly":         "Coca-Cola",
		"Generic":           "coffee",
		"GenericOfMany":     "milk",
		"BrandOfOne":        "Heinz",
		"OtherSize":         "Coca-Cola 2 l",
		"OtherPack":         "Coca-Cola 12 x 330 ml",
		"SameInAll":         "Coca-Cola 1.98 l",
		"NoSuchSizeOfOne":   "Heinz Tomato Ketchup 1 kg",
		"OtherFlavour":      "Greek Yogurt Raspberry 150 g",
		"MakerAndNoSize":    "Lavazza Ground Coffee",
		"WordOfAnotherItem": "Organic Ground Coffee 250g",
		"OtherModelNumber":  "Belkin F8N045-SLV Cushtop Notebook Sleeve",
		"OtherColour":       "Sony Cyber-shot Digital Camera DSC-W150 Black",
		"OneWordOfTwo":      "Jasmine Rice",
		"HeadOnly":          "Rice",
		"Unknown":           "Garden hose",
		"Neighbour":         "Coffee Toffee Ice",
		"RightToLeft":       "\u202eeciR itamsaB",
		"OtherScript":       "أرز بسمتي",
		"Stutter":           strings.Repeat("coca ", 1000),
		"Huge":              strings.Repeat("x", 100_000),
		"HugeWords":         strings.Repeat("Greek Yogurt Mango ", 5000),
		"NotUTF8":           "\xff\xfe\x80",
		"NUL":               "\x00\x00",
	} {
		t.Run(outcome, func(t *testing.T) { expectFind(t, x, name, "") })
	}
}

func TestFindRefusesDuplicates(t *testing.T) {
	t.Parallel()
	x := shop("Basmati Rice 1 kg", "basmati rice 1000g", "Basmati Rice 2 kg", "Chocolate Milk", "Milk Chocolate", "Milk Chocolate Dark")
	expectFind(t, x, "Basmati Rice 1 kg", "")
	expectFind(t, x, "Basmati Rice", "")
	expectFind(t, x, "Basmati Rice 2kg", id(2))
	expectFind(t, x, "Chocolate Milk", id(3))
	expectFind(t, x, "Milk Chocolate", id(4))
	expectFind(t, x, "Dark Milk Chocolate", id(5))
	expectFind(t, x, "Milky Chocolate", "") // one typo from two items

	x.Remove(id(1))
	expectFind(t, x, "Basmati Rice 1 kg", id(0))
}

func TestFindUsesWordsOfTheInventory(t *testing.T) {
	t.Parallel()
	// Melon is in the name of a similar item, original is not.
	x := shop("Fritz Kola 330 ml", "Fritz Limo Melon 330 ml", "Original Pancake Mix")
	expectFind(t, x, "Fritz Kola Melon", "")
	expectFind(t, x, "Fritz Kola original taste 330 ml", "")
	expectFind(t, x, "The Fritz Kola original bottle 330 ml", "")

	x = shop("Fritz Kola Lemon Ginger 330 ml", "Fritz Limo Melon 330 ml", "Original Pancake Mix")
	expectFind(t, x, "Fritz Kola Lemon Ginger Melon", "")
	if got := x.Explain("Fritz Kola Lemon Ginger Melon", 1)[0].Reason; got != `has no "melon", as others have` {
		t.Errorf("got reason %q", got)
	}
	expectFind(t, x, "Fritz Kola Lemon Ginger original", id(0))
	expectFind(t, x, "Fritz Kola Lemon Ginger yummy", id(0))
}

func TestFindPrefersSKUThenAliasThenName(t *testing.T) {
	t.Parallel()
	x := New([]Item{
		{ID: "b", Name: "Latte", SKU: "4006381333931"},
		{ID: "c", Name: "Mocha", SKU: "CUP-7", Aliases: []string{"4006381333931", "Flat White"}},
		{ID: "d", Name: "Flat White", Aliases: []string{"Cup 7"}},
	})
	want := func(name, id string, how How) {
		t.Helper()
		hit, ok := x.Find(name)
		if !ok || hit != (Hit{id, how, 1}) {
			t.Errorf("Find(%q) = %v, %v, want %s by %s", name, hit, ok, id, how)
		}
	}
	want("4006381333931", "b", BySKU)
	x.Remove("b")
	want("4006381333931", "c", ByAlias)
	want("cup7", "c", BySKU)
	want("FLAT white", "c", ByAlias)
	x.Remove("c")
	want("cup 7", "d", ByAlias)
	want("Flat White", "d", ByName)
}

func TestFindByAlias(t *testing.T) {
	t.Parallel()
	x := New([]Item{
		{ID: "a", Name: "Nescafé Gold 200 g", Aliases: []string{"Instant coffee in a jar", "Gold Blend 200g"}},
		{ID: "b", Name: "Tchibo Gold 200 g", Aliases: []string{"Instant coffee in a jar"}},
		{ID: "c", Name: "Oat drink", Aliases: []string{"", "🥛"}},
	})
	expectFind(t, x, "gold blend 0.2 kg", "a")
	expectFind(t, x, "gold blendd 200 g", "a")
	expectFind(t, x, "Instant coffee in a jar", "") // an alias of two items
	expectFind(t, x, "🥛", "")
	expectFind(t, x, "", "")
	if hit, _ := x.Find("Gold Blend 200 g"); hit.How != ByAlias {
		t.Errorf("found by %s, want by alias", hit.How)
	}
	if hit, _ := x.Find("gold blendd 200 g"); hit.How != ByName || hit.Score >= 1 {
		t.Errorf("alias with a typo: found by %s with score %v, want by name with less than 1", hit.How, hit.Score)
	}
}

// The most similar of an item's names counts, in any order.
func TestFindUsesTheBestNameOfAnItem(t *testing.T) {
	t.Parallel()
	for _, item := range []Item{
		{ID: "a", Name: "Cola 330ml", Aliases: []string{"Cola 500ml"}},
		{ID: "a", Name: "Cola 500ml", Aliases: []string{"Cola 330ml"}},
	} {
		x := New([]Item{item})
		expectFind(t, x, "cola bottle 500 ml", "a")
		expectFind(t, x, "cola bottle 330 ml", "a")
		expectFind(t, x, "cola bottle 1 l", "")
	}
}

func TestFindWordsWrittenAsOne(t *testing.T) {
	t.Parallel()
	expectFind(t, shop("Cushtop"), "cush top", id(0))
	expectFind(t, shop("Cush Top"), "cushtop", id(0))
	expectFind(t, shop("GoPro"), "go pro", id(0))
	expectFind(t, shop("Go Pro"), "gopro", id(0))
	expectFind(t, shop("Cush Top"), "top", "")
}

func TestSimilarWords(t *testing.T) {
	t.Parallel()
	x := shop("bread", "breads", "broad", "chocolate", "choc", "organic", "org", "F8N044", "F8N044-SLV", "F8N045", "2007", "2008", "кофе", "wonderful")
	for word, want := range map[string]string{
		"bread":     "bread breads broad",
		"braed":     "bread",
		"chocolate": "chocolate choc",
		"choco":     "choc chocolate",
		"org":       "org organic",
		"or":        "",
		"organic":   "organic org",
		"f8n044":    "f8n044 f8n044slv",
		"2007":      "2007",
		"коффе":     "кофе",
		"wnderfull": "wonderful",
		"zebra":     "",
	} {
		var got []string
		s := search{trigramsLeft: maxTrigramReads}
		for _, r := range x.words.similar(&term{text: word, class: classify(word)}, &s) {
			got = append(got, x.words.words[r.id].text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("words similar to %s: got %v, want %s", word, got, want)
		}
	}
}

func TestFindBySKU(t *testing.T) {
	t.Parallel()
	x := New([]Item{
		{ID: "a", Name: "Mug", SKU: "AB-12"},
		{ID: "b", Name: "Cup", SKU: "ab12"},
		{ID: "c", Name: "Plate", SKU: "X_9/Ä"},
		{ID: "d", Name: "Bowl", SKU: "BOWL"},
		{ID: "e", Name: "Soup bowl", SKU: "bowl"},
		{ID: "f", Name: "Jug", SKU: " - "},
	})
	expectFind(t, x, "ab-12", "a")
	expectFind(t, x, "AB12", "b")
	expectFind(t, x, "ab 12", "") // the SKU of two items
	expectFind(t, x, "x9a", "c")
	expectFind(t, x, "bowl", "d") // the SKU of two items, the name of one
	expectFind(t, x, "-", "")
}

func TestPutReplaces(t *testing.T) {
	t.Parallel()
	x := New([]Item{{ID: "a", Name: "Green Tea"}, {ID: "a", Name: "Black Tea", SKU: "T1", Aliases: []string{"Assam"}}})
	if x.Len() != 1 {
		t.Fatalf("Len = %d, want 1", x.Len())
	}
	expectFind(t, x, "Green Tea", "")
	for _, name := range []string{"Black Tea", "T1", "Assam"} {
		expectFind(t, x, name, "a")
	}
	x.Put(Item{ID: "a", Name: "White Tea"})
	expectFind(t, x, "White Tea", "a")
	for _, name := range []string{"Black Tea", "T1", "Assam"} {
		expectFind(t, x, name, "")
	}
	x.Remove("b")
	x.Remove("a")
	x.Remove("a")
	expectFind(t, x, "White Tea", "")
	if x.Len() != 0 {
		t.Errorf("Len = %d, want 0", x.Len())
	}
}

// An index after many changes equals a new index of the same items.
func TestChangesLeaveNoTrace(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	all := inventory(400)
	x, now := New(all[:200]), map[string]Item{}
	for _, i := range all[:200] {
		now[i.ID] = i
	}
	for range 2000 {
		i := all[r.IntN(len(all))]
		if r.IntN(2) == 0 {
			x.Remove(i.ID)
			delete(now, i.ID)
			continue
		}
		i.Name = all[r.IntN(len(all))].Name
		i.Aliases = []string{all[r.IntN(len(all))].Name}
		x.Put(i)
		now[i.ID] = i
	}
	var items []Item
	for _, i := range now {
		items = append(items, i)
	}
	fresh := New(items)
	if x.Len() != len(now) || x.nameCount() != fresh.nameCount() || len(x.words.ids) != len(fresh.words.ids) || len(x.words.trigrams) != len(fresh.words.trigrams) {
		t.Errorf("%d items, %d names, %d words, %d trigrams; a new index has %d, %d, %d, %d",
			x.Len(), x.nameCount(), len(x.words.ids), len(x.words.trigrams), len(now), fresh.nameCount(), len(fresh.words.ids), len(fresh.words.trigrams))
	}
	for _, i := range all {
		for _, name := range []string{i.Name, i.SKU, typo(r, i.Name), drop(r, i.Name)} {
			if got, want := x.Explain(name, 5), fresh.Explain(name, 5); !reflect.DeepEqual(got, want) {
				t.Fatalf("Explain(%q)\n     = %v\nnew index: %v", name, got, want)
			}
		}
	}
	for id := range now {
		x.Remove(id)
	}
	if n := len(x.items) + len(x.skus) + len(x.aliases) + len(x.words.ids) + len(x.words.trigrams) + x.nameCount(); n != 0 {
		t.Errorf("%d entries are left in an empty index", n)
	}
}

func TestConcurrentReadersAndWriters(t *testing.T) {
	t.Parallel()
	items := inventory(300)
	x := New(items)
	var readers, writers sync.WaitGroup
	done := make(chan struct{})
	for k := range 4 {
		readers.Go(func() {
			for i := k; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				item := items[i%100] // no writer changes these
				if hit, ok := x.Find(item.SKU); !ok || hit.ID != item.ID {
					t.Errorf("Find(%s) = %v, %v", item.SKU, hit, ok)
					return
				}
				x.Explain(item.Name, 3)
				x.Similarity(item.Name, items[0].Name)
				x.Len()
			}
		})
	}
	for k := range 2 {
		writers.Go(func() {
			for i := range 300 {
				item := items[100+k+2*(i%100)]
				x.Remove(item.ID)
				x.Put(item)
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
	if x.Len() != 300 {
		t.Errorf("Len = %d, want 300", x.Len())
	}
}

// The ranked candidates include the best match of a comparison with every name.
func TestSearchMissesNoBestMatch(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("nothing runs beside another here; run it without -short")
	}
	r := rand.New(rand.NewPCG(9, 9))
	items := inventory(2000)
	x := New(items)
	sides := make([]*side, len(items))
	for i := range items {
		sides[i] = x.side(parse(items[i].Name))
	}
	clone := func(s *side) *side { return &side{terms: slices.Clone(s.terms), properties: s.properties} } // compare changes weights
	var c comparer
	var s search
	for range 150 {
		query := abbreviate(r, typo(r, typo(r, drop(r, items[r.IntN(len(items))].Name))))
		left, best := x.side(parse(query)), 0.0
		for _, right := range sides {
			best = max(best, c.compare(clone(left), clone(right)).score)
		}
		if best < minScore {
			continue
		}
		found := s.run(x, parse(query))
		if len(found) == 0 || found[0].score < best-1e-9 {
			t.Errorf("%q: best score is %v, got %v", query, best, x.Explain(query, 20))
		}
		for _, got := range x.Explain(query, 20) {
			want := x.Similarity(query, got.Name)
			if !got.Accepted {
				want = beside(want, rivalScore(found, got.ID))
			}
			if math.Abs(got.Score-want) > 1e-9 {
				t.Errorf("%q: score %v of %q, want %v beside its rival", query, got.Score, got.Name, want)
			}
		}
	}
}

func TestFindIsDeterministic(t *testing.T) {
	t.Parallel()
	items := inventory(500)
	x := New(items)
	slices.Reverse(items)
	y := New(items)
	r := rand.New(rand.NewPCG(2, 2))
	for _, i := range items[:100] {
		name := drop(r, i.Name)
		if a, b := x.Explain(name, 10), y.Explain(name, 10); !reflect.DeepEqual(a, b) {
			t.Fatalf("Explain(%q)\n   = %v\n and %v", name, a, b)
		}
	}
}

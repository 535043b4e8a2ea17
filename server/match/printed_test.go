package match

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"svc/server/datatest"
)

// tills are lists of names as grocery tills print them, of items of one inventory and of
// absent ones, with how many were right before: before names were read as shortened ones,
// or at first sight; and the least share that is right, and of absent ones refused.
var tills = []struct {
	file                       string
	before                     int
	leastPrinted, leastRefused float64
}{
	{"dev", 4, 0.93, 0.96},
	{"first", 92, 0.9, 0.96},  // written from the inventory's names alone
	{"second", 90, 0.9, 0.96}, // likewise
	{"third", 41, 0.84, 0.96}, // likewise, of items drawn at random
	{"fourth", 93, 0.93, 1},   // likewise, shortened as published tables of receipt abbreviations do, and cut off
	{"fifth", 89, 0.9, 1},     // likewise
	{"sixth", 91, 0.9, 1},     // likewise
}

// TestShopTill finds names as grocery tills print them in an inventory of 600 items.
func TestShopTill(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("nothing runs beside another here; run it without -short")
	}
	var items []Item
	for _, row := range loadCSV(t, datatest.Path(t, "products/till/inventory_600.csv")) {
		items = append(items, Item{ID: row[0], Name: row[2]})
	}
	x := New(items)
	for _, till := range tills {
		present, right, wrong, absent, refused := 0, 0, 0, 0, 0
		for _, row := range loadCSV(t, datatest.Path(t, "products/till/"+till.file+".csv")) {
			hit, ok := x.Find(row[0])
			if row[1] == "" {
				absent++
			} else {
				present++
			}
			switch {
			case row[1] == "" && !ok:
				refused++
			case ok && hit.ID == row[1]:
				right++
			case ok:
				wrong++
				t.Errorf("Find(%q) = %s, want %s\n%s", row[0], hit.ID, row[1], explained(x, row[0]))
			}
		}
		t.Logf("%-6s %d of %d printed names right (before %d), %d wrong, %d of %d absent ones refused", till.file, right, present, till.before, wrong, refused, absent)
		if float64(right) < till.leastPrinted*float64(present) || float64(refused) < till.leastRefused*float64(absent) {
			t.Errorf("%s: less than promised", till.file)
		}
	}
}

// groceries has items whose names the tests shorten.
var groceries = []string{
	0:  "Golden Valley Whole Kernel Corn",
	1:  "Golden Valley Garden Peas",
	2:  "Lean Ground Pork",
	3:  "Organic Fuji Apples",
	4:  "Sparkle Liquid Laundry Detergent",
	5:  "Sparkle Glass Cleaner",
	6:  "Red Seedless Grapes",
	7:  "Organic Red Seedless Grapes",
	8:  "Green Seedless Grapes",
	9:  "Snow Peak Skimmed Milk 1 l",
	10: "Snow Peak Milk 1 l",
	11: "Diet Cherry Soda",
	12: "Chicken Noodle Soup 284 ml",
	13: "Mushroom Soup 284 ml",
	14: "Brussels Sprouts",
	15: "Blue Gel Pen",
	16: "Maple Leaf Cookies",
	17: "Vinegar & Sea Salt Crisps",
	18: "Sea Salt Crisps",
	19: "Mini Cucumbers 8 Pack",
	20: "Wonton Noodles",
	21: "Kraft Bnls Chkn Thghs",
	22: "Lemonade Drink Mix",
	23: "Beatrice 2% Milk",
	24: "Nappies Newborn Stage 3",
	25: "Bread and Butter Pickles",
	26: "Toothbrush",
	27: "Extra Firm Tofu",
	28: "Lemon Curd",
	29: "Lemon Sorbet",
	30: "Lemon Tart",
	31: "Vitamin C Drops",
	32: "Vitamin Chewable Tablets",
	33: "Black Pepper",
	34: "Peppermint Gum",
	35: "Shredded Mozarella",
	36: "Three Cheese Blend",
	37: "Chili Beans",
	38: "Organic Dried Blueberries",
	39: "Light Pork Liver",
	40: "Cinnamon",
	41: "Wint O Green Gum",
	42: "Steamed Vegetables",
}

// A shortened name does not mean a product that has what the name is without, or whose
// systems differ.
func TestFindShortenedDistinguishesProducts(t *testing.T) {
	t.Parallel()
	x := shop("Crackers with Salt without Cheese", "Lemonade with Sugar 1 l", "Photo Editor Windows XP Vista")
	expectFind(t, x, "crckrs w/ slt w/o chse", id(0))
	expectFind(t, x, "crckrs w/o slt w/ chse", "")
	expectFind(t, x, "lmnd w/ sgr 1 l", id(1))
	expectFind(t, x, "lmnd w/o sgr 1 l", "")
	expectFind(t, x, "phto edtr win xp vista", id(2))
	expectFind(t, x, "phto edtr win 10 11", "")
}

func TestFindReadsShortenedNames(t *testing.T) {
	t.Parallel()
	x := shop(groceries...)
	for outcome, test := range map[string]struct {
		name string
		want int
	}{
		"Vowels":         {"grnd prk ln", 2},
		"CutOff":         {"appl fuji or", 3},
		"TailLeftOut":    {"sparkle lq", 4},
		"Initials":       {"gv whl krnl corn", 0},
		"FewerWords":     {"grapes red sdls", 6},
		"Size":           {"soup mush 284ml", 13},
		"Glued":          {"brusselsprou", 14},
		"CutInStandard":  {"vine sea salt crisps", 17},
		"NumberOfPieces": {"mini cuke 8", 19},
		"Apart":          {"wun tun noodles", 20},
		"ItemShortened":  {"boneless chicken thighs kraft", 21},
		"BothShortened":  {"krft bnls chkn thgh", 21},
		"Percentage":     {"beatr 2% mlk", 23},
		"CutToALetter":   {"gldn vly grdn p", 1},
		"CutToAKnown":    {"dried blubry o", 38},
		"GluedShort":     {"peppermntgum", 34},
		"WordTwice":      {"sprkl spark glass cln", 5},
		"InitialsAcross": {"bb pckls", 25},
		"WholeItem":      {"tthbrsh", 26},
		"WithoutE":       {"xtra frm tofu", 27},
		"Sound":          {"chix nodl soup 284ml", 12},
		"SoundOfZ":       {"cookiez mapl lf", 16},
		"LetterTwice":    {"mozz shrd", 35},
		"AsSpoken":       {"3 chz bln", 36},
		"AndWritten":     {"bread n btr pickles", 25},
		"NumberGlued":    {"3chs blnd", 36},
		"PluralOfCut":    {"stmd vegs", 42},
		"PluralOfY":      {"drd blubry or", 38},
		"ExtraAsX":       {"tofu x frm", 27},
		"LightAsLt":      {"lt prk lvr", 39},
		"With":           {"chili w/ beans", 37},
		"GluedReverse":   {"soupmush 284ml", 13},
		"GluedApart":     {"fujiorg appl", 3},
		"GluedThree":     {"grnsdlsgrps", 8},
		"OneLetterOfTwo": {"cinamon", 40},
	} {
		t.Run(outcome, func(t *testing.T) { expectFind(t, x, test.name, id(test.want)) })
	}
	best := x.Explain("grnd prk ln", 2)
	if len(best) == 0 || !best[0].Accepted || best[0].Reason != "its words, shortened" {
		t.Errorf("got %+v", best)
	}
}

func TestFindRefusesShortenedNamesOfOthers(t *testing.T) {
	t.Parallel()
	x := shop(groceries...)
	for outcome, name := range map[string]string{
		"OtherVariety":    "chry soda",
		"AddedVariety":    "diet chry sod zero",
		"OtherColour":     "gel pen blk",
		"AmbiguousColour": "gel pen bl",
		"OtherSize":       "soup mush 500ml",
		"OtherPercentage": "beatr 1% mlk",
		"OtherPack":       "mini cuke 6pk",
		"OtherNumber":     "nappies nwbrn stage 4",
		"UnknownWord":     "gv whl krnl barley",
		"Between":         "sdls grps",
		"OneWord":         "sprkl",
		"CommonWord":      "lemon drnk mix",
		"LetterOfAKind":   "vtmn tblts c",
		"ShortWord":       "tth",
	} {
		t.Run(outcome, func(t *testing.T) { expectFind(t, x, name, "") })
	}
}

func TestAbbreviationCost(t *testing.T) {
	t.Parallel()
	var a aligner
	// Each abbreviation costs more than the one before.
	last := -1.0
	for _, test := range [][2]string{
		{"corn", "corn"}, {"apple", "apples"}, {"grnd", "ground"}, {"nat", "natural"}, {"lg", "large"}, {"wmelon", "watermelon"},
	} {
		cost := a.cost(test[0], test[1])
		if cost <= last {
			t.Errorf("cost(%s, %s) = %.2f, want more than %.2f", test[0], test[1], cost, last)
		}
		last = cost
	}
	for _, test := range [][2]string{{"", "a"}, {"a", ""}, {"beef", "bf"}, {"xf", "beef"}, {"fb", "beef"}, {"cd", "cabbagesalad"}} {
		if cost := a.cost(test[0], test[1]); !math.IsInf(cost, 1) {
			t.Errorf("cost(%s, %s) = %.2f, want infinity", test[0], test[1], cost)
		}
	}
}

// A search for a shortened name is bounded in an inventory of similar words.
func TestPrintedWorkIsBounded(t *testing.T) {
	t.Parallel()
	items := make([]Item, 20_000)
	for i := range items {
		items[i] = Item{ID: id(i), Name: "prod" + strings.Map(func(r rune) rune { return 'a' + (r - '0') }, fmt.Sprintf("%06d", i))}
	}
	s := &search{trigramsLeft: maxTrigramReads, namesLeft: maxNameReads}
	x := New(items)
	s.query = *x.side(parse(strings.Repeat("prd pro prdab ", 10)))
	p := printed{search: s, x: x}
	if p.read() || p.aligned > maxAligned+1 {
		t.Errorf("%d words were aligned, want at most %d and no reading", p.aligned, maxAligned)
	}
	expectFind(t, x, "prd", "")
}

// So is one for a long word that may be many words of an item.
func TestGluedWorkIsBounded(t *testing.T) {
	t.Parallel()
	name := ""
	for i := range maxWords {
		name += strings.Repeat("a", 5+i) + " "
	}
	x := shop(name, "other")
	s := &search{trigramsLeft: maxTrigramReads, namesLeft: maxNameReads}
	s.query = *x.side(parse(strings.Repeat("a", maxWord)))
	p := printed{search: s, x: x}
	p.read()
	p.compare(&x.names[0])
	if p.parts != maxParts {
		t.Errorf("%d parts were aligned, want %d", p.parts, maxParts)
	}
}

package match

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc/server/datatest"
)

// The limits of F4.
const (
	leastF1    = 0.59 // for pairs of names, at the fixed threshold
	mostWrong  = 0.01 // share of queries for an item of the inventory that find another item
	mostAbsent = 0.10 // share of queries for absent items that find an item
)

// pair is a pair of names with its label.
type pair struct {
	left, right string
	same        bool
}

// result is the accuracy of a threshold on pairs.
type result struct{ precision, recall float64 }

// f returns the F-score, in which recall weighs beta times as much as precision.
func (r result) f(beta float64) float64 {
	if r.precision+r.recall == 0 {
		return 0
	}
	return (1 + beta*beta) * r.precision * r.recall / (beta*beta*r.precision + r.recall)
}

// at returns the accuracy of the pairs whose score reaches a threshold.
func at(threshold float64, pairs []pair, scores []float64) result {
	accepted, right, all := 0.0, 0.0, 0.0
	for i, p := range pairs {
		if p.same {
			all++
		}
		if scores[i] >= threshold {
			accepted++
			if p.same {
				right++
			}
		}
	}
	return result{right / max(accepted, 1), right / max(all, 1)}
}

// scored returns the scores of the right names as items of the index, as Explain has them.
func scored(x *Index, pairs []pair) []float64 {
	var s search
	scores, found := make([]float64, len(pairs)), map[string][]candidate{}
	for i, p := range pairs {
		if _, ok := found[p.left]; !ok {
			found[p.left] = s.run(x, parse(p.left))
		}
		scores[i] = beside(x.Similarity(p.left, p.right), rivalScore(found[p.left], p.right))
	}
	return scores
}

// inventoryOf returns an index of the right names, for the weights of their words.
func inventoryOf(pairs []pair) *Index {
	var items []Item
	for _, p := range pairs {
		items = append(items, Item{ID: p.right, Name: p.right})
	}
	return New(items)
}

// published has validation files of pairs, with the F1 at the threshold before the score
// took account of colours, varieties and the information of words, and the least F1 now.
var published = []struct {
	name          string
	further       string // a column besides the first
	before, least float64
}{
	{"abt_buy", "", 74.1, 85},
	{"amazon_google", "", 61.9, 63},
	{"walmart_amazon", "", 54.1, 66},
	{"walmart_amazon", "modelno", 80.2, 80},
}

// TestPairs checks the limits of F4 on validation files. It uses only the names of the
// products (title or name; no description, maker or price), and once the model number,
// which shops have in the name or beside it, with the weights of words in the right names,
// as Find has them.
//
// The threshold minScore is one for all kinds of goods. TestPairs checks that no other
// has a much better F0.5, which prefers precision, on abt_buy_full. The pairs there are,
// for each name of Abt, its partner and the eight names of Buy that share most words with
// it, without the pairs of abt_buy/valid.txt.
func TestPairs(t *testing.T) {
	t.Parallel()
	datatest.SkipShort(t)
	var excluded []pair
	for _, file := range published {
		path, ok := datatest.Lookup(t, "products/er/"+file.name+"/valid.txt")
		if !ok {
			continue
		}
		pairs := loadPairs(t, path, file.further)
		if file.name == "abt_buy" {
			excluded = pairs
		}
		for _, x := range []*Index{noInventory, inventoryOf(pairs)} {
			r := at(minScore, pairs, scored(x, pairs))
			t.Logf("%-14s %s %s: %d pairs, precision %.1f, recall %.1f, F1 %.1f at %.2f (before %.1f)",
				file.name, file.further, weighed(x), len(pairs), 100*r.precision, 100*r.recall, 100*r.f(1), minScore, file.before)
			if r.f(1) < leastF1 || x != noInventory && 100*r.f(1) < file.least {
				t.Errorf("%s, %s: F1 is %.1f, want at least %.0f", file.name, weighed(x), 100*r.f(1), file.least)
			}
		}
	}
	choosing := loadRecords(t).pairs(excluded)
	scores := scored(inventoryOf(choosing), choosing)
	best, bestF := 0.0, 0.0
	for threshold := 0.3; threshold < 1; threshold += 0.01 {
		if f := at(threshold, choosing, scores).f(0.5); f > bestF {
			best, bestF = threshold, f
		}
	}
	atMin := at(minScore, choosing, scores).f(0.5)
	t.Logf("abt_buy_full: %d pairs, F0.5 is best at %.2f: %.3f, and %.3f at %.2f", len(choosing), best, bestF, atMin, minScore)
	if bestF-atMin > 0.01 {
		t.Errorf("%.2f is not the best threshold, want %.2f", minScore, best)
	}
}

func weighed(x *Index) string {
	if x == noInventory {
		return "no inventory"
	}
	return "weights of the inventory"
}

// outcome counts the results of Find for queries with known items.
type outcome struct {
	asked, right, none int
	twin               int // found another item with the same words as the query
	wrong              int
	example            string // a wrong result
}

func (o outcome) String() string {
	of := func(n int) float64 { return 100 * float64(n) / float64(max(o.asked, 1)) }
	s := fmt.Sprintf("%5d asked, %5.1f right, %5.1f not found, %4.1f twin, %4.2f wrong", o.asked, of(o.right), of(o.none), of(o.twin), of(o.wrong))
	if o.example != "" {
		s += ", such as " + o.example
	}
	return s
}

func (o *outcome) ask(x *Index, query, want string) {
	o.asked++
	switch hit, ok := x.Find(query); {
	case !ok:
		o.none++
	case hit.ID == want:
		o.right++
	case sameWords(query, x.items[hit.ID].Name):
		o.twin++
	default:
		o.wrong++
		o.example = fmt.Sprintf("%q → %q", query, x.items[hit.ID].Name)
	}
}

// sameWords reports whether two names have the same words and sizes, apart from typos,
// because the changes to the query made it the name of another item.
func sameWords(a, b string) bool {
	var c comparer
	return c.compare(noInventory.side(parse(a)), noInventory.side(parse(b))).full
}

// rewrites has sizes, each with another spelling and a different size.
var rewrites = [][3]string{
	{"500 g", "0.5 kg", "400 g"}, {"1 kg", "1000g", "1 lb"}, {"250g", "8.8 oz", "0.5 kg"}, {"330 ml", "33cl", "0.5 l"},
	{"1.5 l", "1500ml", "1 liter"}, {"12 fl oz", "355 ml", "16 oz"}, {"6 x 330ml", "330 ml (6 pack)", "330 ml"},
	{"12 ct", "pack of 12", "6 pack"}, {"16 oz", "1 lb", "14 oz"}, {"1/2 gal", "1.89 l", "1 gallon"},
}

// lists are files with the product names of the shops.
var lists = map[string]string{
	"Electronics": "products/er/abt_buy_full/AbtBuy_Buy.csv",
	"Groceries":   "products/names/instacart_products_12k.csv",
}

// TestShop searches products by names as people write them, and products that are not in
// the shop.
func TestShop(t *testing.T) {
	t.Parallel()
	datatest.SkipShort(t)
	for name, path := range lists {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testShop(t, loadNames(t, datatest.Path(t, path)))
		})
	}
}

// queries returns the number of names of a list that are searched for in each way. It is
// large where accuracy is measured, in CI and with SVC_DATA; other runs check a sample.
func queries() int {
	if os.Getenv("CI") == "true" || os.Getenv("SVC_DATA") != "" {
		return 1500
	}
	return 150
}

func testShop(t *testing.T, names []string) {
	items := make([]Item, len(names))
	for i, n := range names {
		items[i] = Item{ID: fmt.Sprint(i), Name: n + " " + rewrites[i%len(rewrites)][0]}
	}
	plain := New(itemsNamed(names))
	sized := New(items)
	step := max(1, len(names)/queries())
	kinds := []struct {
		name  string
		x     *Index
		query func(r *rand.Rand, i int) string
	}{
		{"same name", plain, func(_ *rand.Rand, i int) string { return names[i] }},
		{"capitals", plain, func(_ *rand.Rand, i int) string { return strings.ToUpper(names[i]) }},
		{"typo", plain, func(r *rand.Rand, i int) string { return typo(r, names[i]) }},
		{"word left out", plain, func(r *rand.Rand, i int) string { return drop(r, names[i]) }},
		{"other order", plain, func(r *rand.Rand, i int) string { return reorder(r, names[i]) }},
		{"word cut short", plain, func(r *rand.Rand, i int) string { return abbreviate(r, names[i]) }},
		{"praise", plain, func(r *rand.Rand, i int) string { return praise(r, names[i]) }},
		{"all at once", plain, func(r *rand.Rand, i int) string {
			return typo(r, drop(r, reorder(r, strings.ToUpper(names[i]))))
		}},
		{"other unit", sized, func(_ *rand.Rand, i int) string { return names[i] + " " + rewrites[i%len(rewrites)][1] }},
		{"size left out", sized, func(_ *rand.Rand, i int) string { return names[i] }},
		{"unit, typo", sized, func(r *rand.Rand, i int) string { return typo(r, names[i]) + " " + rewrites[i%len(rewrites)][1] }},
	}
	for _, kind := range kinds {
		var o outcome
		r := rand.New(rand.NewPCG(1, 2))
		for i := 0; i < len(names); i += step {
			o.ask(kind.x, kind.query(r, i), fmt.Sprint(i))
		}
		t.Logf("%-14s %v", kind.name, o)
		limit := mostWrong
		if kind.name == "all at once" {
			limit *= 3
		}
		if float64(o.wrong) > limit*float64(o.asked) {
			t.Errorf("%s: %d of %d results are wrong", kind.name, o.wrong, o.asked)
		}
	}
	testAbsent(t, plain, names, step)

	var other outcome
	for i := 0; i < len(names); i += step {
		if len(parse(names[i]).sizes) > 0 {
			continue // a second size proves nothing
		}
		other.ask(sized, names[i]+" "+rewrites[i%len(rewrites)][2], fmt.Sprint(i))
	}
	t.Logf("%-14s %v", "other size", other)
	if other.right > 0 || float64(other.wrong) > mostAbsent*float64(other.asked) {
		t.Errorf("%d of %d were found with another size, and %d as other items", other.right, other.asked, other.wrong)
	}
}

// TestSmallShop searches a shop of 200 items for the names of 4,000 others, and for its
// own items with a maker whom the shop does not mention.
func TestSmallShop(t *testing.T) {
	t.Parallel()
	datatest.SkipShort(t)
	for name, path := range lists {
		t.Run(name, func(t *testing.T) { testSmallShop(t, loadNames(t, datatest.Path(t, path))) })
	}
}

func testSmallShop(t *testing.T, names []string) {
	for _, size := range []string{"", " 250 g"} {
		r := rand.New(rand.NewPCG(1, 2))
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		shop := itemsNamed(names[:200])
		for i := range shop {
			shop[i].Name += size
		}
		x := New(shop)
		var foreign, maker outcome
		for _, name := range names[200:min(4200, len(names))] {
			foreign.ask(x, name+size, "")
		}
		for _, item := range shop {
			maker.ask(x, "Nesquor "+item.Name, item.ID)
		}
		t.Logf("what others have%s: %v", size, foreign)
		t.Logf("with the maker%s:   %v", size, maker)
		if float64(foreign.wrong) > 2*mostWrong*float64(foreign.asked) || maker.wrong > 0 {
			t.Errorf("%d absent items were found, and %d own items as another item", foreign.wrong, maker.wrong)
		}
	}
}

// testAbsent removes one item after the other from the shop and searches for it.
func testAbsent(t *testing.T, x *Index, names []string, step int) {
	var o outcome
	for i := 0; i < len(names); i += step {
		item := x.items[fmt.Sprint(i)].Item
		x.Remove(item.ID)
		o.ask(x, item.Name, item.ID)
		x.Put(item)
	}
	t.Logf("%-14s %v", "not in shop", o)
	if float64(o.wrong) > mostAbsent*float64(o.asked) {
		t.Errorf("%d of %d absent items were found", o.wrong, o.asked)
	}
}

// TestRecords searches the names of one electronics shop in the list of another.
func TestRecords(t *testing.T) {
	t.Parallel()
	datatest.SkipShort(t)
	records := loadRecords(t)
	for _, way := range []struct {
		name      string
		ask, shop []record
	}{{"Abt in Buy", records.abt, records.buy}, {"Buy in Abt", records.buy, records.abt}} {
		var items []Item
		for _, r := range way.shop {
			items = append(items, Item{ID: r.id, Name: r.name})
		}
		x := New(items)
		var o outcome
		top := 0
		for i := 0; i < len(way.ask); i += max(1, len(way.ask)/queries()) {
			r := way.ask[i]
			o.ask(x, r.name, r.id)
			if c := x.Explain(r.name, 1); len(c) > 0 && c[0].ID == r.id {
				top++
			}
		}
		t.Logf("%s: %v; the best candidate is right for %.1f", way.name, o, 100*float64(top)/float64(o.asked))
		if float64(o.wrong+o.twin) > mostWrong*float64(o.asked) {
			t.Errorf("%s: %d of %d results are wrong", way.name, o.wrong+o.twin, o.asked)
		}
	}
}

func itemsNamed(names []string) []Item {
	items := make([]Item, len(names))
	for i, n := range names {
		items[i] = Item{ID: fmt.Sprint(i), Name: n}
	}
	return items
}

// loadPairs reads lines of two records "COL name VAL … COL price VAL …" and a label. A name
// is the first column, and a further one unless that is "".
func loadPairs(t *testing.T, path, further string) []pair {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	nameIn := func(record string) string {
		name := ""
		for i, column := range strings.Split(record, "COL ")[1:] {
			if of, value, _ := strings.Cut(column, " VAL"); i == 0 || of == further {
				name += " " + strings.TrimSpace(value)
			}
		}
		return strings.TrimSpace(name)
	}
	var out []pair
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != 3 || fields[2] != "0" && fields[2] != "1" {
			t.Fatalf("%s: line %d has %d fields, want 3 and a label", path, len(out)+1, len(fields))
		}
		out = append(out, pair{nameIn(fields[0]), nameIn(fields[1]), fields[2] == "1"})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// record is a line of a shop's list; the same product has the same id in both.
type record struct{ id, name string }

type records struct{ abt, buy []record }

func loadRecords(t *testing.T) records {
	folder := datatest.Path(t, "products/er/abt_buy_full")
	read := func(name string) []record {
		var out []record
		for _, row := range loadCSV(t, filepath.Join(folder, name)) {
			out = append(out, record{row[0], row[1]})
		}
		return out
	}
	return records{read("AbtBuy_Abt.csv"), read("AbtBuy_Buy.csv")}
}

func loadNames(t *testing.T, path string) []string {
	var out []string
	for _, row := range loadCSV(t, path) {
		out = append(out, row[1])
	}
	return out
}

// loadCSV returns the rows below the header row.
func loadCSV(t *testing.T, path string) [][]string {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	r := csv.NewReader(f)
	r.LazyQuotes = true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// pairs returns, for each record of Abt, its partners and the eight records of Buy that
// share most words with it, without the pairs of a list.
func (r records) pairs(without []pair) []pair {
	key := func(left, right string) string {
		l, r := parse(left).words, parse(right).words
		return strings.Join(append(slices.Sorted(slices.Values(l)), slices.Sorted(slices.Values(r))...), " ")
	}
	skip := map[string]bool{}
	for _, p := range without {
		skip[key(p.left, p.right)] = true
	}
	words := make([][]string, len(r.buy))
	for i, b := range r.buy {
		words[i] = parse(b.name).words
	}
	type near struct {
		at    int
		share float64
	}
	var out []pair
	for _, a := range r.abt {
		mine := parse(a.name).words
		var list []near
		for i, b := range r.buy {
			shared := 0
			for _, w := range mine {
				if slices.Contains(words[i], w) {
					shared++
				}
			}
			n := near{i, float64(shared) / float64(len(mine)+len(words[i])-shared+1)}
			if a.id == b.id {
				n.share += 10
			}
			list = append(list, n)
		}
		slices.SortStableFunc(list, func(a, b near) int { return cmp.Compare(b.share, a.share) })
		for _, n := range list[:9] {
			if b := r.buy[n.at]; !skip[key(a.name, b.name)] {
				out = append(out, pair{a.name, b.name, a.id == b.id})
			}
		}
	}
	return out
}

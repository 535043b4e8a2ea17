package cmd_test

import (
	"strings"
	"testing"
)

// TestDataWords teaches ask words of a shop and asks with them. They stay with the dataset
// while its rows change, and through a backup.
func TestDataWords(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.write("sales.csv", salesText)
	f.write("more.csv", "Order ID,Date,Item,Qty,Unit price,Total,Fee\nA3,02/02/2024,Tea,4,£2.50,£10.00,1\n")
	f.write("other.csv", "Order ID,Date,Product,Total\nB1,02/03/2024,Cake,£4.00\n")
	f.ok(words("data import sales.csv")...)

	contains(t, f.ok("ask", "how much spondulix in february 2024?"), "“spondulix”, and it is not a word that is known here")
	contains(t, f.ok(words("data words spondulix = revenue")...), "sales: spondulix means revenue")
	contains(t, f.ok("data", "words", "sales", "cuppa=tea"), `sales: cuppa means "Tea" of the column "Item"`)
	contains(t, f.ok("data", "words", "levy = fee"), `sales: levy means the column "Fee"`)
	contains(t, f.ok("ask", "how much spondulix in february 2024?"), "£5.50")
	contains(t, f.ok("ask", "how much spondulix from cuppas?"), "£7.50")
	contains(t, f.ok("ask", "total levy"), "6")

	contains(t, f.ok(words("data import more.csv --name sales --add")...), "1 new")
	contains(t, f.ok("ask", "how much spondulix from cuppas?"), "£17.50")
	f.ok(words("backup copy.db")...)
	contains(t, f.ok(words("data import other.csv --name sales --replace")...),
		`cuppa: the taught word means "Tea", which is no longer there`, `levy: the taught word means "Fee"`)
	contains(t, f.ok(words("data show sales")...), "word: spondulix means revenue", `word: cuppa means "Tea"`)
	contains(t, f.ok("ask", "how much spondulix?"), "£4.")

	f.ok(words("restore copy.db --db back.db")...)
	contains(t, f.ok(words("ask --db back.db")[0], "--db", "back.db", "how much spondulix from cuppas?"), "£17.50")

	listed := f.objects(f.ok(words("data words --json")...))
	if len(listed) != 3 || listed[1]["word"] != "cuppa" || listed[1]["kind"] != "value" || listed[1]["target"] != "Tea" || listed[1]["heading"] != "Item" {
		t.Errorf("words %v", listed)
	}
	contains(t, f.ok(words("data words sales --remove SPONDULIX")...), "sales: spondulix means nothing any more")
	contains(t, f.ok("ask", "how much spondulix?"), "it is not a word that is known here")
	if shown := f.ok(words("data show sales")...); strings.Contains(shown, "spondulix") {
		t.Errorf("shown %s", shown)
	}
}

func TestDataWordsRefusals(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	contains(t, f.fails(1, words("data words spondulix = revenue")...), "has no dataset; import one")
	f.write("sales.csv", "Date,Item,Extra,Total\n2024-01-31,Tea,Milk,5\n2024-02-01,Milk,None,3\n")
	f.ok(words("data import sales.csv")...)
	for line, want := range map[string]string{
		"data words spondulix = moolah":         `sales has no "moolah": a word means a figure (revenue, units, `,
		"data words nowhere spondulix = total":  "has no dataset nowhere",
		"data words --remove spondulix":         `sales has no taught word "spondulix"`,
		"data words white = milk":               `"milk" is a value of two columns, "Item" and "Extra"; name the column: "Item: Milk"`,
		"data words spondulix = Extra:Sugar":    `sales has no "Extra:Sugar"`,
		"data words --remove nowhere spondulix": "has no dataset nowhere",
	} {
		contains(t, f.fails(1, words(line)...), want)
	}
	contains(t, f.fails(2, words("data words 12 = revenue")...), "word: must have a letter")
	for _, line := range []string{"data words = revenue", "data words spondulix =", "data words sales more spondulix = total", "data words --remove", "data words a b"} {
		contains(t, f.fails(2, words(line)...), "usage: svc data words")
	}
	contains(t, f.ok(words("data words white = Item:milk")...), `white means "Milk" of the column "Item"`)
	f.ok(words("data words white = revenue")...) // taught anew
	if n := len(f.objects(f.ok(words("data words --json")...))); n != 1 {
		t.Errorf("%d words, want 1", n)
	}
}

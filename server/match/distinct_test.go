package match

import (
	"fmt"
	"strings"
	"testing"
)

// distinct has pairs of similar names of different products, by the kind of difference.
var distinct = map[string][][2]string{
	"ModelNumber": {
		{"Sony WH-1000XM4", "Sony WH-1000XM5"},
		{"Sony WH-1000XM4 Wireless Noise Cancelling Headphones Black", "Sony WH-1000XM5 Wireless Noise Cancelling Headphones Black"},
		{"LG OLED55C1 4K TV", "LG OLED55C2 4K TV"},
		{"HP CE505A Toner", "HP CE505X Toner"},
		{"Canon CLI-571BK Ink Cartridge", "Canon CLI-571C Ink Cartridge"},
		{"Canon CLI-571BK Ink Cartridge", "Canon CLI-571XL Ink Cartridge"},
		{"Bosch GSB18V-55", "Bosch GSB18V-60"},
		{"Makita DHP482Z", "Makita DHP482RFX"},
		{"Sony LN46A750 LCD Television 1920x1080", "Sony LN46A850 LCD Television 1920x1080"},
		{"Sharp LC-52D85U Widescreen Television 120Hz", "Sharp LC-52E77U Widescreen Television 120Hz"},
		{"Canon CLI-221 Ink Cartridge 2946B001", "Canon CLI-221 Ink Cartridge 2947B001"},
	},
	"TailOfModelNumber": {
		{"Asus GeForce RTX3060 12GB", "Asus GeForce RTX3060TI 12GB"},
		{"Asus GeForce RTX3060 12GB", "Asus GeForce RTX3060 Ti 12GB"},
		{"Intel Core i5-10400", "Intel Core i5-10400F"},
		{"Brother TN2410", "Brother TN2410XL"},
	},
	"Variety": {
		{"Nescafe Gold Blend Decaf Instant Coffee 200g", "Nescafe Gold Blend Instant Coffee 200g"},
		{"Coca-Cola Zero 330ml", "Coca-Cola 330ml"},
		{"Diet Coca-Cola 330ml", "Coca-Cola 330ml"},
		{"Semi Skimmed Milk 2L", "Skimmed Milk 2L"},
		{"Semi-skimmed Milk 2L", "Skimmed Milk 2L"},
		{"Samsung Galaxy S21 Ultra", "Samsung Galaxy S21"},
		{"Red Bull Sugarfree 250ml", "Red Bull 250ml"},
		{"Red Bull Energy Drink Sugar Free 250ml", "Red Bull Energy Drink 250ml"},
		{"Philadelphia Light Cream Cheese 200g", "Philadelphia Cream Cheese 200g"},
		{"Corona Extra Beer 0.0% 330ml", "Corona Extra Beer 330ml"},
		{"Corona Extra Lager Beer 0.0 330ml", "Corona Extra Lager Beer 330ml"},
		{"Jacobs Krönung gemahlen entkoffeiniert 500g", "Jacobs Krönung gemahlen 500g"},
		{"Coca Cola Original Taste multipack 330ml", "Coca Cola Original Taste 330ml"},
		{"Adobe Creative Suite CS3 Web Standard Upgrade", "Adobe Creative Suite CS3 Web Standard"},
		{"Microsoft Office 2007 Home Academic", "Microsoft Office 2007 Home"},
		{"Netgear Powerline AV 500 Adapter Kit", "Netgear Powerline AV 500 Adapter"},
		{"Lexmark Remanufactured Toner Cartridge Magenta", "Lexmark Toner Cartridge Magenta"},
	},
	"With": {
		{"Coffee with caffeine 250g", "Coffee w/o caffeine 250g"},
		{"Coffee w/ caffeine 250g", "Coffee without caffeine 250g"},
		{"Coffee caffeine 250g", "Coffee w/out caffeine 250g"},
		{"Milk with sugar 1l", "Milk w/o sugar 1l"},
		{"Milk with added sugar 1l", "Milk no added sugar 1l"},
		{"Milk added sugar 1l", "Milk no added sugar 1l"},
		{"Milk with sugar 1l", "Milk sugar free 1l"},
		{"Milk with sugar 1l", "Milk sugarfree 1l"},
		{"Milk with sugar 1l", "Milk wo sugar 1l"},
		{"Milch mit Zucker 1l", "Milch ohne Zucker 1l"},
		{"Leche con azúcar 1l", "Leche sin azúcar 1l"},
		{"Lait avec sucre 1l", "Lait sans sucre 1l"},
		{"Crackers with cheese without salt", "Crackers with salt without cheese"},
		{"Crackers w/ cheese w/o salt", "Crackers w/o cheese w/ salt"},
	},
	"System": {
		{"Windows 10 11 Home", "Windows 7 8 Home"},
		{"antivirus win 98 me", "antivirus win xp vista"},
		{"Win 10 11 Pro key", "Windows 7 8 Pro key"},
		{"Windows 10 and 11 Pro key", "Windows 7 and 8.1 Pro key"},
		{"Antivirus Suite Family Edition Windows XP", "Antivirus Suite Family Edition Win 10/11"},
	},
	"OneLetter": {
		{"Apple USB C Charging Cable", "Apple USB A Charging Cable"},
		{"Holland Barrett Vitamin A Tablets", "Holland Barrett Vitamin C Tablets"},
		{"Tesla Model 3 floor mats", "Tesla Model Y floor mats"},
		{"Long Sleeve Cotton T-Shirt Crew Neck Men S", "Long Sleeve Cotton T-Shirt Crew Neck Men M"},
	},
	"Number": {
		{"Levis 501 Jeans 32/32", "Levis 501 Jeans 34/32"},
		{"Levis 501 Jeans 32/34", "Levis 501 Jeans 34/32"},
		{"Nestle Kit Kat Milk Chocolate 4 Finger Bar", "Nestle Kit Kat Milk Chocolate 2 Finger Bar"},
		{"Holland Barrett Vitamin B12 Tablets", "Holland Barrett Vitamin B6 Tablets"},
	},
	"Plus": {
		{"Samsung Galaxy S21+", "Samsung Galaxy S21"},
		{"Pampers Baby Dry Nappies Size 4+", "Pampers Baby Dry Nappies Size 4"},
	},
	"Pack": {
		{"Coca Cola Original Taste 330ml 24 cans", "Coca Cola Original Taste 330ml"},
		{"Coca Cola Original Taste case of 24", "Coca Cola Original Taste 330ml"},
		{"Coca Cola Original Taste 24 x 330ml", "Coca Cola Original Taste 330ml 12 cans"},
		{"Andrex Classic Clean Toilet Tissue 9 Rolls", "Andrex Classic Clean Toilet Tissue 24 Rolls"},
		{"Paracetamol 500mg 16 Tablets", "Paracetamol 500mg 32 Tablets"},
	},
}

// Each name is also searched in a shop that has only the other one.
func TestFindDistinguishesProducts(t *testing.T) {
	t.Parallel()
	for outcome, pairs := range distinct {
		t.Run(outcome, func(t *testing.T) {
			for _, p := range pairs {
				expectFind(t, shop(p[0]), p[1], "")
				expectFind(t, shop(p[1]), p[0], "")
				expectFind(t, shop(p[0], p[1]), p[0], id(0))
				expectFind(t, shop(p[0], p[1]), p[1], id(1))
			}
		})
	}
}

// The differences of TestFindDistinguishesProducts must not separate spellings of the
// same product.
func TestFindAcceptsOtherSpellings(t *testing.T) {
	t.Parallel()
	for outcome, pairs := range map[string][][2]string{
		"VarietyAsOneWord": {
			{"Red Bull Sugar Free 250ml", "Red Bull Sugarfree 250 ml"},
			{"Semi-Skimmed Milk 2L", "Semi Skimmed Milk 2 l"},
			{"Semiskimmed Milk 2L", "Semi Skimmed Milk 2 l"},
			{"Decaffeinated Ground Coffee 250g", "Ground Coffee Decaf 250g"},
		},
		"Plus": {{"Samsung Galaxy S21+", "Samsung Galaxy S21 Plus"}},
		"With": {
			{"Milk w/o sugar 1l", "Milk without sugar 1l"},
			{"Milk w/out sugar 1l", "Milk without sugar 1l"},
			{"Milk no added sugar 1l", "Milk No Sugar Added 1l"},
			{"Crackers with cheese without salt", "Crackers w/o salt w/ cheese"},
			{"Crackers without cheese and salt", "Crackers without salt and cheese"},
		},
		"NumberSign": {{"Acini di Pepe No. 78", "Acini di Pepe 78"}, {"Acini di Pepe no 78", "Acini di Pepe № 78"}},
		"System": {
			{"Program win 98 me 2000 xp", "Program"},
			{"Program win 98 me 2000 xp", "Program win 95 98 me"},
			{"Program windows xp vista", "Program win 98/xp"},
			{"Windows 7 and 8 key", "Windows 8/10 key"},
		},
		"NumberAndLetters":   {{"7UP Lemon Lime 330ml", "7 Up Lemon Lime 330ml"}, {"7UP 330 ml", "7 Up 330 ml"}, {"Samsung Galaxy S21", "Samsung Galaxy S 21"}},
		"SpacedThousands":    {{"Coffee 1 000 g", "Coffee 1kg"}, {"Coffee 1\u202f000 g", "Coffee 1kg"}},
		"NumberTwice":        {{"Levis 501 Jeans 32/32", "Jeans Levis 501 32 / 32"}},
		"CansAndX":           {{"Coca Cola 330ml 24 cans", "Coca Cola 24 x 330ml"}, {"Coca Cola 330ml 24 cans", "Coca Cola 330ml case of 24"}},
		"PackWithoutMeasure": {{"Coca Cola Original Taste 24 cans", "Coca Cola Original Taste 24 x 330ml"}},
		"OneCan":             {{"Coca Cola 330ml can", "Coca Cola 330ml"}},
		"Article":            {{"Soup for a Friend", "Soup for Friend"}},
		"CountryOfModel":     {{"Netgear ProSafe Switch FS105", "Netgear ProSafe Switch FS105NA"}},
	} {
		t.Run(outcome, func(t *testing.T) {
			for _, p := range pairs {
				expectFind(t, shop(p[0]), p[1], id(0))
				expectFind(t, shop(p[1]), p[0], id(0))
			}
		})
	}
}

// A colour or a variety that only one name has lowers the score, and so do common words:
// other orders of a kind of goods share them, too.
func TestSimilarityDependsOnWhatDiffers(t *testing.T) {
	t.Parallel()
	x := shop("Screen Model B Matte Walnut", "Screen Model B Matte Oak", "Screen Model B Matte Cherry", "Screen Model B Gloss Oak", "Anvil Zeppelin")
	for _, names := range [][3]string{
		{"Kraken wireless mouse red", "Kraken wireless mouse laser", "Kraken wireless mouse blue"},
		{"Kraken wireless mouse red", "Kraken wireless mouse laser red", "Kraken wireless mouse mini red"},
		{"Kraken wireless mouse", "Kraken wireless mouse laser", "Kraken wireless mouse blue"},
	} {
		near, far := x.Similarity(names[0], names[1]), x.Similarity(names[0], names[2])
		if far >= near {
			t.Errorf("Similarity(%q, %q) = %.3f, want less than to %q, %.3f", names[0], names[2], far, names[1], near)
		}
	}
	common, rare := x.Similarity("Screen Model Nickel", "Screen Model Copper"), x.Similarity("Anvil Zeppelin Nickel", "Anvil Zeppelin Copper")
	if common >= rare {
		t.Errorf("with common words %.3f, with rare words %.3f, want less", common, rare)
	}
}

// Punctuation in SKUs is ignored, except between two digits.
func TestFindBySKUKeepsNumbersSeparate(t *testing.T) {
	t.Parallel()
	x := New([]Item{{ID: "a", Name: "Bolt", SKU: "BOLT-1-10"}, {ID: "b", Name: "Nut", SKU: "1.5"}, {ID: "c", Name: "Rod", SKU: "R/12-7."}})
	expectFind(t, x, "bolt 1/10", "a")
	expectFind(t, x, "BOLT1 - 10", "a")
	expectFind(t, x, "BOLT-11-0", "")
	expectFind(t, x, "BOLT-110", "")
	expectFind(t, x, "1-5", "b")
	expectFind(t, x, "15", "")
	expectFind(t, x, "r12 7", "c")
}

// An alias is stored once for each item, even if the item has it several times.
func TestAliasIsStoredOncePerItem(t *testing.T) {
	t.Parallel()
	const n = 1000
	items := make([]Item, n)
	for i := range items {
		items[i] = Item{ID: id(i), Name: fmt.Sprintf("thing %d", i), Aliases: []string{"same", "same", "SAME"}}
	}
	x := New(items)
	if got := len(x.aliases[parse("same").key()]); got != n {
		t.Errorf("%d items have the alias, want %d", got, n)
	}
}

// The most similar words are kept, in bounded memory, even if thousands have the same
// beginning.
func TestSimilarWordsAreBounded(t *testing.T) {
	t.Parallel()
	letters := func(i int) string {
		return string([]byte{byte('a' + i/676%26), byte('a' + i/26%26), byte('a' + i%26)})
	}
	names := make([]string, 5000)
	for i := range names {
		names[len(names)-1-i] = "prod" + letters(i) + "x" // in descending order
	}
	x := shop(append(names, "prods")...)
	s := search{trigramsLeft: maxTrigramReads}
	got := x.words.similar(&term{text: "prod", class: classify("prod")}, &s)
	if len(got) != maxSimilar || cap(s.similar) > 16*maxSimilar {
		t.Errorf("got %d words with a capacity of %d, want %d and at most %d", len(got), cap(s.similar), maxSimilar, 16*maxSimilar)
	}
	var texts []string
	for _, r := range got {
		texts = append(texts, x.words.words[r.id].text)
	}
	if want := "prods prodaaax prodaabx prodaacx"; !strings.HasPrefix(strings.Join(texts, " "), want) {
		t.Errorf("got %v, want %s …", texts, want)
	}
}

package match

import "testing"

func TestExplainGivesReasons(t *testing.T) {
	t.Parallel()
	x := shop(grocery...)
	x.Put(Item{ID: "s1", Name: "Steel Spoon", SKU: "SPOON"})
	x.Put(Item{ID: "s2", Name: "Wooden Spoon", SKU: "SPOON"})
	const frame = "Rollei Wooden Digital Photo Frame Remote Control Memory Card Slot Motion Sensor Loudspeaker Calendar Alarm Clock Bundle"
	x.Put(Item{ID: "f", Name: frame + " 15/10"})
	for _, test := range []struct {
		name   string
		at     int
		id     string
		reason string
	}{
		{"Coca-Cola 330ml", 0, id(0), "the same name"},
		{"Coca-Cola 330ml", 1, id(1), "its variety differs"},
		{"Ground Coffee 250g", 1, id(4), "its weight differs"},
		{"ketchup tomato heinz 570 g", 0, id(14), "the same words"},
		{"heinz ketchup 570 g", 0, id(14), "like enough, and no other is"},
		{"sony dscw150 compact camera", 0, id(13), "the same model number"},
		{"Heinz Tomato Ketchup 1 kg", 0, id(14), "its weight differs"},
		{"Sony Cyber-shot Digital Camera DSC-W150 Black", 0, id(13), "its colour differs"},
		{"Greek Yogurt 150 g", 0, id(10), "item_011 is as much like it"},
		{"Organic Ground Coffee 250g", 0, id(5), `has no "organic", as others have`},
		{"Organic Ground Coffee", 0, id(5), "lacks much of the name"},
		{"Fair Trade Ground Fine Coffee 250g", 0, id(5), "lacks much of the name"},
		{"Hot Chocolate", 0, id(8), "too little like it"},
		{"Basmati", 0, id(15), "has much that the name lacks"},
		{"basmato", 0, id(15), "only one word is like it"},
		{"spoon", 0, "s1", "one of 2 items with this sku"},
		{"Jacobs Krönung Ground Roast Coffee 500g", 0, id(4), "like enough, and no other is"},
		{"Jacobs Krönung Ground Coffee Zero 500g", 0, id(4), "its variety differs"},
		{"Jacobs Krönung Ground Coffee Strawberry 500g", 0, id(4), "like enough, and no other is"},
		{"Belkin F8N044-BLK Cushtop Notebook Sleeve", 0, id(12), "its model number differs"},
		{frame + " 10/15", 0, "f", "its numbers are in another order"},
		{frame + " 15/20", 0, "f", "its number differs"},
		{"Jacobs Krönung Ground Organic Coffee 500g", 0, id(4), "like enough, and no other is"},
		{"Small Free Range Eggs 12ct", 0, id(17), "has other words instead"},
	} {
		got := x.Explain(test.name, 4)
		if len(got) <= test.at || got[test.at].ID != test.id || got[test.at].Reason != test.reason {
			t.Errorf("Explain(%q)[%d]: want %s: %s, got\n%s", test.name, test.at, test.id, test.reason, explained(x, test.name))
			continue
		}
		hit, ok := x.Find(test.name)
		for i, c := range got {
			if c.Accepted != (ok && i == 0) || c.Accepted && hit != (Hit{c.ID, c.How, c.Score}) {
				t.Errorf("Explain(%q)[%d] = %+v, but Find returns %v, %v", test.name, i, c, hit, ok)
			}
			if c.Reason == "" || c.Score < 0 || c.Score > 1 {
				t.Errorf("Explain(%q)[%d] = %+v, want a reason and a score from 0 to 1", test.name, i, c)
			}
		}
	}
}

// The words with which names begin are makers.
func TestFindRefusesOtherMakers(t *testing.T) {
	t.Parallel()
	x := shop("Kraken Wireless Optical Scroll Mouse Silent Clicks Nano Receiver", "Kraken Keyboard", "Kraken Headset",
		"Lumo Desk Lamp", "Lumo Floor Lamp", "Lumo Tripod", "Wireless Router")
	const name = "Lumo Wireless Optical Scroll Mouse Silent Clicks Nano Receiver"
	best := x.Explain(name, 1)
	if len(best) != 1 || best[0].Accepted || best[0].Reason != "its maker differs" {
		t.Errorf("got %+v", best)
	}
	expectFind(t, x, "Wireless Optical Scroll Mouse Silent Clicks Nano Receiver", id(0))
	expectFind(t, x, "Nesquor Kraken Wireless Optical Scroll Mouse Silent Clicks Nano Receiver", id(0))
}

// An item scores less if another one is more like the name.
func TestExplainScoresBesideTheBest(t *testing.T) {
	t.Parallel()
	const name, other = "Kraken wireless mouse flame", "Kraken wireless mouse tendrils"
	alone, beside := shop(other).Explain(name, 1), shop(other, name).Explain(name, 2)
	if len(alone) != 1 || len(beside) != 2 || beside[1].Score >= alone[0].Score-0.1 {
		t.Errorf("got %v alone, and %v beside an equal name, want much less", alone, beside)
	}
	one, two := shop(name+" red").Explain(name, 1), shop(name+" red", name+" blue").Explain(name, 2)
	if len(one) != 1 || len(two) != 2 || two[0].Score != two[1].Score || two[0].Score >= one[0].Score {
		t.Errorf("got %v alone, and %v beside one that is as much like it, want less", one, two)
	}
}

func TestExplainReturnsAtMostN(t *testing.T) {
	t.Parallel()
	x := shop(grocery...)
	x.Put(Item{ID: "s1", Name: "Steel Spoon", SKU: "SPOON"})
	x.Put(Item{ID: "s2", Name: "Wooden Spoon", SKU: "SPOON"})
	if got := x.Explain("Coca-Cola", 2); len(got) != 2 {
		t.Errorf("Explain with n = 2 returns %d candidates", len(got))
	}
	for _, n := range []int{0, -1} {
		if got := x.Explain("Coca-Cola 330ml", n); len(got) != 0 {
			t.Errorf("Explain with n = %d returns %v, want none", n, got)
		}
	}
	if got := x.Explain("spoon", 1); len(got) != 1 {
		t.Errorf("Explain with n = 1 returns %v, want one", got)
	}
}

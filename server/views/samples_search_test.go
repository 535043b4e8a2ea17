package views

func search() []sample {
	frame := Frame{Title: "Search", Section: "search", Account: badge}
	found := []Found{{"Wallet", "Page", "/console/wallet"}, {"Oat Milk 1l", "Product", "/console/inventory?open=item_1"}}
	return []sample{
		{"search", Search{Frame: frame, Query: "milk", Found: found}},
		{"search-none", Search{Frame: frame, Query: "nothing"}},
	}
}

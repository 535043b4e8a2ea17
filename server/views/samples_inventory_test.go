package views

// inventorySamples are the pages of an inventory in use.
func inventorySamples() []sample {
	list := Inventory{
		Frame: Frame{Title: "Inventory", Section: "inventory", Account: &Badge{Name: "Corner Coffee", Email: "ada@example.com"}},
		Groups: []Group{
			{Title: "All", Link: "/console/inventory", Count: "1,240", Chosen: true},
			{Title: "Low stock", Link: "/console/inventory?stock=low", Count: "12"},
		},
		Heads: []Head{
			{Title: "Name", Link: "/console/inventory?sort=-name", Sort: "ascending"}, {Title: "Stock", Link: "/console/inventory?sort=stock", Number: true},
			{Title: "Price", Number: true}, {Title: "Cost", Number: true}, {Title: "SKU"}, {Title: "Category"},
		},
		Items: []ItemRow{
			{ID: "item_1", Name: "Ground Coffee 250g", SKU: "GC-250", Category: "Coffee", Price: "£4.50", Cost: "£2.70", Stock: "24 bags", BelowCost: true, Link: "/console/inventory?open=item_1", Open: true},
			{ID: "item_2", Name: "Mug", Price: "£7.00", Cost: "–", Stock: "0", Low: true, Out: true, Link: "/console/inventory?open=item_2"},
			{ID: "item_3", Name: "Jam", Price: "£3.00", Cost: "–", Stock: "-3 jars", Low: true, Out: true, Minus: true, Link: "/console/inventory?open=item_3"},
		},
		Pager: Pager{Range: "1–50 of 1,240 items, prices in GBP", Next: "/console/inventory?page=2"}, Add: "/console/inventory?add=1", Export: "/console/inventory/export.csv",
	}
	form := ItemForm{Name: "Ground Coffee 250g", SKU: "GC-250", Price: "4.50", Was: []Pair{{"name", "Ground Coffee 250g"}}}
	open, refused, added := list, list, list
	detail := ItemDetail{
		ID: "item_1", Name: "Ground Coffee 250g", Stock: "24 bags", Reorder: "5", Known: true, BelowCost: true, Undo: "7", Notice: "Saved.", Close: "/console/inventory", Form: form,
		Adjust: AdjustForm{How: []Option{{Value: "add", Text: "Add"}}}, Aliases: []string{"ground coffee"},
		Moves: []Move{{At: morning, What: "Adjusted", Note: "two were torn", Who: "ada@example.com", Change: "-2", After: "24", Down: true}},
	}
	detail.Sales = &ItemSales{Days: "30 days", Units: "12 bags", Revenue: "£54.00", Last: "1 March 2026", Lasts: "about 60 days"}
	open.Detail = &detail
	bad := detail
	bad.Sales = &ItemSales{Days: "9 days", Revenue: "£0.00"}
	bad.Notice, bad.Form.Field, bad.Form.Problem = "", "price", "The price “x” is not a number."
	refused.Detail, refused.Problem = &bad, bad.Form.Problem
	added.New = &form
	send := Import{Frame: list.Frame, Fields: []Pair{{"Name", "name"}}, Past: []PastImport{
		{At: morning, File: "shop.csv", Link: "/console/inventory/imports/imp_1", Who: "ada@example.com", Added: "12", Changed: "3", Same: "40", Undone: "undone in part"},
	}}
	faulty := send
	faulty.File, faulty.Problem = "shop.csv", "Nothing of shop.csv was stored: 1 fault to mend first."
	faulty.Faults = []FileFault{{"line 7", "Price", "“x” is not a number"}}
	preview := ImportPreview{
		Frame: list.Frame, ID: "imp_1", File: "shop.csv", State: "waiting", Until: morning, Button: "Import 2 items", Currency: "GBP",
		Groups: list.Groups, Columns: []Pair{{"Name", "Title"}, {"Price", "Variant Price"}}, Ignored: []string{"Vendor"},
		Sheets: []Option{{"", "What fits best", false}, {"Shop", "Shop, 41 rows, read now", true}},
		Notes:  []string{"1 row above the headings will be left out."}, Warnings: []FileFault{{"line 3", "", "the price is below the cost price"}},
		Rows: []ImportRow{
			{Place: "line 2", Name: "Mug", Outcome: "changed", Tag: "warn", Link: "/console/inventory?open=item_2", Changes: []ImportChange{{"Price", "7", "7.50"}, {"Stock", "", "3"}}},
			{Place: "line 3", Name: "Jam", Outcome: "new", Tag: "on"},
		},
		Next: "/console/inventory/imports/imp_1?from=51",
	}
	partial := preview
	partial.Faulty, partial.Problems, partial.Button, partial.Rows = 2, "/console/inventory/imports/imp_1/problems.csv", "Import 2 items; leave out 2 rows", nil
	partial.FaultyRows = []FaultyRow{{"line 4", "Tea", "Price: “six” is not a number"}, {"line 9", "", "has no name, and the inventory does not know it"}}
	running := ImportPreview{Frame: list.Frame, ID: "imp_1", State: "running", File: "shop.csv", Left: "12,300", Faulty: 2, Problems: partial.Problems}
	finished := ImportPreview{Frame: list.Frame, ID: "imp_1", File: "shop.csv", State: "done", At: morning, Who: "ada@example.com", LeftOut: "1", Groups: list.Groups}
	finished.Faulty, finished.Problems, finished.Differs, finished.Undo = 2, partial.Problems, true, ImportUndo{Possible: true, Until: morning}
	undone := finished
	undone.Undo = ImportUndo{Done: true, Title: "Undone in part", At: morning, Who: "ada@example.com", Rows: "12 rows", Kept: "1", Problems: []FaultyRow{{"/console/inventory?open=item_2", "Mug", "it was changed since"}}}
	undoing := finished
	undoing.Undo = ImportUndo{Left: "1,200"}
	looked := Scan{
		Frame: list.Frame, Looked: true, Item: &ScanItem{ID: "item_1", Name: "Ground Coffee 250g", SKU: "GC-250", Price: "£4.50", Cost: "£2.70", Stock: "4", Unit: "bag", Counted: true, Low: true, Link: "/console/inventory?open=item_1", Order: "/console/messages/new?item=item_1"}, Read: "Ground Coffee 250 g", Code: "9781585730575", Add: "/console/inventory?add=1",
		Steps:   []ScanStep{{"Photo", "640 x 480 pixels", "", "4 ms"}, {"Match", "Ground Coffee 250g: all words agree", "93 %", "1 ms"}},
		Choices: []ScanChoice{{"item_2", "Mug", "M-1"}},
	}
	uncounted, unknown := looked, looked
	uncounted.Item, uncounted.Steps, uncounted.Read, uncounted.Code = &ScanItem{ID: "item_2", Name: "Mug", Link: "/console/inventory?open=item_2", Order: "/console/messages/new?item=item_2"}, nil, "", ""
	unknown.Item, unknown.Unknown, unknown.Read = nil, "Barcode 9781585730575", ""
	typed := Scan{Frame: list.Frame, Search: "mug", Choices: looked.Choices, Add: looked.Add}
	unseen := Scan{Frame: list.Frame, Looked: true}
	unseen.Problem = "No product could be identified on the photo."
	return []sample{
		{"scan", Scan{Frame: list.Frame, Model: "seer:7b"}}, {"scan-found", looked}, {"scan-nothing", unseen}, {"scan-uncounted", uncounted}, {"scan-unknown", unknown}, {"scan-typed", typed},
		{"import", send}, {"import-faults", faulty}, {"import-preview", preview}, {"import-running", running}, {"import-done", finished},
		{"import-partial", partial}, {"import-undone", undone}, {"import-undoing", undoing},
		{"inventory", list}, {"inventory-open", open}, {"inventory-refused", refused}, {"inventory-new", added},
		{"inventory-empty", Inventory{Frame: list.Frame, None: true, Add: list.Add}},
	}
}

package views

import "time"

// keeping returns the pages of an account's datasets, in all their states.
func keeping(zone *time.Location) []sample {
	frame := Frame{Title: "Data", Section: "data", Account: badge}
	roles := []Option{{"none", "–", false}, {"date", "date of sale", true}, {"cancelled", "date of cancellation", false}}
	columns := []DataColumn{
		{Heading: "Date", Holds: "days", Roles: roles, Warnings: []string{"The dates can be read in two ways; they are read with the day first."}},
		{Heading: "", Holds: "text", Roles: roles[:1]},
	}
	page := Data{
		Frame: frame, Zone: zone, Newest: true, MaxMB: 20,
		Datasets: []DatasetRow{
			{Link: "/console/data/set/ds_1", Name: "till", Period: "1 Jan 2025 to 28 Feb 2026", Rows: 4210, Files: 3, Current: true, At: morning},
			{Link: "/console/data/set/ds_2", Name: "suppliers of the second shop in the old town", Rows: 1, Files: 1, At: morning.AddDate(0, -2, 0)},
			{Name: "february", Importing: true, At: morning},
		},
		Waiting: []WaitingFile{{Link: "/console/data/upload/up_2", Name: "march.csv", Until: morning.AddDate(0, 0, 1)}, {Link: "/console/data/upload/up_1", Name: "february.csv", Until: morning.AddDate(0, 0, 1)}},
	}
	plain := page
	plain.Waiting, plain.Newest = nil, false
	set := Dataset{
		Frame: frame, ID: "ds_1", Name: "till", Period: "1 Jan 2025 to 28 Feb 2026", Kind: "sales", Revenue: "£41,230.50", Rows: 4210, Current: true, At: morning, Zone: zone,
		Undo: "A file was added on 2 Mar 2026, 10:00. Without it there were 3,900 rows. You can undo it for 30 days.", JustChanged: true, Browse: browsed(),
	}
	set.Notice = "The rows are added."
	parts := set
	parts.Browse, parts.Part, parts.Columns = nil, "columns", columns
	parts.Net, parts.Words = []string{"Status: rows with “refunded” are taken off."}, []DataWord{{"flattie", "Flat White of the column Product"}}
	parts.Targets = []string{"revenue", "Flat White"}
	refused := parts
	refused.Words, refused.Word, refused.Target = nil, "flattie", "Flat Wite"
	refused.Frame, refused.Field = wrongly(frame, "The target is not clear: till has no “Flat Wite”."), "target"
	past := set
	past.Browse, past.Part, past.JustChanged, past.Files = nil, "history", false, []DataFile{{"february.csv", 310, morning, false}, {"till.xlsx", 3900, morning.AddDate(0, -1, 0), true}}
	pushed := past
	pushed.Pushed, pushed.Fixed, pushed.Undo, pushed.Files = true, true, "", nil
	stopped := set
	stopped.Browse, stopped.Current, stopped.Undo = &DataRows{Search: "tea", Further: "/console/data/set/ds_1?q=tea&after=20000", Range: "0 rows found in the first 20,000 of 4,210,000 rows"}, false, ""
	faulty := set
	faulty.Notice, faulty.JustChanged, faulty.Browse = "", false, browsed()
	faulty.Browse.OnlyFaulty, faulty.Browse.Range = true, "2 rows with problems of 4,210"
	for i := range faulty.Browse.Lines {
		faulty.Browse.Lines[i].Problem = "Price: “heavy” is not a number"
	}
	faulty.Browse.Open.Problem = "Price: “heavy” is not a number"
	missed := stopped
	missed.Browse = &DataRows{Search: "tea", Unsorted: true}
	none := Data{Frame: wrongly(frame, "The file cannot be used: line 3: the row has 7 cells, the headings are 5."), Field: "file", MaxMB: 20}
	preview := DataPreview{
		Frame: Frame{Title: "february.csv", Section: "data", Account: badge}, ID: "up_1", File: "february.csv", Size: "1.2 MB", Zone: zone, Until: morning.AddDate(0, 0, 1),
		Targets: []Option{{"", "A new dataset", false}, {"ds_1", "till (4,210 rows)", true}}, Sheets: []Option{{"", "What fits best", true}, {"Feb", "Feb, 310 rows", false}},
		Dates:  []Option{{"day", "with the day first", true}, {"month", "with the month first", false}},
		Target: "till", Before: 4210, New: 300, Known: 9, Updated: 1, Rows: 310, Period: "1 Feb 2026 to 28 Feb 2026", Revenue: "£3,120.40", Made: "Price × Qty",
		Columns: columns, From: 40, Pages: []Option{{"0", "1 to 40", false}, {"40", "41 to 42", true}}, Cells: [][]string{{"2026-02-01", ""}, {"2026-02-02", "Flat White"}}, Notes: []string{"1 row is no data, such as a total, and is left out."},
	}
	unfit := preview
	unfit.New, unfit.Known, unfit.AddProblem, unfit.Columns = 0, 0, "the file does not fit till: it has no column “Price”", columns[1:]
	created := preview
	created.Target, created.Name, created.Sheets, created.Field = "", "till", nil, "dataset-name"
	created.Frame = wrongly(preview.Frame, "The name is that of a dataset that you have; type another.")
	broken := preview
	broken.Unreadable, broken.Columns, broken.Cells, broken.Notes = "cannot be used: there is no row of data under the headings", nil, nil, nil
	return []sample{
		{"data", page}, {"data-list", plain}, {"dataset", set}, {"dataset-columns", parts}, {"dataset-refused", refused}, {"dataset-history", past}, {"dataset-pushed", pushed}, {"dataset-stopped", stopped}, {"dataset-none", missed}, {"dataset-faulty", faulty}, {"data-empty", Data{Frame: frame, MaxMB: 20}}, {"data-refused", none},
		{"data-preview", preview}, {"data-preview-unfit", unfit}, {"data-preview-new", created}, {"data-preview-broken", broken},
	}
}

// browsed are rows of a dataset of which one is open.
func browsed() *DataRows {
	heads := Heads([]ListColumn{{Title: "Date", Order: "Date", Means: "date of sale"}, {Title: "Price", Order: "Price", Means: "price of a unit, £", Number: true}, {Order: "3", Means: "text"}},
		"-Date", func(order string) string { return "/console/data/set/ds_1?sort=" + order })
	cells := []DataCell{{Text: "1 Feb 2026"}, {Text: "3.40", Number: true}, {}}
	return &DataRows{
		Faulty: 2, All: "/console/data/set/ds_1", ShowFaulty: "/console/data/set/ds_1?show=problems", Sort: "-Date", From: 40, Heads: heads, Range: "Rows 51–52 of 4,210", Ends: true, Wide: true,
		Lines: []DataLine{{Number: "51", Link: "/console/data/set/ds_1?row=51", Open: true, Cells: cells}, {Number: "52", Link: "/console/data/set/ds_1?row=52", Cells: cells}},
		Parts: []Group{{Title: "1 to 40", Link: "/console/data/set/ds_1"}, {Title: "41 to 43", Link: "/console/data/set/ds_1?from=40", Chosen: true}},
		Pager: Pager{First: "/console/data/set/ds_1", Previous: "/console/data/set/ds_1?page=1", Next: "/console/data/set/ds_1?page=3"},
		Open:  &OpenLine{Title: "Row 51", Close: "/console/data/set/ds_1", Facts: []DataFact{{"Date", "1 Feb 2026"}, {"", ""}}},
	}
}

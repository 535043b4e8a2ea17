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
			{Link: "/console/data?open=ds_1", Name: "till", Period: "1 Jan 2025 to 28 Feb 2026", Rows: 4210, Files: 3, Current: true, Open: true, At: morning},
			{Link: "/console/data?open=ds_2", Name: "suppliers of the second shop in the old town", Rows: 1, Files: 1, At: morning.AddDate(0, -2, 0)},
			{Name: "february", Importing: true, At: morning},
		},
		Waiting: &WaitingFile{Link: "/console/data/upload/up_1", Name: "february.csv", Until: morning.AddDate(0, 0, 1)},
		Open: &Dataset{
			ID: "ds_1", Name: "till", Period: "1 Jan 2025 to 28 Feb 2026", Kind: "sales", Rows: 4210, Current: true, Columns: columns,
			Files: []DataFile{{"february.csv", 310, morning}, {"till.xlsx", 3900, morning.AddDate(0, -1, 0)}},
			Net:   []string{"Status: rows with “refunded” are taken off."}, Words: []DataWord{{"flattie", "Flat White of the column Product"}},
			Targets: []string{"revenue", "Flat White"}, Undo: "A file was added on 2 March 2026, 10:00 GMT. Without it there were 3,900 rows.",
		},
	}
	plain := page
	plain.Waiting, plain.Open, plain.Newest = nil, nil, false
	fixed := page
	other := *page.Open
	other.Fixed, other.Pushed, other.Undo, other.Words, other.Word, other.Target = true, true, "", nil, "flattie", "Flat Wite"
	fixed.Open, fixed.Frame, fixed.Field = &other, wrongly(frame, "The target is not clear: till has no “Flat Wite”."), "target"
	none := Data{Frame: wrongly(frame, "The file cannot be used: line 3: the row has 7 cells, the headings are 5."), Field: "file", MaxMB: 20}
	preview := DataPreview{
		Frame: Frame{Title: "february.csv", Section: "data", Account: badge}, ID: "up_1", File: "february.csv", Size: "1.2 MB", Zone: zone, Until: morning.AddDate(0, 0, 1),
		Targets: []Option{{"", "A new dataset", false}, {"ds_1", "till (4,210 rows)", true}}, Sheets: []Option{{"", "What fits best", true}, {"Feb", "Feb, 310 rows", false}},
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
		{"data", page}, {"data-list", plain}, {"data-fixed", fixed}, {"data-empty", Data{Frame: frame, MaxMB: 20}}, {"data-refused", none},
		{"data-preview", preview}, {"data-preview-unfit", unfit}, {"data-preview-new", created}, {"data-preview-broken", broken},
	}
}

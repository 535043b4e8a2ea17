package cmd_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"svc/server/money"
)

// TestDataAddKilled kills additions while their file is built: the dataset answers as
// before, and the same addition can be made again.
func TestDataAddKilled(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.write("january.csv", januaryText)
	var more strings.Builder
	more.WriteString("Order ID,Date,Item,Total\n")
	const rows = 40_000
	for i := range rows {
		fmt.Fprintf(&more, "B%d,2024-02-%02d,Tea,1.00\n", i, 1+i%28)
	}
	f.write("february.csv", more.String())
	f.ok(words("data import january.csv --name sales")...)
	before := f.ok(words("data export sales")...)

	for range 3 {
		add := f.command(f.binary, words("data import february.csv --name sales --add")...)
		if err := add.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, "the addition builds its file", f.buildsData)
		if err := add.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := add.Wait(); err == nil {
			t.Fatal("the addition ended before it was killed")
		}
		if after := f.ok(words("data export sales")...); after != before {
			t.Fatalf("%d bytes after a kill, want %d", len(after), len(before))
		}
		contains(t, f.ok("ask", "what is our revenue?"), "10.50")
		if list := f.ok(words("data list")...); strings.Contains(list, "importing") {
			t.Errorf("after a kill the list has\n%s", list)
		}
		f.ok(words("data import february.csv --name sales --add --dry-run")...)
		if left := append(f.dataFiles(".tmp"), f.dataFiles(".lock")...); len(left) > 0 {
			t.Errorf("the next import left %v", left)
		}
	}
	contains(t, f.ok(words("data import february.csv --name sales --add")...), fmt.Sprintf("%s new, 0 updated, 0 known; it has %s rows", money.Digits(rows, 0), money.Digits(rows+3, 0)))
}

// buildsData reports whether an import is writing its file.
func (f *folder) buildsData() bool { return len(f.dataFiles(".tmp")) > 0 }

// dataFiles returns the names of the datasets' files with a suffix.
func (f *folder) dataFiles(suffix string) (names []string) {
	all, err := os.ReadDir(f.path("svc.db-data"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range all {
		if strings.HasSuffix(file.Name(), suffix) {
			names = append(names, file.Name())
		}
	}
	return names
}

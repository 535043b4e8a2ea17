package inventory_test

import (
	"bytes"
	"mime/multipart"
	"net/url"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// workbook returns a workbook of sheets, each with its rows of cells that commas separate.
func workbook(t *testing.T, names []string, rows map[string][]string) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for i, name := range names {
		if i == 0 {
			_ = f.SetSheetName("Sheet1", name)
		} else if _, err := f.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		for n, row := range rows[name] {
			cell, _ := excelize.CoordinatesToCellName(1, n+1)
			cells := strings.Split(row, ",")
			if err := f.SetSheetRow(name, cell, &cells); err != nil {
				t.Fatal(err)
			}
		}
	}
	buf, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// sendList posts a product list to the page of imports and returns the address of its preview.
func sendList(t *testing.T, b *servertest.Browser, name string, content []byte) string {
	t.Helper()
	sent := postList(t, b, name, content)
	sent.Expect(t, 303, "")
	return sent.Header.Get("Location")
}

// postList posts a product list to the page of imports.
func postList(t *testing.T, b *servertest.Browser, name string, content []byte) servertest.Answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.Write(content)
	_ = form.Close()
	return b.Send(t, "POST", "/console/inventory/import", body.Bytes(), servertest.WithHeader("Content-Type", form.FormDataContentType()))
}

// The preview of a workbook has its sheets to choose from; the file is kept for that as long
// as the preview, and the preview stays if the chosen sheet cannot be used.
func TestImportChoosesASheet(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	_, b := s.Member(t, "shop@example.com")
	_, other := s.Member(t, "other@example.com")
	names := []string{"Shop", "Van", "Torn", "Cover"}
	at := sendList(t, b, "shop.xlsx", workbook(t, names, map[string][]string{
		"Shop": {"name,sku,price,stock_qty", "Tea,t,4.50,3", "Mug,m,7,1"}, "Van": {"name,price", "Ice,2.00"},
		"Torn": {"name,price,unit", "Jam,six,jar"}, "Cover": {"Stock of the year"},
	}))
	b.Get(t, at).ExpectPage(t, 200, "Tea", "Import 2 items", `<option value="Shop" selected>Shop, 2 rows, read now</option>`,
		`<option value="Van">Van, 1 row</option>`, `<option value="Torn">`)
	other.Post(t, at, url.Values{"sheet": {"Van"}}).ExpectErrorPage(t, 404, "not_found", "There is no such import")
	b.Post(t, at, url.Values{"sheet": {"Torn"}}).ExpectErrorPage(t, 400, "invalid_request", "has 1 fault to mend first", "six", "Import 2 items")
	b.Post(t, at, url.Values{"sheet": {"Van 2"}}).ExpectErrorPage(t, 400, "invalid_request", "The sheet cannot be read", "Import 2 items")

	chosen := b.Post(t, at, url.Values{"sheet": {"Van"}})
	chosen.Expect(t, 303, "")
	van := chosen.Header.Get("Location")
	b.Get(t, van).ExpectPage(t, 200, "Ice", "Import 1 item", `<option value="Van" selected>Van, 1 row, read now</option>`)
	b.Get(t, at).ExpectErrorPage(t, 404, "not_found", "There is no such import")
	kept, err := os.ReadDir(s.Path + "-data")
	if err != nil || len(kept) != 1 || kept[0].Name() != strings.TrimPrefix(van, "/console/inventory/imports/")+".file" {
		t.Errorf("kept %v, %v", kept, err)
	}

	if err := s.Store.SweepDataFiles(t.Context()); err != nil {
		t.Fatal(err)
	}
	best := b.Post(t, van, url.Values{"sheet": {""}})
	best.Expect(t, 303, "")
	at = best.Header.Get("Location")
	b.Post(t, at+"/confirm", nil).ExpectRedirect(t, at)
	b.Get(t, "/console/inventory").ExpectPage(t, 200, "Tea", "Mug", `<span class="hint">2 items, prices in GBP</span>`)
	b.Get(t, at).ExpectPage(t, 200, `<a href="/console/inventory?sort=-added"><p class="figure">2</p><p class="label">new</p></a>`,
		`<a href="/console/inventory?q=Tea"><bdi>Tea</bdi></a>`)
	s.Clock.Advance(time.Minute)
	at = sendList(t, b, "more.csv", []byte("name,sku,price\nZest,z,4.60\nTea,t,4.75\n"))
	b.Post(t, at+"/confirm", nil).ExpectRedirect(t, at)
	b.Get(t, at).ExpectPage(t, 200, `<a href="/console/inventory?q=Zest">`, `<a href="/console/inventory?open=item_`, "<del><bdi>4.50</bdi></del> <ins><bdi>4.75</bdi></ins>")
	list := string(b.Get(t, "/console/inventory?sort=-added").Body)
	if zest, mug := strings.Index(list, "<bdi>Zest</bdi>"), strings.Index(list, "<bdi>Mug</bdi>"); zest < 0 || mug < zest || !strings.Contains(list, "newest first") {
		t.Errorf("the newest is at %d and the mug at %d", zest, mug)
	}
	if err := s.Store.SweepDataFiles(t.Context()); err != nil {
		t.Fatal(err)
	}
	if kept, err = os.ReadDir(s.Path + "-data"); err != nil || len(kept) != 0 {
		t.Errorf("after the import: %v, %v", kept, err)
	}
}

// A value that is wrong and a row that the inventory does not know are told at once, by line.
func TestImportTellsAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	_, b := s.Member(t, "shop@example.com")
	a := postList(t, b, "shop.csv", []byte("name,sku,price\n,unknown,2.00\nTea,t,cheap\n"))
	a.ExpectErrorPage(t, 400, "invalid_request", "2 faults to mend first", "has no name, and the inventory does not know it", "is not a number")
	if text := string(a.Body); strings.Index(text, "has no name") > strings.Index(text, "is not a number") {
		t.Error("the faults are not in the order of the file")
	}
	b.Get(t, "/console/inventory").ExpectPage(t, 200, "No items yet")
}

// Whatever refuses a file that is too large, the limit is told in one unit.
func TestImportTellsTheLimitOfAFile(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	_, b := s.Member(t, "shop@example.com")
	b.Get(t, "/console/inventory/import").ExpectPage(t, 200, "at most 20 MB")
	for size, want := range map[int]string{20_000_001: "the file is larger than 20 MB", 21_000_000: "must be at most 20 MB"} {
		a := postList(t, b, "shop.csv", []byte(strings.Repeat("x", size)))
		if a.ExpectErrorPage(t, 400, "invalid_request", want); strings.Contains(string(a.Body), "MiB") {
			t.Errorf("%d bytes: the limit is in MiB", size)
		}
	}
}

// A stock below zero has a word of its own, and its form is that of a count.
func TestStockBelowZeroIsToBeCounted(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	id, b := s.Member(t, "shop@example.com")
	at := sendList(t, b, "shop.csv", []byte("name,sku,price,stock,unit\nTea,t,4,-3,bag\nMug,m,7,0,\n"))
	b.Post(t, at+"/confirm", nil).ExpectRedirect(t, at)
	b.Get(t, "/console/inventory?stock=out").ExpectPage(t, 200, `<span class="tag bad">Below zero</span> -3 bags`, `<span class="tag bad">Out</span> 0`)
	b.Get(t, "/console/inventory?open=t").ExpectPage(t, 200, `-3 bags</span> <span class="tag bad">Below zero</span>`, "Count it, and its stock is right again",
		`<option value="count" selected>Counted`)
	b.Get(t, "/console/inventory?open=m").ExpectPage(t, 200, `<span class="tag bad">Out of stock</span>`, "in stock; low at or below")
	var tea db.Item
	dbtest.View(t, s.Store, func(tx *db.Tx) (err error) {
		tea, err = tx.ItemBySKU(id, "t")
		return err
	})
	b.Get(t, "/console/inventory/scan?item="+tea.ID).ExpectPage(t, 200, `<span class="tag bad">Below zero: count it</span>`)
	b.Get(t, "/console/search?q=tea").ExpectPage(t, 200, "below zero", "-3 bags")
	b.Get(t, "/console/search?q=mug").ExpectPage(t, 200, "out of stock")
	b.Post(t, "/console/inventory/adjust", url.Values{"id": {"t"}, "how": {"count"}, "quantity": {"5"}})
	if page := b.Get(t, "/console/inventory?open=t"); strings.Contains(string(page.Body), "Below zero") {
		t.Error("it was counted, and is still below zero")
	}
}

// Rows with problems are left out only if that is said with their number. They can be downloaded
// with why, before and after, mended and sent again.
func TestImportLeavesOutRowsWithProblems(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	_, b := s.Member(t, "shop@example.com")
	_, other := s.Member(t, "other@example.com")
	at := sendList(t, b, "shop list.csv", []byte("name,sku,price,note\n,unknown,2.00,a\nTea,t,cheap,\"b, c\"\nMug,m,7,d\nJam,j,1,e,f,g\nCup,c,8,h\n"))
	b.Get(t, at).ExpectPage(t, 200, "3 rows have problems", `name="leave_out" value="3"`, "Import 2 items; leave out 3 rows",
		"has no name, and the inventory does not know it", "price: &#34;cheap&#34; is not a number", "the row has 6 cells", `With problems <span class="num">3</span>`, `Good rows <span class="num">2</span>`)
	good := b.Get(t, at+"?rows=all")
	good.ExpectPage(t, 200, "<bdi>Mug</bdi>", "<bdi>Cup</bdi>")
	if strings.Contains(string(good.Body), "cheap") {
		t.Error("the good rows have a row with problems")
	}
	const want = "name,sku,price,note,problem\n,unknown,2.00,a,\"has no name, and the inventory does not know it\"\n" +
		"Tea,t,cheap,\"b, c\",\"price: \"\"cheap\"\" is not a number\"\n" +
		"Jam,j,1,e,\"the row has 6 cells, but there are 4 headings; a delimiter or a quote may be wrong\",f,g\n"
	file := b.Get(t, at+"/problems.csv")
	if file.Status != 200 || string(file.Body) != want || file.Header.Get("Content-Disposition") != `attachment; filename="shop list-problems.csv"` {
		t.Errorf("%d %v\n%s\nwant\n%s", file.Status, file.Header, file.Body, want)
	}
	other.Get(t, at+"/problems.csv").ExpectErrorPage(t, 404, "not_found", "There is no such import")

	for _, number := range []string{"", "0", "2"} {
		b.Post(t, at+"/confirm", url.Values{"leave_out": {number}}).ExpectErrorPage(t, 409, "conflict", "Nothing was imported", "3 rows have problems")
	}
	b.Get(t, "/console/inventory").ExpectPage(t, 200, "No items yet")
	dbtest.Update(t, s.Store, func(tx *db.Tx) error { return tx.ReadyImport(db.Import{ID: path.Base(at)}) }) // as Confirm does
	b.Get(t, at).ExpectPage(t, 200, "Importing…", "shop list.csv", "2 rows are left of", at+"/problems.csv")
	if running := b.Get(t, at+"/problems.csv"); string(running.Body) != want || running.Header.Get("Content-Disposition") != file.Header.Get("Content-Disposition") {
		t.Errorf("while it runs: %v\n%s", running.Header, running.Body)
	}
	if err := s.App.Inventories.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.Get(t, at).ExpectPage(t, 200, "3 rows with problems were left out", `<p class="figure">2</p><p class="label">new</p>`, at+"/problems.csv")
	b.Get(t, "/console/inventory").ExpectPage(t, 200, "Mug", "Cup", `<span class="hint">2 items, prices in GBP</span>`)
	if again := b.Get(t, at+"/problems.csv"); string(again.Body) != want {
		t.Errorf("after the import: %s", again.Body)
	}
	b.Get(t, "/console/inventory/import").ExpectPage(t, 200, `data-unit="left out">3</td>`)

	mended := strings.NewReplacer("cheap", "4.50", ",unknown", "Ice,unknown", ",f,g", "").Replace(want)
	at = sendList(t, b, "mended.csv", []byte(mended))
	b.Get(t, at).ExpectPage(t, 200, "Import 3 items<")
	b.Get(t, at+"/problems.csv").ExpectErrorPage(t, 404, "not_found", "There is no such import")
}

// A product with its stock at several locations is left out with all of its rows.
func TestImportLeavesOutWholeProducts(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	_, b := s.Member(t, "shop@example.com")
	at := sendList(t, b, "stock.csv", []byte("Handle,Title,SKU,Location,On hand\ntea,Tea,t,Shop,3\ntea,Tea,t,Van,many\nmug,Mug,m,Shop,1\n"))
	b.Get(t, at).ExpectPage(t, 200, "2 rows have problems", "belongs to a product with a problem", "Import 1 item; leave out 2 rows")
	// Of which product a row with too many cells is, is not known.
	postList(t, b, "stock.csv", []byte("Handle,Title,SKU,Location,On hand\ntea,Tea,t,Shop,5\ntea,Tea,t,Van,7,extra\nmug,Mug,m,Shop,1\n")).Expect(t, 400, "invalid_request")
}

// A price with the sign of another currency is a problem of its row, and never taken for one of
// the account's; a sign that several currencies share is the account's own.
func TestImportRefusesForeignPrices(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	_, b := s.Member(t, "shop@example.com")
	at := sendList(t, b, "shop.csv", []byte("name,sku,price usd,Cost price (€)\nTea,t,€4.20,2\nMug,m,£7.00,3\nJam,j,2.00 USD,1\nCup,c,3,1\n"))
	b.Get(t, at).ExpectPage(t, 200, "2 rows have problems", "Import 2 items; leave out 2 rows",
		"&#34;€4.20&#34; has the currency €, and prices are in GBP; nothing is converted", "&#34;2.00 USD&#34; has the currency USD",
		"Cost price (€)</bdi>: <bdi>the prices are taken for GBP, whatever the heading says", "price usd</bdi>: <bdi>the prices are taken for GBP")
	b.Post(t, at+"/confirm", url.Values{"leave_out": {"2"}}).ExpectRedirect(t, at)
	b.Get(t, "/console/inventory").ExpectPage(t, 200, "£7.00", "£3.00", `<span class="hint">2 items, prices in GBP</span>`)
}

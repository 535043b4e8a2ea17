package dataset_test

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"svc/server/schema"
	"svc/server/servertest"
)

// sendFile posts a file to the page of data.
func sendFile(t *testing.T, b *servertest.Browser, name, text string) servertest.Answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.Write([]byte(text))
	_ = form.Close()
	return b.Send(t, "POST", "/console/data/upload", body.Bytes(), servertest.WithHeader("Content-Type", form.FormDataContentType()))
}

func TestDataPages(t *testing.T) {
	servertest.Sequential(t)
	t.Parallel()
	s := servertest.New(t)
	id, b := s.Member(t, "shop@example.com")
	sendFile(t, b, "bad.csv", "only words").ExpectErrorPage(t, 400, "invalid_request", "The file cannot be used")
	sendFile(t, b, "", "").ExpectErrorPage(t, 400, "invalid_request", "The file is missing: choose one.")
	b.Get(t, "/console/data").ExpectPage(t, 200, "up to 20 MB")
	for _, size := range []int{20_000_001, 21_000_000} {
		sendFile(t, b, "big.csv", strings.Repeat("x", size)).ExpectErrorPage(t, 400, "invalid_request", "at most 20 MB")
	}

	sent := sendFile(t, b, "till.csv", january)
	sent.Expect(t, 303, "")
	at := sent.Header.Get("Location")
	b.Get(t, at).ExpectPage(t, 200, "£10.50", "2 rows", "2 Jan 2026 to 5 Jan 2026")
	b.Get(t, "/console/data").ExpectPage(t, 200, "till.csv", "Not used yet")
	choice := url.Values{"do": {"create"}, "name": {"ds_x"}}
	b.Post(t, at, choice).ExpectErrorPage(t, 400, "invalid_request", "The name must not begin with ds_, as ids do.")
	choice.Set("name", "")
	used := b.Post(t, at, choice)
	used.Expect(t, 303, "")
	b.Get(t, used.Header.Get("Location")).ExpectPage(t, 200, "questions can be asked of it", "2 rows")
	b.Get(t, "/console/data").ExpectPage(t, 200, "read by ask")
	b.Post(t, at, choice).ExpectRedirect(t, strings.TrimSuffix(used.Header.Get("Location"), "?done=created")) // pressed twice
	b.Get(t, at).ExpectErrorPage(t, 404, "not_found", "This file is not kept any more")

	// A name that is taken, and a choice of a dataset that is not the account's.
	sent = sendFile(t, b, "till.csv", february)
	at = sent.Header.Get("Location")
	b.Get(t, at).ExpectPage(t, 200, "New to <bdi>till</bdi>")
	b.Post(t, at, url.Values{"do": {"create"}}).ExpectErrorPage(t, 400, "invalid_request", "The name is that of a dataset that you have")
	b.Post(t, at, url.Values{"do": {"add"}, "target": {"ds_none"}}).ExpectErrorPage(t, 404, "not_found", "There is no such dataset.")
	b.Post(t, at, url.Values{"do": {"discard"}}).ExpectRedirect(t, "/console/data?done=discarded")

	source, err := s.App.Datasets.Find(context.Background(), id, "till")
	if err != nil {
		t.Fatal(err)
	}
	set := "/console/data/set/" + source.ID
	b.Post(t, set+"/roles", url.Values{"role-0": {"revenue"}}).ExpectErrorPage(t, 400, "invalid_request", "cannot be the revenue")
	b.Post(t, set+"/words", url.Values{"word": {"brew"}, "target": {"Tee"}}).ExpectErrorPage(t, 400, "invalid_request", "The target is not clear", "Tee")
	b.Post(t, set+"/undo", nil).ExpectErrorPage(t, 409, "conflict", "Nothing of till can be undone.")
	csv := b.Get(t, set+"/rows.csv")
	if csv.Status != 200 || string(csv.Body) != strings.ReplaceAll(january, "\r", "") {
		t.Errorf("%d %s", csv.Status, csv.Body)
	}
	b.Post(t, set+"/use", nil).Expect(t, 303, "")
	b.Get(t, "/console/data").ExpectPage(t, 200, "the one that you chose", "Read the newest again")
	b.Post(t, "/console/data/newest", nil).ExpectRedirect(t, "/console/data?done=newest")
}

// A file with more columns than a preview shows has them in parts; roles chosen in one part
// stay while another is shown, and also count from a part that was left by the way back.
func TestPreviewReachesEveryColumn(t *testing.T) {
	servertest.Sequential(t)
	t.Parallel()
	s := servertest.New(t)
	id, b := s.Member(t, "shop@example.com")
	head, row := "Date,Amount", "\n2026-01-05,3.50"
	for i := range 80 {
		head, row = fmt.Sprintf("%s,Extra %d", head, i), fmt.Sprintf("%s,word %d", row, i)
	}
	at := sendFile(t, b, "wide.csv", head+row+"\n").Header.Get("Location")
	first := b.Get(t, at)
	first.ExpectPage(t, 200, "Extra 37", "word 37", `value="40">41 to 80<`, `value="80">81 to 82<`)
	if first.Says("Extra 38") || len(first.Body) > 60_000 {
		t.Errorf("%d bytes with the first 40 columns", len(first.Body))
	}

	more := func(form url.Values, texts ...string) {
		t.Helper()
		b.Post(t, at, form).ExpectRedirect(t, at+"#rows")
		b.Get(t, at).ExpectPage(t, 200, texts...)
	}
	more(url.Values{"shown": {"0"}, "role-5": {"product"}, "from": {"40"}}, "Extra 38", "word 77", `name="shown" value="40"`)
	more(url.Values{"shown": {"40"}, "role-4": {"category"}, "from": {"80"}}, "Extra 78", "word 79")
	b.Post(t, at, url.Values{"shown": {"40"}, "role-0": {"store"}}).ExpectRedirect(t, at)
	b.Get(t, at).ExpectPage(t, 200, "Extra 38", `<option value="store" selected>`, `<option value="category" selected>`)
	more(url.Values{"shown": {"40"}, "from": {"9999"}}, "Extra 3", `<option value="product" selected>`)

	b.Post(t, at, url.Values{"do": {"create"}, "shown": {"80"}, "role-1": {"channel"}}).Expect(t, 303, "")
	source, err := s.App.Datasets.Find(context.Background(), id, "wide")
	if err != nil {
		t.Fatal(err)
	}
	for at, role := range map[int]schema.Role{5: schema.Product, 40: schema.Store, 44: schema.Category, 81: schema.Channel} {
		if c := source.Columns[at]; c.Role != role {
			t.Errorf("%s is %q, want %q", c.Heading, c.Role, role)
		}
	}
}

// The sheets of a workbook are a choice with their rows, the one that is read chosen. Roles stay
// with the sheet for which they were chosen.
func TestPreviewChoosesASheet(t *testing.T) {
	servertest.Sequential(t)
	t.Parallel()
	s := servertest.New(t)
	_, b := s.Member(t, "shop@example.com")
	f := excelize.NewFile()
	defer f.Close()
	_ = f.SetSheetName("Sheet1", "May")
	if _, err := f.NewSheet("Costs"); err != nil {
		t.Fatal(err)
	}
	for name, rows := range map[string][][]string{
		"May":   {{"Date", "Product", "Qty", "Price", "Shelf"}, {"2026-05-02", "Tea", "2", "3.00", "A"}, {"2026-05-03", "Mug", "1", "7.00", "B"}},
		"Costs": {{"Date", "Amount"}, {"2026-05-09", "120.00"}},
	} {
		for n, row := range rows {
			if err := f.SetSheetRow(name, fmt.Sprintf("A%d", n+1), &row); err != nil {
				t.Fatal(err)
			}
		}
	}
	buf, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	at := sendFile(t, b, "till.xlsx", buf.String()).Header.Get("Location")
	const may, costs = `<option value="May" selected>May, 2 rows, read now</option>`, `<option value="Costs">Costs, 1 row</option>`
	b.Get(t, at).ExpectPage(t, 200, may, costs)
	b.Post(t, at, url.Values{"sheet": {"May"}, "role-4": {"category"}}).ExpectRedirect(t, at)
	b.Get(t, at).ExpectPage(t, 200, may, `<option value="category" selected>`)
	b.Post(t, at, url.Values{"sheet": {"Costs"}, "role-4": {"category"}}).ExpectRedirect(t, at)
	b.Get(t, at).ExpectPage(t, 200, `<option value="Costs" selected>Costs, 1 row, read now</option>`, "120.00")
}

// Dates that may be read either way are a choice, which stays with the file.
func TestPreviewChoosesTheOrderOfDates(t *testing.T) {
	servertest.Sequential(t)
	t.Parallel()
	s := servertest.New(t)
	_, b := s.Member(t, "shop@example.com")
	at := sendFile(t, b, "may.csv", "Date,Item,Total\n02/01/2026,Tea,3.00\n03/01/2026,Tea,3.00\n").Header.Get("Location")
	const byDay, byMonth = `<option value="day" selected>with the day first</option>`, `<option value="month" selected>with the month first</option>`
	b.Get(t, at).ExpectPage(t, 200, "2 Jan 2026 to 3 Jan 2026", "they are read with the day first.", byDay)
	b.Post(t, at, url.Values{"dates": {"month"}}).ExpectRedirect(t, at)
	b.Get(t, at).ExpectPage(t, 200, "1 Feb 2026 to 31 Mar 2026", byMonth)
	set := b.Post(t, at, url.Values{"do": {"create"}, "dates": {"month"}}).Header.Get("Location")
	b.Get(t, set).ExpectPage(t, 200, "1 Feb 2026 to 31 Mar 2026")

	at = sendFile(t, b, "june.csv", "Date,Item,Total\n13/01/2026,Tea,3.00\n").Header.Get("Location")
	page := b.Get(t, at)
	if page.ExpectPage(t, 200, "13 Jan 2026"); page.Says(`name="dates"`) {
		t.Error("an order that is sure is a choice")
	}
}

// A file of one day names it once.
func TestPagesNameASingleDayOnce(t *testing.T) {
	servertest.Sequential(t)
	t.Parallel()
	s := servertest.New(t)
	_, b := s.Member(t, "shop@example.com")
	once := func(at string) {
		t.Helper()
		page := b.Get(t, at)
		if page.ExpectPage(t, 200, "1 Feb 2026"); page.Says("1 Feb 2026 to 1 Feb 2026") {
			t.Errorf("%s names the day twice", at)
		}
	}
	sent := sendFile(t, b, "fair.csv", "Date,Item,Total\n2026-02-01,Mug,7.00\n2026-02-01,Tea,3.00\n")
	sent.Expect(t, 303, "")
	once(sent.Header.Get("Location"))
	used := b.Post(t, sent.Header.Get("Location"), url.Values{"do": {"create"}})
	used.Expect(t, 303, "")
	for _, at := range []string{used.Header.Get("Location"), "/console/data", "/console/search?q=fair"} {
		once(at)
	}
}

// The sample sales are there at once, and again in place of themselves.
func TestSampleSales(t *testing.T) {
	servertest.Sequential(t)
	t.Parallel()
	s := servertest.New(t)
	id, b := s.Member(t, "shop@example.com")
	for range 2 {
		b.Post(t, "/console/data/sample", nil).ExpectRedirect(t, "/console/ask?done=sample")
		source, err := s.App.Datasets.Find(context.Background(), id, "Sample sales")
		if err != nil || source.Rows < 2000 || source.First != "2025-03-02" || source.Last != "2026-03-01" {
			t.Errorf("%d rows, %s to %s, %v", source.Rows, source.First, source.Last, err)
		}
	}
}

// Files that are looked at stand side by side; the oldest makes room for the sixth.
func TestUploadsWaitSideBySide(t *testing.T) {
	servertest.Sequential(t)
	t.Parallel()
	s := servertest.New(t)
	_, b := s.Member(t, "shop@example.com")
	var all []string
	for range 6 {
		all = append(all, sendFile(t, b, "till.csv", january).Header.Get("Location"))
	}
	b.Get(t, all[0]).ExpectErrorPage(t, 404, "not_found", "or 5 newer ones came")
	sendFile(t, b, "till.pdf", "%PDF-1.7\n") // is refused, and takes no other's place
	for _, at := range all[1:] {
		b.Get(t, at).ExpectPage(t, 200, "2 rows")
	}
}

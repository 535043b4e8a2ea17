package server_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// writeFile writes a file to choose in the browser and returns its path.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// An owner without data looks at a file, corrects a role, uses it, adds the next month,
// undoes that, replaces the rows, teaches a word and removes the dataset.
func TestBrowserData(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t)
	owner := s.Person(t, "shop@example.com")
	const head = "Date,Order,Item,Qty,Unit price,Shelf\n"
	january := head + "2026-01-05,1,Flat White,2,£3.40,A\n2026-01-06,2,Mug,1,£12.00,B\n"
	february := head + "2026-01-06,2,Mug,1,£12.00,B\n2026-02-03,3,Flat White,1,£3.40,A\n"

	signIn(b, s, "shop@example.com", "/console/data")
	look(b, "console-data-empty")
	b.Files("#file", writeFile(t, "till.csv", january)) // it is sent at once
	b.Until(`location.pathname.startsWith("/console/data/upload/up_") && document.querySelector("table.rows") !== null`)
	look(b, "console-data-preview")
	text := b.Text()
	for _, part := range []string{"2 rows", "5 Jan 2026 to 6 Jan 2026", "£18.80", "Unit price × Qty", "Nothing of it is used yet"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in the preview: %s", part, text)
		}
	}
	upload := viewstest.Evaluate[string](b, `location.pathname`)
	b.Choose("#role-5", "category")
	b.Until(`document.querySelector("#role-5").value === "category" && !document.querySelector(".htmx-request")`)
	b.Press("Use these rows")
	b.Until(`document.body.innerText.includes("questions can be asked of it")`)
	look(b, "console-dataset")
	b.Width(390)
	if wider := viewstest.Evaluate[int](b, `(() => { const g = document.querySelector(".scroll:has(> .grid)"); return g.scrollWidth - g.clientWidth; })()`); wider > 0 {
		t.Errorf("on a phone the rows are %d pixels wider than their place", wider)
	}
	const shown = `[...document.querySelectorAll(".grid thead th")].filter((e) => e.offsetParent !== null).map((e) => e.firstChild.textContent).join()`
	if heads := viewstest.Evaluate[string](b, shown); heads != "Row,Date,Item,Unit price" {
		t.Errorf("on a phone a row shows %s", heads)
	}
	b.Width(1280)
	b.Click(`.grid thead a[href*="sort=Qty"]`)
	b.Until(`document.querySelector(".grid [aria-sort=ascending]") !== null`)
	if cells := viewstest.Evaluate[string](b, `[...document.querySelectorAll(".grid tbody td:nth-child(4)")].map((e) => e.innerText).join()`); cells != "Mug,Flat White" {
		t.Errorf("by quantity: %s", cells)
	}
	b.Type("#q", "flat")
	b.Until(`document.querySelector("#range").innerText.includes("1 row found of 2")`)
	b.Click(".grid tbody th a")
	b.Until(`document.querySelector("aside #open") !== null`)
	look(b, "console-dataset-row")
	if text := b.Text(); !strings.Contains(text, "price of a unit, £") || !strings.Contains(text, "5 Jan 2026") {
		t.Errorf("the open row: %s", text)
	}
	source, err := s.App.Datasets.Find(context.Background(), owner.ID, "till")
	if err != nil || source.Rows != 2 || source.Columns[5].Role != "category" {
		t.Fatalf("%+v, %v", source, err)
	}

	next := func(text string) {
		t.Helper()
		b.Go(s.URL + "/console/data")
		b.Files("#file", writeFile(t, "february.csv", text))
		b.Until(`location.pathname.startsWith("/console/data/upload/up_") && document.querySelector("table.rows") !== null`)
	}
	next(february)
	look(b, "console-data-preview-add")
	if text := b.Text(); !strings.Contains(text, "New to till") || !strings.Contains(text, "1 row is known") {
		t.Errorf("what would be added: %s", text)
	}
	b.Press("Add to till")
	b.Until(`document.body.innerText.includes("The rows are added")`)
	if n := viewstest.Evaluate[int](b, `document.querySelectorAll("main .banner, main form[action$='/undo']").length`); n != 1 {
		t.Errorf("%d banners, want the one with the undo", n)
	}
	look(b, "console-data-added")
	rows := func(want int64) {
		t.Helper()
		if source, err = s.App.Datasets.Find(context.Background(), owner.ID, "till"); err != nil || source.Rows != want {
			t.Errorf("%d rows, want %d, %v", source.Rows, want, err)
		}
	}
	rows(3)
	b.Press("Undo it")
	b.Until(`document.body.innerText.includes("Undone")`)
	rows(2)

	next(head + "2026-02-03,3,Flat White,1,£3.40,A\n")
	b.Click(".confirm summary")
	b.Press("Replace 2 rows")
	b.Until(`document.body.innerText.includes("The rows are replaced")`)
	rows(1)

	b.Click(`nav.parts a[href$="part=columns"]`)
	b.Until(`document.querySelector("#word") !== null`)
	b.Type("#word", "flattie")
	b.Type("#target", "Flat White")
	b.Press("Teach it")
	b.Until(`document.body.innerText.includes("flattie means Flat White")`)
	look(b, "console-dataset-columns")
	page := viewstest.Evaluate[string](b, `location.pathname + location.search`)
	b.Click(`nav.parts a[href$="part=history"]`)
	b.Until(`document.querySelector("#files") !== null`)
	look(b, "console-dataset-history")
	if text := textOf(b, ".scroll"); !strings.Contains(text, "till.csv") || strings.Count(text, "february.csv") != 1 || strings.Count(strings.ToLower(text), "replaced") != 1 {
		t.Errorf("the history: %s", text)
	}
	b.Click(".confirm summary")
	b.Press("Remove till")
	b.Until(`document.body.innerText.includes("The dataset is removed")`)
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}

	other, own := s.Browser(t), s.Browser(t)
	s.Person(t, "other@example.com")
	other.SignIn(t, "other@example.com", servertest.Password)
	own.SignIn(t, owner.Email, servertest.Password)
	importTill(t, s, owner.ID)
	other.Get(t, upload).ExpectErrorPage(t, 404, "not_found", "This file is not kept any more: it was used or discarded")
	source, err = s.App.Datasets.Find(context.Background(), owner.ID, "till")
	if err != nil {
		t.Fatal(err)
	}
	other.Get(t, page).ExpectErrorPage(t, 404, "not_found")
	other.Get(t, "/console/data/set/"+source.ID+"?q=tea&sort=Date&row=1").ExpectErrorPage(t, 404, "not_found", "There is no such dataset.")
	own.Get(t, "/console/data/set/"+source.ID+"?row=999").ExpectErrorPage(t, 404, "not_found", "The dataset has no such row.", `href="/console/data/set/`+source.ID+`">To the dataset</a>`)
	other.Get(t, "/console/data?open="+source.ID).ExpectErrorPage(t, 404, "not_found", "There is no such dataset.")
	other.Get(t, "/console/data/set/"+source.ID+"/rows.csv").ExpectErrorPage(t, 404, "not_found")
	for _, act := range []string{"roles", "use", "undo", "remove", "words", "forget"} {
		other.Post(t, "/console/data/set/"+source.ID+"/"+act, url.Values{"word": {"x"}, "target": {"revenue"}}).ExpectErrorPage(t, 404, "not_found")
	}
	rows(180)
}

// A file that is looked at stays when another is sent, the columns to check stand before the
// buttons, and the rows with problems are found with their reasons. A wrong row is undone once.
func TestBrowserDataProblems(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t)
	s.Person(t, "shop@example.com")
	const head = "Date,Order,Item,Qty,Unit price\n"
	rows := head
	for n := range 12 {
		rows += fmt.Sprintf("2026-01-%02d,%d,Mug,2,3.40\n", n+1, n)
	}
	rows += "2026-01-20,13,Mug,a few,3.40\n2026-01-21,14,Mug,1,gift\n"
	signIn(b, s, "shop@example.com", "/console/data")
	send := func(name, text string) string {
		b.Go(s.URL + "/console/data")
		b.Files("#file", writeFile(t, name, text))
		b.Until(`location.pathname.startsWith("/console/data/upload/up_") && document.querySelector("table.rows") !== null`)
		return viewstest.Evaluate[string](b, `location.pathname`)
	}
	first := send("till.csv", rows)
	look(b, "console-data-preview-doubts")
	if above := viewstest.Evaluate[bool](b, `document.querySelector(".taken .doubted").compareDocumentPosition(document.querySelector("button[value=create]")) === 4`); !above {
		t.Error("the columns to check are not before the buttons")
	}
	send("other.csv", head+"2026-02-01,1,Cup,1,2.00\n")
	b.Go(s.URL + "/console/data")
	look(b, "console-data-waiting")
	if text := b.Text(); !strings.Contains(text, "till.csv") || !strings.Contains(text, "other.csv") {
		t.Errorf("what waits: %s", text)
	}
	b.Click(`main a[href="` + first + `"]`)
	b.Until(`document.querySelector("table.rows") !== null`)
	b.Press("Use these rows")
	b.Until(`document.body.innerText.includes("questions can be asked of it")`)
	b.Click(`.groups a[href*="show=problems"]`)
	b.Until(`document.querySelector("#range").innerText.includes("2 rows with problems of 14")`)
	look(b, "console-dataset-problems")
	if text := textOf(b, ".grid"); !strings.Contains(text, `Qty: "a few" is not a number`) || !strings.Contains(text, `Unit price: "gift" is not a number`) {
		t.Errorf("the problems: %s", text)
	}
	b.Click(".grid tbody th a")
	b.Until(`document.querySelector("aside .banner") !== null`)
	look(b, "console-dataset-problem")
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

// From a console without data it is three clicks to the first answered question.
func TestBrowserFirstQuestion(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t)
	s.Person(t, "shop@example.com")
	b.Width(1280)
	signIn(b, s, "shop@example.com", "/console")
	b.Click(`#menu a[href="/console/ask"]`)
	b.UntilTitle("Ask")
	look(b, "console-ask-empty")
	b.Press("Try it with sample sales")
	b.Until(`document.querySelector("#try") !== null`)
	look(b, "console-ask-sample")
	b.Click("#try + .chips .chip")
	b.Until(`location.pathname.startsWith("/console/ask/ask_") && document.querySelector(".answer svg") !== null && !document.querySelector(".htmx-request")`)
	look(b, "console-ask-first")
	if text := b.Text(); !strings.Contains(text, "high confidence") || !strings.Contains(text, "Sample sales") {
		t.Errorf("the first answer: %s", text)
	}
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

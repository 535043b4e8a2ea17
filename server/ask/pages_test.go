package ask_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"svc/server/dataset"
	"svc/server/servertest"
)

// console is a server with a shop that has two datasets, and its browser.
func console(t *testing.T) (s *servertest.Server, id string, b *servertest.Browser) {
	t.Helper()
	s = servertest.New(t)
	id, b = s.Member(t, "shop@example.com")
	for name, text := range map[string]string{
		"till.csv": "Date,Product,Revenue\n2026-02-02,Tea,3.00\n2026-02-03,Coffee,4.50\n",
		"web.csv":  "Date,Product,Revenue\n2026-02-02,Mug,9.00\n",
	} {
		_, _, err := s.App.Datasets.Import(context.Background(), id, dataset.File{Name: name, Content: strings.NewReader(text), Size: int64(len(text))})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.App.Datasets.Use(context.Background(), id, "till"); err != nil {
		t.Fatal(err)
	}
	return s, id, b
}

func TestAskPageReadsTheChosenData(t *testing.T) {
	t.Parallel()
	s, id, b := console(t)
	web, err := s.App.Datasets.Find(context.Background(), id, "web")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(scope string) string {
		a := b.Post(t, "/console/ask", url.Values{"question": {"What is our revenue?"}, "dataset": {scope}})
		a.Expect(t, 303, "")
		return a.Header.Get("Location")
	}
	b.Get(t, ask("")).ExpectPage(t, 200, "£7.50", "from <bdi>till</bdi>")
	other := ask(web.ID)
	b.Get(t, other).ExpectPage(t, 200, "£9", "from <bdi>web</bdi>")
	b.Post(t, "/console/ask", url.Values{"question": {"What is our revenue?"}, "dataset": {"ds_none"}}).
		ExpectErrorPage(t, 400, "invalid_request", "The dataset is no longer there; choose another.")

	// The figures follow the data, also when these are gone.
	if _, err := s.App.Datasets.Remove(context.Background(), id, "web"); err != nil {
		t.Fatal(err)
	}
	b.Get(t, other).ExpectPage(t, 200, "no longer there", "not answered")
}

// A month in which the data begin or end is marked; a whole one is not.
func TestAskPageMarksPartMonths(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	id, b := s.Member(t, "shop@example.com")
	const text = "Date,Product,Revenue\n2026-01-14,Tea,3.00\n2026-02-10,Tea,4.50\n2026-03-01,Tea,2.00\n"
	_, _, err := s.App.Datasets.Import(context.Background(), id, dataset.File{Name: "till.csv", Content: strings.NewReader(text), Size: int64(len(text))})
	if err != nil {
		t.Fatal(err)
	}
	a := b.Post(t, "/console/ask", url.Values{"question": {"What is our revenue by month?"}})
	a.Expect(t, 303, "")
	page := b.Get(t, a.Header.Get("Location"))
	page.ExpectPage(t, 200, "Jan 2026 (from 14 Jan) and Mar 2026 (so far) are only partly in these figures.", `<th scope="row">Feb 2026</th>`)
	if n := strings.Count(string(page.Body), `class=" part"`); n != 2 {
		t.Errorf("%d columns are paler, want 2", n)
	}
	a = b.Post(t, "/console/ask", url.Values{"question": {"What is our revenue by quarter?"}})
	a.Expect(t, 303, "")
	b.Get(t, a.Header.Get("Location")).ExpectPage(t, 200, "Q1 2026 (from 14 Jan, so far) is only partly in these figures.")
}

func TestAskPageRefuses(t *testing.T) {
	t.Parallel()
	s, _, b := console(t)
	post := func(question string) servertest.Answer {
		return b.Post(t, "/console/ask", url.Values{"question": {question}})
	}
	post(" ").ExpectErrorPage(t, 400, "invalid_request", "The question is required.")
	post(strings.Repeat("x", 2001)).ExpectErrorPage(t, 400, "invalid_request", "at most 2000 characters")
	for range 30 {
		post("What is our revenue?").Expect(t, 303, "")
	}
	limited := post("What is our revenue?")
	limited.ExpectErrorPage(t, 429, "rate_limited", "at most 30 questions a minute")
	if limited.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	if n := s.Count(t, "SELECT count(*) FROM questions"); n != 1 {
		t.Errorf("%d questions are stored", n)
	}
	if n := s.Count(t, "SELECT count(*) FROM meters"); n != 0 {
		t.Errorf("%d meters count questions of the console", n)
	}
	s.Clock.Advance(time.Minute)
	post("What is our margin?").Expect(t, 303, "")
}

func TestAskPageTeaches(t *testing.T) {
	t.Parallel()
	_, _, b := console(t)
	a := b.Post(t, "/console/ask", url.Values{"question": {"How much brew did we sell?"}})
	a.Expect(t, 303, "")
	at := a.Header.Get("Location")
	b.Get(t, at).ExpectPage(t, 200, `value="brew"`, "not answered")
	b.Post(t, at+"/words", url.Values{"word": {"brew"}, "target": {"Koffie"}}).ExpectErrorPage(t, 404, "not_found", "The target is not clear", "Koffie")
	b.Post(t, at+"/words", url.Values{"word": {""}, "target": {"Coffee"}}).ExpectErrorPage(t, 400, "invalid_request", "The word must have a letter.")
	taught := b.Post(t, at+"/words", url.Values{"word": {"brew"}, "target": {"Coffee"}})
	taught.Expect(t, 303, "")
	b.Get(t, taught.Header.Get("Location")).ExpectPage(t, 200, "The word is learned", "£4.50")
	b.Post(t, at+"/remove", nil).ExpectRedirect(t, "/console/ask?done=removed")
	b.Get(t, at).ExpectErrorPage(t, 404, "not_found")
}

// A question with several unknown words offers to teach each of them, and no pin.
func TestAskPageTeachesEachUnknownWord(t *testing.T) {
	t.Parallel()
	_, _, b := console(t)
	a := b.Post(t, "/console/ask", url.Values{"question": {"How much zorb did the flumple sell?"}})
	at := a.Header.Get("Location")
	page := b.Get(t, at)
	page.ExpectPage(t, 200, "I meant …", `value="zorb"`, `value="flumple"`, `<optgroup label="Columns"><option>Date</option><option>Product</option>`, `<optgroup label="Product"><option>Coffee</option>`)
	if page.Says("Pin to the overview") {
		t.Error("a question without an answer can be pinned")
	}
	two := func(first, second string) url.Values {
		return url.Values{"word": {"zorb", "flumple"}, "target": {first, second}}
	}
	b.Post(t, at+"/words", two("", " ")).ExpectErrorPage(t, 400, "invalid_request", "The target is required.", `value="flumple"`)
	b.Post(t, at+"/words", nil).ExpectErrorPage(t, 400, "invalid_request", "The target is required.")
	b.Post(t, at+"/words", two("revenue", "Koffie")).ExpectErrorPage(t, 404, "not_found", "The target is not clear", `value="zorb"`, "Koffie")
	taught := b.Post(t, at+"/words", two("revenue", "Coffee"))
	taught.Expect(t, 303, "")
	b.Get(t, taught.Header.Get("Location")).ExpectPage(t, 200, "The word is learned", "£4.50", "Pin to the overview")
}

// A table has its amounts with their sign, and a count of its one row is no headline.
func TestAskPageTable(t *testing.T) {
	t.Parallel()
	_, _, b := console(t)
	show := func(question string) servertest.Answer {
		a := b.Post(t, "/console/ask", url.Values{"question": {question}})
		a.Expect(t, 303, "")
		return b.Get(t, a.Header.Get("Location"))
	}
	show("What are revenue and orders by product?").ExpectPage(t, 200, `<td class="num">£4.50</td>`, "2 rows")
	one := show("Which products have revenue over 4?")
	one.ExpectPage(t, 200, "Coffee", `<td class="num">£4.50</td>`, "1 row")
	if one.Says("Product: 1") || one.Says(`class="tiles"`) {
		t.Errorf("one row is counted: %s", one.Body)
	}
}

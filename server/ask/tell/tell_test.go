package tell_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/ask/compute"
	"svc/server/ask/read"
	"svc/server/ask/tell"
	"svc/server/dataset"
	"svc/server/schema"
	"svc/server/sheet"
)

// shop is a dataset and its reader.
type shop struct {
	source schema.Source
	file   *db.DataFile
	reader *read.Reader
}

// today is the last day of sales.
var today = time.Date(2024, 3, 31, 0, 0, 0, 0, time.UTC)

func open(t *testing.T, text string) *shop {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.db")
	s, _, err := dataset.Build(t.Context(), "shop.csv", strings.NewReader(text), int64(len(text)), sheet.Limits{}, path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := db.OpenDataFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return &shop{s, file, read.New([]schema.Source{s})}
}

// ask reads, computes and words a question.
func (s *shop) ask(t *testing.T, question string, o tell.Options) (tell.Answer, compute.Result) {
	t.Helper()
	if o.Today.IsZero() {
		o.Today = today
	}
	o.Reads = func(q string) bool { _, err := s.reader.Read(q, o.Today); return err == nil }
	reading, err := s.reader.Read(question, o.Today)
	if refusal, ok := err.(*read.Refusal); ok {
		return tell.Refuse(refusal, o), compute.Result{}
	}
	r, err := compute.Run(context.Background(), s.file, reading.Source, reading.Plan)
	if err != nil {
		t.Fatal(err)
	}
	return tell.Tell(r, reading, o), r
}

// sales returns three months of daily sales: 10 teas in January, 8 in February, 4 in
// March, of 2.50 each, and a mug a day, sold below cost.
func sales() string {
	var b strings.Builder
	b.WriteString("Order Date,Product,Store,Quantity,Total Sales,Cost\n")
	for day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC); !day.After(today); day = day.AddDate(0, 0, 1) {
		teas := map[time.Month]int{1: 10, 2: 8, 3: 4}[day.Month()]
		fmt.Fprintf(&b, "%s,Tea,North,%d,%.2f,%d\n", day.Format(time.DateOnly), teas, float64(teas)*2.5, teas)
		fmt.Fprintf(&b, "%s,Mug,South,1,5.00,6.00\n", day.Format(time.DateOnly))
	}
	return b.String()
}

const stock = "Product,Units in stock,Reorder level,Unit price\nTea,0,5,2.50\nMug,3,10,5.00\nPot,40,10,12.00\n"

func TestAnswers(t *testing.T) {
	s := open(t, sales())
	for question, want := range map[string]string{
		"total sales":                       "Revenue came to $2,120.",
		"sales in february":                 "Revenue in February 2024 came to $725.",
		"profit on mugs":                    "Profit for Mug came to -$91.",
		"margin on tea":                     "Margin for Tea came to 60 %.",
		"sales in february vs january":      "Revenue in February 2024 came to $725, down 22.04 % ($205) from $930 in January 2024.",
		"what share of sales is tea":        "Tea made up 78.54 % of revenue, which came to $2,120 in all.",
		"best selling product by units":     "Tea has the most units sold: 666.",
		"sales by month":                    "Revenue came to $2,120. By month, it was highest for January 2024 ($930) and lowest for March 2024 ($465). That is $706.67 a month on average.",
		"what if prices went up 10%":        "Simulated: with prices up 10 %, revenue would be $2,332 instead of $2,120, a change of $212. This assumes that as much is sold as before.",
		"how many products":                 "There are 2 products.",
		"which products are losing money":   "1 product with profit below $0: Mug.",
		"sales in north in march 2024":      "Revenue for North in March 2024 came to $310.",
		"which products sold most in march": "Tea has the most units sold in March 2024: 124. Then Mug (31).",
	} {
		a, _ := s.ask(t, question, tell.Options{Currency: "usd"})
		if !strings.HasPrefix(strings.ReplaceAll(a.Answer, "\n", " "), want) {
			t.Errorf("%q:\n got %s\nwant %s", question, a.Answer, want)
		}
	}
}

func TestVerdicts(t *testing.T) {
	s, list := open(t, sales()), open(t, stock)
	for _, row := range []struct {
		shop              *shop
		question, verdict string
	}{
		{s, "profit on mug", "problem"},
		{s, "which products are losing money", "problem"},
		{s, "sales in february vs january", "act"},
		{s, "tea units in february vs january", "act"},
		{s, "costs in february vs january", ""},
		{s, "mug sales in february vs january", "watch"},
		{s, "total sales", ""},
		{list, "what have we run out of?", "problem"},
		{list, "what should we reorder?", "act"},
		{list, "what is our stock worth?", ""},
	} {
		a, _ := row.shop.ask(t, row.question, tell.Options{})
		got := ""
		if a.Verdict != nil {
			got = *a.Verdict
		}
		if got != row.verdict {
			t.Errorf("%q: got %q %v, want %q", row.question, got, a.VerdictSentence, row.verdict)
		}
		if got != "" && (!strings.ContainsAny(*a.VerdictSentence, "0123456789") || !strings.ContainsAny(a.Recommendations[0], "0123456789")) {
			t.Errorf("%q: no figure in %q and %q", row.question, *a.VerdictSentence, a.Recommendations)
		}
	}
}

// H4.
func TestConfidence(t *testing.T) {
	s, list := open(t, sales()), open(t, stock)
	later := today.AddDate(0, 2, 0)
	for _, row := range []struct {
		shop           *shop
		question, want string
		today          time.Time
	}{
		{s, "total sales", tell.High, today},
		{s, "sales yesterday", tell.Medium, today},            // two rows
		{s, "sales in 2024", tell.Medium, today},              // the year is not over
		{s, "sales last month", tell.Medium, later},           // old data
		{s, "total sales", tell.High, later},                  // not about now
		{s, "sales in Nroth", tell.Medium, today},             // a typing error
		{s, "what did we sell in 2031", tell.Low, today},      // no such days
		{s, "how many unicorns", tell.Low, today},             // unknown word
		{list, "what is our stock worth", tell.Medium, today}, // every row of the list
	} {
		a, _ := row.shop.ask(t, row.question, tell.Options{Today: row.today})
		if a.Confidence != row.want {
			t.Errorf("%q on %s: got %s, want %s: %s", row.question, row.today.Format(time.DateOnly), a.Confidence, row.want, a.Answer)
		}
	}
}

func TestAnswerFromOldDataNamesTheirLastDay(t *testing.T) {
	a, _ := open(t, sales()).ask(t, "sales last month", tell.Options{Today: today.AddDate(1, 0, 0)})
	if !strings.Contains(a.Answer, "in February 2024") || !strings.Contains(a.Answer, "as of 31 March 2024") {
		t.Errorf("got %s", a.Answer)
	}
}

// H4, H5: a refusal has no number, and suggests what can be asked.
func TestRefusalHasNoNumber(t *testing.T) {
	s := open(t, sales())
	a, _ := s.ask(t, "how many returns did North have?", tell.Options{})
	if a.Confidence != tell.Low || len(a.KPICards) > 0 || a.Chart != nil || a.Table != nil || a.Verdict != nil || strings.ContainsAny(a.Answer, "0123456789") {
		t.Errorf("got %+v", a)
	}
	if len(a.FollowUps) == 0 {
		t.Error("no question is suggested")
	}
	for _, q := range a.FollowUps {
		if again, _ := s.ask(t, q, tell.Options{}); again.Confidence == tell.Low {
			t.Errorf("%q: suggested, but not answered: %s", q, again.Answer)
		}
	}
}

// H3: each key of seed 2.4 is present, null or [] if empty.
func TestAnswerHasEveryKey(t *testing.T) {
	s := open(t, sales())
	for _, question := range []string{"total sales", "who is the president", "sales by month"} {
		a, _ := s.ask(t, question, tell.Options{})
		body, err := json.Marshal(a)
		var keys map[string]json.RawMessage
		if err != nil || json.Unmarshal(body, &keys) != nil {
			t.Fatal(err)
		}
		for _, k := range []string{"answer", "insight_header", "verdict", "verdict_sentence", "confidence", "kpi_cards", "chart", "table", "recommendations", "follow_up_questions"} {
			if _, ok := keys[k]; !ok {
				t.Errorf("%q: key %s is missing", question, k)
			}
		}
		for _, k := range []string{"kpi_cards", "recommendations", "follow_up_questions"} {
			if string(keys[k]) == "null" {
				t.Errorf("%q: %s is null", question, k)
			}
		}
	}
}

func TestChartAndTable(t *testing.T) {
	s := open(t, sales())
	a, _ := s.ask(t, "sales by month", tell.Options{})
	if a.Chart == nil || a.Chart.Type != "line" || !slices.Equal(a.Chart.Labels, []string{"2024-01", "2024-02", "2024-03"}) {
		t.Errorf("got %+v", a.Chart)
	}
	if a.Table == nil || len(a.Table.Rows) != 3 || a.Table.Rows[0][0] != "2024-01" || a.Table.Rows[0][1] != json.Number("930") {
		t.Errorf("got %+v", a.Table)
	}
	if a, _ = s.ask(t, "share of sales by product", tell.Options{}); a.Chart == nil || a.Chart.Type != "pie" {
		t.Errorf("got %+v", a.Chart)
	}
	if a, _ = s.ask(t, "sales by product", tell.Options{}); a.Chart == nil || a.Chart.Type != "bar" {
		t.Errorf("got %+v", a.Chart)
	}
	if a, _ = s.ask(t, "total sales", tell.Options{}); a.Chart != nil || a.Table != nil {
		t.Errorf("got %+v and %+v, want neither", a.Chart, a.Table)
	}
}

// H6: other wording, same figures.
func TestCFOModeChangesWordingOnly(t *testing.T) {
	s := open(t, sales())
	plain, _ := s.ask(t, "sales by product", tell.Options{})
	cfo, _ := s.ask(t, "sales by product", tell.Options{CFO: true})
	if fmt.Sprint(plain.KPICards, *plain.Table, *plain.Chart, plain.Confidence) != fmt.Sprint(cfo.KPICards, *cfo.Table, *cfo.Chart, cfo.Confidence) {
		t.Errorf("got %+v\nwant %+v", cfo, plain)
	}
	if fmt.Sprint(plain.Recommendations) == fmt.Sprint(cfo.Recommendations) {
		t.Errorf("same wording: %s", cfo.Recommendations)
	}
}

// H6.
func TestSimulateModeSaysWhatItDid(t *testing.T) {
	s := open(t, sales())
	for question, want := range map[string]string{"raise prices 5 %": "Simulated: with prices up 5 %", "total sales": "Nothing was simulated"} {
		if a, _ := s.ask(t, question, tell.Options{Simulate: true}); !strings.Contains(a.Answer, want) {
			t.Errorf("%q: got %s, want %s", question, a.Answer, want)
		}
	}
}

func TestCurrency(t *testing.T) {
	s := open(t, sales())
	for code, want := range map[string]string{"usd": "-$91", "GBP": "-£91", "eur": "-€91", "chf": "-CHF 91", "": "-91"} {
		if a, _ := s.ask(t, "profit on mug", tell.Options{Currency: code}); !strings.HasSuffix(a.KPICards[0].Value, want) {
			t.Errorf("%q: got %s, want %s", code, a.KPICards[0].Value, want)
		}
	}
}

func TestExplain(t *testing.T) {
	s := open(t, sales())
	if a, _ := s.ask(t, "total sales", tell.Options{}); a.Explain != nil {
		t.Error("explained without the option")
	}
	a, _ := s.ask(t, "tea units in march 2024", tell.Options{Explain: true})
	if e := a.Explain; e == nil || e.Rows != 31 || e.AsOf != "2024-03-31" || len(e.SQL) != 1 || !strings.Contains(e.Text, "where Tea") {
		t.Errorf("got %+v", a.Explain)
	}
}

// H1: each number in each text was computed.
func TestOwnTextsAreGrounded(t *testing.T) {
	s := open(t, sales())
	for _, question := range []string{
		"total sales", "sales in february vs january", "sales by month", "share of sales by product", "which products are losing money",
		"what if prices went up 10%", "sales by product", "why did sales fall in february 2024", "average sales per day", "products with sales over $100",
	} {
		a, r := s.ask(t, question, tell.Options{Currency: "usd"})
		for _, text := range append([]string{a.Answer}, a.Recommendations...) {
			if bad := tell.Grounded(text, tell.FiguresOf(r)); len(bad) > 0 {
				t.Errorf("%q: not computed: %v in %q", question, bad, text)
			}
		}
	}
}

func TestGrounded(t *testing.T) {
	_, r := open(t, sales()).ask(t, "sales in february vs january", tell.Options{})
	f := tell.FiguresOf(r)
	for text, want := range map[string]int{
		"Sales were $725 in February 2024, down from 930.":   0,
		"They fell by 205, which is 22.04 %, or about 22 %.": 0,
		"They were $725.00.":                0,
		"They were $726.":                   1,
		"They fell by 23 % to 1,725.":       2,
		"There were 12 customers.":          1,
		"No number at all.":                 0,
		"In 2023 it was better.":            1,
		"Between 1 January 2024 and 9 May.": 1,
	} {
		if bad := tell.Grounded(text, f); len(bad) != want {
			t.Errorf("%q: got %v, want %d", text, bad, want)
		}
	}
}

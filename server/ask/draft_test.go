package ask_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"svc/embed"
	"svc/server"
	"svc/server/ask/plan"
	"svc/server/schema"
	"svc/server/servertest"
)

// Questions of whose reading the built-in reader is not sure, and its plans.
const (
	misspelt = "How did assem do?"            // a guessed link
	withWord = "What is our revenue quickly?" // a word without a use
	assam    = `,"where":[{"column":"Product","op":"in","values":["Assam"]}]`
	leftNone = `,"left_out":[]`
)

// The same plan of both readers makes an unsure reading sure, however it is written;
// another plan leaves the answer as it is without a model.
func TestAskModelAgrees(t *testing.T) {
	servertest.Sequential(t)
	b := newModelBooks(t)
	revenue := `{"source":"` + b.source + `","measures":[{"metric":"revenue"}`
	for _, row := range []struct {
		name, question, answer, confidence string
	}{
		{"Agrees", misspelt, b.plan(assam + leftNone), "high"},
		{"OtherSpelling", misspelt, b.plan(`,"where":[{"column":"Product","op":"in","values":["assam"]}]` + leftNone), "high"},
		{"AllDays", misspelt, b.plan(assam + `,"period":{"from":"2026-01-01","to":"2026-12-31"}` + leftNone), "high"},
		{"ByItsColumn", misspelt, `{"source":"` + b.source + `","measures":[{"metric":"sum","column":"Revenue"}]` + assam + leftNone + `}`, "high"},
		{"WithCompanions", misspelt, revenue + `,{"metric":"units"},{"metric":"profit"}]` + assam + leftNone + `}`, "high"},
		{"WordWithoutUse", withWord, b.plan(leftNone), "medium"},
		{"WordWithMeaning", withWord, b.plan(`,"left_out":["quickly"]`), "medium"},
		{"DoesNotSay", withWord, b.plan(``), "medium"},
		{"OtherValue", misspelt, b.plan(`,"where":[{"column":"Product","op":"in","values":["Mocha"]}]` + leftNone), "medium"},
		{"OtherFigure", misspelt, `{"source":"` + b.source + `","measures":[{"metric":"profit"}]` + assam + leftNone + `}`, "medium"},
		{"OtherPeriod", misspelt, b.plan(assam + `,"period":{"from":"2026-02-01","to":"2026-02-28"}` + leftNone), "medium"},
		{"Groups", misspelt, b.plan(assam + `,"by":[{"column":"Region"}]` + leftNone), "medium"},
		{"Unusable", misspelt, b.plan(`,"sql":"SELECT 1"`), "medium"},
		{"NoMeasure", misspelt, `{"source":"` + b.source + `","measures":[],"left_out":[]}`, "medium"},
		{"Prose", misspelt, `I would rather not.`, "medium"},
	} {
		t.Run(row.name, func(t *testing.T) {
			of := of("Assam")
			if row.question == withWord {
				of = everyLine
			}
			b.ollama.Answer(row.answer)
			if row.name == "Prose" {
				b.ollama.Answer(row.answer) // to the second try
			}
			b.skipWording()
			r := b.ask(t, row.question)
			r.expectFigures(t, total(b.lines, line.revenue, of))
			if r.Confidence != row.confidence || strings.Contains(r.Answer, "model") {
				t.Errorf("%s: %q, want %s", r.Confidence, r.Answer, row.confidence)
			}
		})
	}
}

// A model that is slow or down does not change an unsure answer, and is not asked to word
// it.
func TestAskModelFailsOnAnUnsureReading(t *testing.T) {
	servertest.Sequential(t)
	b := newModelBooks(t, func(c *server.Config) { c.Ollama.Timeout = time.Second })
	for name, script := range map[string]func(){
		"Slow": func() { b.ollama.Hang() },
		"Down": b.ollama.Down,
	} {
		t.Run(name, func(t *testing.T) {
			script()
			r := b.ask(t, misspelt)
			r.expectFigures(t, total(b.lines, line.revenue, of("Assam")))
			if r.Confidence != "medium" {
				t.Errorf("%s: %q", r.Confidence, r.Answer)
			}
			b.ollama.Up()
		})
	}
	b.expectAsked(t, 1, 0)
}

// The words that a model gives a period are not shown (H1, H7).
func TestAskModelDoesNotNamePeriods(t *testing.T) {
	b := newModelBooks(t)
	b.ollama.Answer(b.plan(`,"period":{"from":"2026-02-01","to":"2026-02-28","words":"a month with <b>999999</b>"},"whole":{"from":"2026-01-01","to":"2026-01-31","words":"888888"},"day":"2020-01-01"`))
	b.skipWording()
	r := b.ask(t, unclear)
	r.expectFigures(t, total(b.lines, line.revenue, in("2026-02")))
	if r.says("999999") || r.says("888888") || !r.says("February 2026") {
		t.Errorf("%q", r.Answer)
	}
}

// told is what a model gets to parse a question.
type told struct {
	Columns    []struct{ Heading string }
	Candidates []struct {
		Words, Metric, Column string
		Values                []string
	}
}

func (b *modelBooks) told(t *testing.T) (data told) {
	t.Helper()
	reading, _ := b.asked(t)
	if len(reading) == 0 {
		t.Fatal("the model was not asked to parse")
	}
	if err := json.Unmarshal([]byte(reading[len(reading)-1].Prompt), &data); err != nil {
		t.Fatal(err)
	}
	return data
}

// The model gets the meanings of the question's words, with the values that they name.
func TestAskModelGetsCandidates(t *testing.T) {
	b := newModelBooks(t)
	b.ollama.Prose()
	b.ask(t, "takings of gubbins assam and coffee by product").expectRefusal(t)
	got := fmt.Sprint(b.told(t).Candidates)
	for _, want := range []string{"{takings revenue  []}", "{assam  Product [Assam]}", "{coffee  Category [Coffee]}", "{product  Product []}"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	if strings.Contains(got, "Mocha") || strings.Contains(got, "Tea") {
		t.Errorf("got %s, want no value that is not named", got)
	}
}

// A wide table with long texts fills no prompt.
func TestAskModelGetsLittleOfAWideTable(t *testing.T) {
	b := newModelBooks(t)
	b.ollama.Prose()
	headings, cells := []string{"Zeal", "Sum"}, []string{"teal", "5"}
	for n := range 150 {
		headings, cells = append(headings, fmt.Sprintf("Zeal of part %d", n)), append(cells, fmt.Sprintf("teal %d %s", n, strings.Repeat("y", n)))
	}
	headings[9] += strings.Repeat(" long", 30)
	row := strings.Join(cells, ",") + "\n"
	b.Clock.Advance(time.Minute)
	b.importFile(t, "wide.csv", strings.Join(headings, ",")+"\n"+row+row)
	b.ask(t, "gubbins of zeal of part 140 and teal 3").expectRefusal(t)
	data := b.told(t)
	if len(data.Columns) != 60 || len(data.Candidates) > 16 {
		t.Errorf("%d columns and %d candidates", len(data.Columns), len(data.Candidates))
	}
	if !strings.Contains(fmt.Sprint(data.Columns), "{Zeal of part 140}") {
		t.Errorf("the column that the question names is not in %v", data.Columns)
	}
	for _, c := range data.Candidates {
		for _, text := range append(c.Values, c.Words, c.Column) {
			if utf8.RuneCountInString(text) > 60 || len(c.Values) > 5 {
				t.Errorf("the candidate is too long: %v", c)
			}
		}
	}
}

// The plans of the prompt's examples can be computed.
func TestAskModelExamplesPass(t *testing.T) {
	prompt, err := fs.ReadFile(embed.Prompts(), "ask-read.txt")
	if err != nil {
		t.Fatal(err)
	}
	column := func(heading string, kind schema.Type, role schema.Role) schema.Column {
		return schema.Column{Heading: heading, Name: heading, Type: kind, Role: role}
	}
	source := schema.Source{ID: "ds_0", Kind: schema.Sales, Columns: []schema.Column{
		column("Date", schema.Date, schema.Day), column("Product", schema.Text, schema.Product), column("Store", schema.Text, schema.Store),
		column("Qty", schema.Number, schema.Quantity), column("Sales", schema.Number, schema.Revenue),
	}}
	examples := slices.DeleteFunc(strings.Split(string(prompt), "\n"), func(line string) bool { return !strings.HasPrefix(line, `{"source"`) })
	if len(examples) != 3 {
		t.Fatalf("%d examples, want 3", len(examples))
	}
	for _, example := range examples {
		var d plan.Draft
		decoder := json.NewDecoder(strings.NewReader(example))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&d); err != nil || d.LeftOut == nil {
			t.Errorf("%s: %v", example, err)
		}
		if err := plan.Check(d.Plan, source); err != nil {
			t.Errorf("%s: %v", example, err)
		}
	}
}

package link

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"svc/server/schema"
)

func TestVocabularyFile(t *testing.T) {
	v := shared()
	if v.err != nil {
		t.Error(v.err)
	}
	for key, list := range v.senses {
		if n := strings.Count(key, " ") + 1; n > maxSpan {
			t.Errorf("%q has %d words, want at most %d", key, n, maxSpan)
		}
		for _, s := range list {
			if r := s.mention.Role; s.mention.Kind == Dim && !slices.Contains(roles, r) {
				t.Errorf("%q has the unknown role %q", key, r)
			}
		}
	}
}

var roles = []schema.Role{
	schema.Day, schema.Order, schema.Product, schema.SKU, schema.Category, schema.Brand, schema.Supplier, schema.Customer, schema.Segment,
	schema.Region, schema.State, schema.City, schema.Country, schema.Store, schema.Channel, schema.Payment, schema.Staff, schema.Status,
	schema.Price, schema.Rating, schema.UnitCost, schema.LeadTime, schema.Reorder, schema.Gross,
}

// text and number return columns of a test's source.
func text(heading string, role schema.Role, values ...string) schema.Column {
	return schema.Column{Heading: heading, Type: schema.Text, Role: role, Distinct: int64(len(values)), Values: values}
}

// long returns a column of which a test has some of many values.
func long(heading string, role schema.Role, values ...string) schema.Column {
	c := text(heading, role, values...)
	c.Distinct = 5000
	return c
}

func number(heading string, role schema.Role) schema.Column {
	return schema.Column{Heading: heading, Type: schema.Number, Role: role}
}

func source(name string, columns ...schema.Column) schema.Source {
	return schema.Source{ID: name, Name: name, Kind: schema.Sales, Rows: 100, Columns: columns}
}

var (
	bakery = source("bakery",
		schema.Column{Heading: "Sold On", Type: schema.Date, Role: schema.Day},
		text("Loaf", schema.Product, "Rye 500 g", "Sourdough", "Baker's Dozen", "Olive Focaccia", "Column Cake"),
		text("ShopBranch", schema.Store, "Old Town", "Harbour"),
		number("Takings (GBP)", schema.Revenue),
		number("Bake Minutes", schema.None),
		schema.Column{Heading: "Pre-ordered", Type: schema.Truth},
	)
	bikes = source("bike_shop.csv",
		text("BIKEMODEL", schema.Product, "Trail 29", "City Step-Through", "Gravel Pro"),
		text("FRAMESIZE", schema.None, "Small", "Medium", "XL"),
		number("qty", schema.Quantity),
		number("RRP", schema.None),
		number("Unit_Wt (kg)", schema.None),
		text("MFR", schema.None, "Brompton", "Giant"),
		text("Rider", schema.None, "Male", "Female", "Unisex"),
		text("JobStatus", schema.Status, "On Stand", "Awaiting Parts", "Collected", "Cancelled"),
		text("Paid with", schema.Payment, "Card", "Cash"),
		text("Served by", schema.None, "Cash, Johnny", "Ann"),
	)
	library = source("loans",
		long("Title", schema.None, "The Hobbit", "Emma", "It", "War and Peace", "A Room of One's Own"),
		text("Author", schema.None, "Tolkien", "Austen", "King"),
		text("Borrower_ID", schema.None, "B100", "B101"),
		schema.Column{Heading: "date_due", Type: schema.Date},
		schema.Column{Heading: "date_returned", Type: schema.Date},
		number("Number of Pages", schema.None),
		schema.Column{Heading: "Renewed", Type: schema.Truth},
		text("Home State", schema.None, "Texas", "Ohio", "New York"),
	)
	gym = source("gym members",
		text("Membership Type", schema.None, "Monthly", "Annual"),
		number("Calories Burned", schema.None),
		number("Age", schema.None),
		number("Weight", schema.None),
		schema.Column{Heading: "Has_Personal_Trainer", Type: schema.Truth},
		text("Coach", schema.None, "Ivy", "Rob"),
		text("Sex", schema.None, "F", "M"),
	)
	loans = source("loans",
		schema.Column{Heading: "Paid", Type: schema.Truth},
		text("Standing", schema.None, "Active", "Inactive"),
	)
	cards = source("tills",
		text("Tender", schema.Payment, "Debit card", "Credit card", "Cash"),
		text("Client Name", schema.None, "Ann Lee", "Bob Ray"),
		text("Client No", schema.None, "C1", "C2"),
	)
	films = source("films",
		text("Film", schema.None, "Alien", "Heat"),
		number("Running Time", schema.None),
		number("Miles_Per_Gallon", schema.None),
		text("Country", schema.None, "USA", "France"),
	)
)

// depot has headings cut short in the ways in which people do it.
var depot = source("depot",
	text("Mkt", schema.None, "Leeds", "York"), text("Sz", schema.None, "S", "M"), text("Delvry Mthd", schema.None, "Van", "Bike"), text("Pckd by", schema.None, "Ivo", "Una"),
	number("KG_ORD", schema.None), number("KG_RCVD", schema.None), number("COST/KG", schema.None), number("Sq Ft", schema.None), number("Temp_C", schema.None), text("QC", schema.None, "Pass", "Fail"),
	text("Land", schema.None, "Netherlands", "Poland", "UK"), text("Sold through", schema.None, "Fair", "Phone"),
)

// show returns a mention in a line.
func show(m Mention) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", m.Text, m.Kind)
	for _, s := range []string{string(m.Metric), m.Per, string(m.Role), string(m.Op), string(m.Sense), m.Arg} {
		if s != "" {
			b.WriteString(" " + s)
		}
	}
	if m.Kind == Number {
		fmt.Fprintf(&b, " %g %s", m.Number, m.Unit)
	}
	if m.Column != nil {
		b.WriteString(" " + m.Column.Heading)
	}
	if len(m.Values) > 0 {
		b.WriteString("=" + strings.Join(m.Values, "|"))
	}
	if m.How != Exact {
		b.WriteString(" " + string(m.How))
	}
	return b.String()
}

// shown returns the mentions of a question, a line each.
func shown(t testing.TB, s schema.Source, question string) []string {
	t.Helper()
	ms, err := New(s).Mentions(t.Context(), Tokenize(question))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range ms {
		out = append(out, show(m))
	}
	return out
}

func TestMentions(t *testing.T) {
	for _, c := range []struct {
		source   schema.Source
		question string
		want     []string
	}{
		{bakery, "what's the average takings per branch", []string{"what: word which", "average: fold mean", "takings: metric revenue", "takings: column Takings (GBP)", "per: word by per", "branch: dim store ShopBranch"}},
		{bakery, "how many baker's dozen did we sell in the old town", []string{"how many: word howmany", "baker's dozen: value Loaf=Baker's Dozen", "sell: word sell", "old town: value ShopBranch=Old Town"}},
		{bakery, "bakers dozen and ryes 500g", []string{"bakers dozen: value Loaf=Baker's Dozen", "ryes 500 g: value Loaf=Rye 500 g"}},
		{bakery, "sour dough at the harbor", []string{"sour dough: value Loaf=Sourdough"}},
		{bakery, "how many loaves were pre ordered", []string{"loaves: column Loaf", "pre ordered: column Pre-ordered"}},
		{bakery, "didn't fall below twenty five quid", []string{"did: filler", "not: word not", "below: op <", "twenty five quid: number 25 money"}},
		{bakery, "footfall and market share", []string{"footfall: topic visits", "market share: topic competitors"}},
		{bikes, "quantiy of each bike model", []string{"quantity: column qty corrected", "bike model: column BIKEMODEL", "each: word by each"}},
		{bikes, "average msrp or rrp by frame size", []string{"rrp: column RRP", "frame size: column FRAMESIZE"}},
		{cards, "card sales by client", []string{"card: value Tender=Debit card|Credit card partial", "client: dim customer Client Name near"}},
		{bikes, "difrent ridrs", []string{"different: word different corrected", "rider: column Rider corrected"}},
		{films, "weight in 12 kg", []string{"12 kg: number kg 12 plain"}},
		{loans, "unpaid and inactive", []string{"not: word not", "paid: column Paid", "not active: value Standing=Inactive"}},
		{bikes, "recommended retail price by manufacturer", []string{"recommended retail price: column RRP abbreviated", "manufacturer: column MFR abbreviated"}},
		{bikes, "heaviest bikes for women", []string{"heaviest: rank top weight Unit_Wt (kg)", "women: value Rider=Female near", "bikes: word row"}},
		{bikes, "unit weight over 15", []string{"unit weight: column Unit_Wt (kg) abbreviated", "over: op >", "15: number 15 plain"}},
		{bikes, "cash jobs that are awaiting parts", []string{"cash: value Paid with=Cash", "cash: value Served by=Cash, Johnny partial", "awaiting parts: value JobStatus=Awaiting Parts"}},
		{bakery, "column chart of takings", []string{"column chart: filler"}},
		{bikes, "how many cancellations", []string{"cancellations: value JobStatus=Cancelled near"}},
		{bikes, "gravle pro in extra large", []string{"gravel pro: value BIKEMODEL=Gravel Pro corrected", "extra large: value FRAMESIZE=XL near"}},
		{library, "books due by author", []string{"due: column date_due partial", "author: column Author"}},
		{library, "who wrote the hobbit", []string{"hobbit: value Title=The Hobbit"}},
		{library, "number of pages of war and peace", []string{"number of pages: column Number of Pages", "war and peace: value Title=War and Peace"}},
		{library, "loans per state in NY", []string{"loans: word row head", "state: dim state Home State near", "ny: value Home State=New York near"}},
		{library, "writers with the most renewals", []string{"writers: column Author near", "renewals: column Renewed near"}},
		{library, `how often was "it" lent`, []string{"how often: word howoften", "it: value Title=It"}},
		{gym, "oldest members with a personal trainer", []string{"oldest: rank top age Age", "personal trainer: column Has_Personal_Trainer partial"}},
		{gym, "calories burnt by trainer", []string{"calories: column Calories Burned partial", "trainer: column Coach near"}},
		{gym, "how heavy are the men", []string{"how heavy: word howmuch weight Weight", "men: value Sex=M near"}},
		{films, "longest movies in america", []string{"movies: column Film near", "america: value Country=USA near"}},
		{films, "mpg by nation", []string{"mpg: column Miles_Per_Gallon abbreviated", "nation: dim country Country near"}},
		{films, "avg runing time", []string{"average: fold mean", "running time: column Running Time corrected"}},
		{films, "top 10 with more than 1.5k, at least 20% or £1,200.50, 3rd", []string{"10: number 10 plain", "more than: op >", "1.5k: number 1500 plain", "at least: op >=", "20%: number 20 percent", "£1,200.50: number 1200.5 money", "3rd: number 3 ordinal"}},
		{films, "second of over 60s, -5 and ten per cent", []string{"second: number 2 ordinal", "60s: number 60 plain", "-5: number -5 plain", "ten per cent: number 10 percent"}},
		{bikes, "2 slowest sellers", []string{"slowest sellers: rank bottom sell"}},
		{bikes, "prod weight amount", []string{"product: dim product BIKEMODEL abbreviated", "weight amount: column Unit_Wt (kg) partial"}},
		{depot, "sizes by market", []string{"sz: column Sz abbreviated", "market: column Mkt abbreviated"}},
		{depot, "delivery method of what una packed", []string{"delivery method: column Delvry Mthd abbreviated", "pckd: column Pckd by abbreviated"}},
		{depot, "kilos received and weight ordered", []string{"kilos received: column KG_RCVD abbreviated", "kg order: column KG_ORD abbreviated"}},
		{depot, "square feet warmer than 8 degrees", []string{"square feet: column Sq Ft abbreviated", "warmer than: op > temperature Temp_C", "8 degrees: number degree 8 plain"}},
		{depot, "dutch, polish and british", []string{"dutch: value Land=Netherlands near", "polish: value Land=Poland near", "british: value Land=UK near"}},
		{depot, "by channel, ppl", []string{"channel: dim channel Sold through near", "people: dim customer"}},
		{films, "30 days or 2 weeks or 2 million", []string{"30 days: number 30 days", "2 weeks: number 14 days", "2 million: number 2e+06 plain"}},
	} {
		got := shown(t, c.source, c.question)
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%q: no mention %q in\n\t%s", c.question, want, strings.Join(got, "\n\t"))
			}
		}
	}
}

func TestMentionsLeaveOut(t *testing.T) {
	for _, c := range []struct {
		source   schema.Source
		question string
		not      string // part of a line
	}{
		{library, "is there room for more", "Room of"}, // an ordinary word, a small share
		{bakery, "how is our office", "Olive"},         // no correction of an English word
		{bikes, "which bikes are small", "Step-Through"},
		{gym, "average height", "Weight"},  // siblings are not alike
		{gym, "cheapest coach", "Weight"},  // a measure that the source lacks
		{library, "how was it", "Partial"}, // nor is a word of function a part of a value
		{bikes, "which trail jobs", "JobStatus="},
		{bakery, "how much dosh did we take", "dosh: word"},
		{films, "weather in the theatre", "Film"},
		{depot, "how many kilos", "COST/KG"},
		{depot, "how much was seized", "Sz"},
		{depot, "sales in norway and belgium", "Land="},
	} {
		ms, err := New(c.source).Mentions(t.Context(), Tokenize(c.question))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ms {
			if m.Quality > Hint && strings.Contains(show(m), c.not) {
				t.Errorf("%q: has mention %q of quality %.2f", c.question, show(m), m.Quality)
			}
		}
	}
}

// TestNamesAreFound asks for each heading and each value of all sources in several ways of
// writing, in the middle of a question.
func TestNamesAreFound(t *testing.T) {
	ways := map[string]func(string) string{
		"AsIs":        func(s string) string { return s },
		"Upper":       strings.ToUpper,
		"Lower":       strings.ToLower,
		"RunTogether": func(s string) string { return strings.ReplaceAll(strings.ToLower(Spaced(s)), " ", "") },
		"Snake":       func(s string) string { return strings.ReplaceAll(strings.ToLower(Spaced(s)), " ", "_") },
	}
	for name, write := range ways {
		t.Run(name, func(t *testing.T) {
			for _, s := range []schema.Source{bakery, bikes, library, gym, films, cards, loans} {
				x := New(s)
				for _, c := range x.Source().Columns {
					heading, _, _ := strings.Cut(c.Heading, " (")
					finds(t, x, write(heading), Column, c.Heading)
					for _, v := range c.Values {
						if name != "Snake" && name != "RunTogether" {
							finds(t, x, write(v), Value, c.Heading)
						}
					}
				}
			}
		})
	}
}

// finds checks that a name in a question has an exact meaning of a kind in a column.
func finds(t *testing.T, x *Lexicon, name string, k Kind, heading string) {
	t.Helper()
	ms, err := x.Mentions(t.Context(), Tokenize("units of "+name+" in may"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(ms, func(m Mention) bool { return m.Kind == k && m.Column.Heading == heading && m.How == Exact }) {
		t.Errorf("%q is not found as a %s of %q", name, k, heading)
	}
}

func TestTokenize(t *testing.T) {
	for question, want := range map[string]string{
		"Last month's revenue":         "last month 's revenue",
		"whats ive dont haven't":       "what is i have do not have not",
		"how'd she'd who'll shouldn't": "how did she would who will should not",
		"moneywise but otherwise xmas": "money wise but otherwise christmas",
		"the customers' orders":        "the customers 's orders",
		"30days 500ml 9am 1.5k Q4":     "30 days 500 ml 9am 1.5k q4",
		"from 2021-03-05 to 3/5/21":    "from 2021-03-05 to 3/5/21",
		"Café crème, 10% & $20.":       "cafe creme 10% & $20",
		"a<=5 >= 7 <> #1051":           "a <= 5 >= 7 <> # 1051",
		"unit_price of T-shirts":       "unit price of t shirts",
		"what’s Levi’s share":          "what is levi 's share",
		"price of \"Rye Loaf\" please": "price of rye loaf please",
	} {
		var got []string
		for _, tok := range Tokenize(question) {
			got = append(got, tok.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("Tokenize(%q) = %q, want %q", question, got, want)
		}
	}
	quoted := Tokenize(`sales of "rye loaf" now`)
	if quoted[1].Quote != 0 || quoted[2].Quote != 1 || quoted[3].Quote != 1 || quoted[4].Quote != 0 {
		t.Errorf("quoted spans are %v", quoted)
	}
}

func TestTaughtWords(t *testing.T) {
	s := bakery
	s.Words = []schema.Word{
		{Text: "Dosh", Kind: schema.AMetric, Target: "revenue"}, {Text: "profit", Kind: schema.AMetric, Target: "units"},
		{Text: "sour ones", Kind: schema.AValue, Target: "Sourdough", Heading: "Loaf"}, {Text: "oven time", Kind: schema.AHeading, Target: "Bake Minutes"},
		{Text: "gone", Kind: schema.AHeading, Target: "Colour"},
	}
	ms, err := New(s).Mentions(t.Context(), Tokenize("dosh and profit of the sour ones by oven time, gone"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range ms {
		if m.How == Taught {
			got = append(got, show(m))
		}
		if m.Text == "profit" && m.Metric == "profit" && m.Quality != 0.5 {
			t.Errorf("the other meaning of a taught word has quality %.2f, want 0.5", m.Quality)
		}
	}
	want := []string{"dosh: metric revenue taught", "profit: metric units taught", "sour ones: value Loaf=Sourdough taught", "oven time: column Bake Minutes taught"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPlural(t *testing.T) {
	for word, want := range map[string]bool{"stores": true, "store": false, "women": true, "glass": false, "status": false, "categories": true} {
		if got := isPlural(Tokenize(word)[0]); got != want {
			t.Errorf("isPlural(%q) = %v, want %v", word, got, want)
		}
	}
}

func FuzzMentions(f *testing.F) {
	for _, q := range []string{"what's the average takings per branch", "\"", "a''s 5%k", "£", "…'s 1.2.3,4", "the the", "ﬀ ＡＢ", "don't'"} {
		f.Add(q)
	}
	lexicons := []*Lexicon{New(bakery), New(bikes), New(schema.Source{})}
	f.Fuzz(func(t *testing.T, question string) {
		if len(question) > 500 || !utf8.ValidString(question) {
			return
		}
		tokens := Tokenize(question)
		for i, tok := range tokens {
			if tok.Text == "" || tok.Start > tok.End || tok.End > len(question) || i > 0 && tok.Start < tokens[i-1].Start {
				t.Fatalf("Tokenize(%q) has token %+v", question, tok)
			}
		}
		for _, x := range lexicons {
			ms, err := x.Mentions(t.Context(), tokens)
			if err != nil {
				t.Fatal(err)
			}
			covered := make([]bool, len(tokens))
			for _, m := range ms {
				if m.From < 0 || m.To <= m.From || m.To > len(tokens) || m.Quality < 0 || m.Quality > 1 {
					t.Fatalf("%q has mention %+v", question, m)
				}
				for i := m.From; i < m.To; i++ {
					covered[i] = true
				}
			}
			if i := slices.Index(covered, false); i >= 0 {
				t.Fatalf("%q: token %q has no mention", question, tokens[i].Text)
			}
		}
	})
}

// A row with an age or a gender is a person, whatever people call it; a sale with the
// customer's age is none.
func TestRowOfPeople(t *testing.T) {
	column := func(heading string, role schema.Role) schema.Column {
		return schema.Column{Heading: heading, Type: schema.Text, Role: role}
	}
	people := schema.Source{Name: "gym_membership", Columns: []schema.Column{column("Abonnement", schema.None), column("Age", schema.None)}}
	sales := schema.Source{Name: "orders", Kind: schema.Sales, Columns: []schema.Column{column("Order", schema.Order), column("Age", schema.None)}}
	for _, c := range []struct {
		source schema.Source
		word   string
		want   bool
	}{{people, "members", true}, {people, "clients", true}, {sales, "members", false}} {
		found, err := New(c.source).Mentions(t.Context(), Tokenize(c.word))
		if err != nil {
			t.Fatal(err)
		}
		isRow := slices.ContainsFunc(found, func(m Mention) bool { return m.Kind == Word && m.Sense == rowSense })
		if isRow != c.want {
			t.Errorf("%s of %s: a row is %t, want %t", c.word, c.source.Name, isRow, c.want)
		}
	}
}

// A word that is nearly one of a question is the shop's own, where the shop has it.
func TestOwnWordLikeQuestionWord(t *testing.T) {
	s := source("brands", text("Brand", schema.Brand, "Whish", "Lush"))
	ms, err := New(s).Mentions(t.Context(), Tokenize("sales of whish"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(ms, func(m Mention) bool { return show(m) == "which: value Brand=Whish" }) {
		t.Errorf("no value Whish in %v", ms)
	}
}

package cmd_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// shopSales is a sales file of a shop, of the first days of 2024.
const shopSales = "Date,Product,Quantity,Revenue,Cost\n" +
	"2024-01-30,Tea,2,£10.00,£6.00\n2024-01-31,Bun,4,£12.00,£16.00\n2024-02-01,Tea,3,£15.00,£9.00\n2024-02-02,Bun,1,£3.00,£4.00\n2024-02-03,Jam,1,£1234.50,£2.00\n"

// withSales returns a folder with an account that has imported shopSales.
func withSales(t *testing.T) *folder {
	t.Helper()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.write("sales.csv", shopSales)
	f.ok(words("data import sales.csv")...)
	return f
}

// askKeys are the JSON keys of an answer, without meta, which only the API adds.
var askKeys = []string{
	"answer", "chart", "confidence", "follow_up_questions", "insight_header", "kpi_cards", "recommendations",
	"table", "verdict", "verdict_sentence",
}

func TestAsk(t *testing.T) {
	t.Parallel()
	f := withSales(t)

	t.Run("Text", func(t *testing.T) {
		out := f.ok("ask", "What is our revenue?")
		contains(t, out, "1,274.50", "\nconfidence: medium\n", "  ask also: ")
		if strings.Contains(out, "{") || strings.Contains(out, "SELECT") || strings.Contains(out, "plan: ") {
			t.Errorf("printed %s", out)
		}
	})

	t.Run("Table", func(t *testing.T) {
		out := f.ok("ask", "Which products lost money?")
		contains(t, out, "Product  Profit\n", "Bun      -5\n", "\nproblem: ", "\n- ")
	})

	t.Run("Explain", func(t *testing.T) {
		contains(t, f.ok("ask", "--explain", "What is our revenue?"), "\nplan: ", "\nrows: 5 of sales, as of 2024-02-03\n", "SELECT ")
		got := f.object("ask", "--explain", "What is our revenue?")
		if x, _ := got["explain"].(map[string]any); x["rows"] != 5.0 || x["as_of"] != "2024-02-03" || len(x["sql"].([]any)) != 1 {
			t.Errorf("explain is %v", got["explain"])
		}
	})

	t.Run("JSON", func(t *testing.T) {
		got := f.object("ask", "What is our revenue?")
		if len(got) != len(askKeys) {
			t.Errorf("answer %v", got)
		}
		for _, name := range askKeys {
			if _, ok := got[name]; !ok {
				t.Errorf("no %s in %v", name, got)
			}
		}
		contains(t, got["answer"].(string), "1,274.50")
	})

	t.Run("WithoutQuotes", func(t *testing.T) {
		if got, want := f.ok(words("ask what is our revenue")...), f.ok("ask", "what is our revenue"); got != want {
			t.Errorf("answer %s, want %s", got, want)
		}
	})

	t.Run("NotUnderstood", func(t *testing.T) {
		contains(t, f.ok("ask", "What about flibbertigibbets?"), "flibbertigibbets", "confidence: low", "ask also: ")
	})
}

// TestAskChart checks that the longest bar has 40 characters.
func TestAskChart(t *testing.T) {
	t.Parallel()
	f := withSales(t)
	out := f.ok("ask", "What is our revenue by product?")
	bars := map[string]int{}
	for line := range strings.Lines(out) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok && (strings.Contains(rest, "█") || name == "Bun") {
			bars[name] = strings.Count(rest, "█")
		}
	}
	if len(bars) != 3 || bars["Jam"] != 40 || bars["Tea"] != 1 || bars["Bun"] != 0 {
		t.Errorf("bars %v in\n%s", bars, out)
	}
	contains(t, out, "Jam ", " 1234.50\n", " 25\n", " 15\n")
}

// TestAskToday asks with --today, from which relative days count.
func TestAskToday(t *testing.T) {
	t.Parallel()
	f := withSales(t)
	for today, want := range map[string]string{
		"2024-02-03": "22", // last month: January
		"2024-02-01": "22",
		"2024-03-01": "22", // the data are over a week old: January again, as of 3 February
		"2024-02-10": "22", // seven days are not over a week
		"2024-01-31": "",   // December
		"":           "22", // today
	} {
		args := []string{"ask", "What were our sales last month?", "--json"}
		if today != "" {
			args = append(args, "--today", today)
		}
		got := f.objects(f.ok(args...))[0]
		answer := got["answer"].(string)
		if strings.Contains(answer, "£22") != (want != "") || (got["confidence"] == "low") != (want == "") {
			t.Errorf("--today %q: confidence %v, answer %s", today, got["confidence"], answer)
		}
		if isOld := today == "" || today == "2024-03-01"; strings.Contains(answer, "as of") != isOld {
			t.Errorf("--today %q: answer %s", today, answer)
		}
	}
	for _, day := range []string{"yesterday", "2024-2-3", "2024-02-30", "03/02/2024", "2024-02-03T00:00:00Z", " "} {
		contains(t, f.fails(2, "ask", "What is our revenue?", "--today", day), "--today: must be a day like 2026-03-31")
	}
}

func TestAskDataset(t *testing.T) {
	t.Parallel()
	f := withSales(t)
	first := f.objects(f.ok(words("data list --json")...))[0]["id"].(string)
	f.write("more.csv", "Date,Product,Revenue\n2024-03-01,Tea,£7.00\n")
	f.ok(words("data import more.csv")...)
	contains(t, f.ok("ask", "What is our revenue?"), "£7")
	contains(t, f.ok("ask", "What is our revenue?", "--dataset", first), "1,274.50")
	for _, id := range []string{"ds_nothing", "sales.csv", first + "x"} {
		contains(t, f.fails(1, "ask", "What is our revenue?", "--dataset", id), "no dataset "+id)
	}

	f.account("second@example.com", "free", "0")
	contains(t, f.fails(2, "ask", "revenue"), "there are several")
	contains(t, f.fails(1, "ask", "revenue", "--account", "nobody@example.com"), "no account for nobody@example.com")
	contains(t, f.fails(1, "ask", "revenue", "--account", "second@example.com", "--dataset", first), "no dataset "+first)
	contains(t, f.ok("ask", "What is our revenue?", "--account", "second@example.com"), "confidence: low")
	contains(t, f.ok("ask", "What is our revenue?", "--account", owner), "£7")
}

// TestAskFraming checks that --cfo changes the words and not the figures (H6).
func TestAskFraming(t *testing.T) {
	t.Parallel()
	f := withSales(t)
	plain, cfo := f.ok("ask", "What is our revenue?"), f.ok("ask", "--cfo", "What is our revenue?")
	contains(t, cfo, "1,274.50")
	if plain == cfo {
		t.Errorf("--cfo does not change the words: %s", cfo)
	}
	contains(t, strings.ToLower(f.ok("ask", "--simulate", "What would revenue be if we raise prices 10 %?")), "simulated", "1,401.95", "1,274.50")
	contains(t, f.ok("ask", "What is our revenue?"), "1,274.50")
}

func TestAskWrongUsage(t *testing.T) {
	t.Parallel()
	f := withSales(t)
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"ask"}, "usage: svc ask [--account EMAIL] QUESTION"},
		{[]string{"ask", ""}, "question: is required"},
		{[]string{"ask", " \t"}, "question: is required"},
		{[]string{"ask", strings.Repeat("x", 2001)}, "question: must be at most 2000 characters"},
		{[]string{"ask", "revenue", "--nonsense"}, "unknown flag: --nonsense"},
		{[]string{"ask", "revenue", "--ask-model", "m"}, "--ask-model: needs --ollama"},
		{[]string{"ask", "revenue", "--ollama", "nowhere"}, "--ollama: must be like"},
	} {
		contains(t, f.fails(2, row.args...), row.want)
	}
	empty := newFolder(t)
	contains(t, empty.fails(1, "ask", "revenue"), "no database at svc.db", "svc serve", "--db")
	if empty.has("svc.db") {
		t.Error("ask created a database")
	}
}

// TestAskNamesOtherDatasets checks that an answer which the newest dataset cannot give says which others there are.
func TestAskNamesOtherDatasets(t *testing.T) {
	t.Parallel()
	f := withSales(t)
	f.write("rota.csv", "Name,Team,Calls\nAda,Early,8\nBen,Late,16\n")
	alone := f.ok("ask", "how many sheep were dipped?")
	f.ok("data", "import", "rota.csv")
	if strings.Contains(alone, "--dataset") {
		t.Errorf("the only dataset has others beside it: %s", alone)
	}
	contains(t, f.ok("ask", "What is our revenue?"), "\nnot asked: sales (ask one with --dataset NAME)\n")
	if sure := f.ok("ask", "total calls by team"); strings.Contains(sure, "--dataset") {
		t.Errorf("an answered question names other datasets: %s", sure)
	}
}

// TestAskWithoutItsModel checks that the built-in engine answers when the model is down (H2).
func TestAskWithoutItsModel(t *testing.T) {
	t.Parallel()
	f := withSales(t)
	contains(t, f.ok("ask", "What is our revenue?", "--ollama", "http://127.0.0.1:9", "--ask-model", "m:1b"), "1,274.50")
}

// TestAskTerminal checks that names in the data cannot send control sequences.
func TestAskTerminal(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.write("odd\x1b[2J.csv", "Date,Product,Revenue\n2024-01-01,\"Tea\x1b[31m\",5\n2024-01-01,\"Bun\nconfidence: high\",7\n2024-01-01,Jam\u202e,9\n")
	for _, args := range [][]string{
		{"data", "import", "odd\x1b[2J.csv"}, {"data", "list"}, {"data", "roles"},
		{"ask", "What is our revenue by product?", "--explain"}, {"ask", "Which product has the lowest revenue?"}, {"ask", "list all products"},
	} {
		out := f.ok(args...)
		if strings.ContainsAny(out, "\x1b\u202e") || strings.Contains(out, "\nconfidence: high\n") && args[0] != "ask" {
			t.Errorf("svc %q printed %q", args, out)
		}
	}
}

// TestAskBesideAServer imports with a command and asks a running server on the same file.
func TestAskBesideAServer(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "0")
	_, key := f.key("live")
	p := f.serve()
	if got := p.question(t, key, "What is our revenue?"); got.Confidence != "low" {
		t.Errorf("without data: %+v", got)
	}
	f.write("sales.csv", shopSales)
	f.ok(words("data import sales.csv")...)
	if got := p.question(t, key, "What is our revenue?"); !strings.Contains(got.Answer, "1,274.50") {
		t.Errorf("after an import: %+v", got)
	}
	command := f.object("ask", "What is our revenue by product?")
	if got := p.question(t, key, "What is our revenue by product?"); got.Answer != command["answer"] || got.Confidence != command["confidence"] {
		t.Errorf("the server answered %+v, the command %v", got, command)
	}
	f.ok("data", "roles", "Cost=revenue")
	if got := p.question(t, key, "What is our revenue?"); !strings.Contains(got.Answer, "£37") {
		t.Errorf("after a correction: %+v", got)
	}

	answers := make(chan []string)
	go func() {
		var all []string
		for range 20 {
			all = append(all, p.question(t, key, "What is our revenue?").Answer)
		}
		answers <- all
	}()
	for range 3 {
		f.ok(words("data import sales.csv --replace")...)
	}
	for _, one := range <-answers {
		if !strings.Contains(one, "£37") && !strings.Contains(one, "1,274.50") {
			t.Errorf("during imports: %s", one)
		}
	}
	if n := len(f.objects(f.ok(words("data list --json")...))); n != 1 {
		t.Errorf("%d datasets, want 1", n)
	}
}

// told is the part of an answer that these tests read.
type told struct {
	Answer, Confidence string
}

// question asks a server over HTTP. It is safe for concurrent use.
func (p *process) question(t *testing.T, key, text string) (got told) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"question": text})
	if err != nil {
		t.Error(err)
	}
	request, err := http.NewRequest(http.MethodPost, p.url+"/api/v1/ask", strings.NewReader(string(body)))
	if err != nil {
		t.Error(err)
		return got
	}
	request.Header.Set("x-api-key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return got
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || json.Unmarshal(content, &got) != nil {
		t.Errorf("%s: %d %s, %v", text, response.StatusCode, content, err)
	}
	return got
}

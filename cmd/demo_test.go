package cmd_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// demoEnd is part of the last line that --demo prints.
const demoEnd = "svc wallet ledger"

// demo starts `svc serve --demo` and returns the lines to paste.
func (f *folder) demo(args ...string) (p *process, calls []string) {
	f.Helper()
	p = f.serve(append([]string{"--demo"}, args...)...)
	for line := range strings.Lines(p.until(demoEnd)) {
		if strings.HasPrefix(line, "curl ") {
			calls = append(calls, strings.TrimSuffix(line, "\n"))
		}
	}
	if len(calls) != 12 {
		f.Fatalf("%d lines begin with curl, want 12: %s", len(calls), p.out)
	}
	return p, calls
}

// paste runs a printed line in a shell.
func (f *folder) paste(line string) string {
	f.Helper()
	out, err := f.command("bash", "-c", line).CombinedOutput()
	if err != nil {
		f.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

func needCurl(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("the printed lines need curl, which is not installed")
	}
	t.Skip("the printed lines need curl, which is not installed")
}

// keysIn returns the API keys in a line.
func keysIn(line string) []string {
	return regexp.MustCompile(`svc_(live|test)_[0-9A-Za-z]+`).FindAllString(line, -1)
}

func TestDemo(t *testing.T) {
	t.Parallel()
	needCurl(t)
	f := newFolder(t)
	p, calls := f.demo()
	pricing, live, test, mistake := calls[0], calls[1], calls[2], calls[3]

	var document struct{ Currency string }
	if err := json.Unmarshal([]byte(f.paste(pricing)), &document); err != nil || document.Currency != "usd_cents" {
		t.Errorf("pricing: %v, %v", document, err)
	}
	for range 2 { // as the text beside it says: no second message, no second debit
		if got := f.paste(live); got != "{\"success\":true}\n" {
			t.Errorf("live key: %s", got)
		}
	}
	if got := f.paste(test); got != "{\"success\":true,\"test_mode\":true}\n" {
		t.Errorf("test key: %s", got)
	}
	contains(t, f.paste(mistake), `{"error":"phone: `)
	scanned := f.paste(calls[4])
	contains(t, scanned, `{"found":true,"inventory_id":"item_`)
	contains(t, scanned, `"name":"Ground Coffee 250g","price":4.5,"cost_price":2.7,"stock_qty":24,"unit":"bag"}`)
	asked := f.paste(calls[5])
	contains(t, asked, "Loose Leaf Assam")
	contains(t, asked, `"meta":{"model":"askbiz-v1"`)
	for _, call := range calls[6:8] {
		var answer struct {
			URL string `json:"confirmation_url"`
		}
		if err := json.Unmarshal([]byte(f.paste(call)), &answer); err != nil {
			t.Fatal(err)
		}
		page := f.paste("curl -sSf " + answer.URL)
		contains(t, page, "<h1>")
		contains(t, page, "Corner Coffee")
	}

	f.checkDemoPush(calls[8])
	for i, want := range []string{`"health":{"score":`, `"title":"Loose Leaf Assam is sold below cost"`, `"headline":"`} {
		contains(t, f.paste(calls[9+i]), want)
	}

	for _, hint := range regexp.MustCompile(`(?m)^  (svc .*)$`).FindAllStringSubmatch(p.out.String(), -1) {
		f.paste(hint[1])
	}
	f.ok("accounts", "create", "--email", "second@example.com", "--db", "demo.db") // the hints name the shop's account
	for _, hint := range regexp.MustCompile(`(?m)^  (svc .*)$`).FindAllStringSubmatch(p.out.String(), -1) {
		f.paste(hint[1])
	}
	f = f.with("SVC_DB=demo.db")
	if n := len(f.objects(f.ok("messages", "list", "--json", "--account", "owner@demo.example"))); n != 1 {
		t.Errorf("%d messages, want 1", n)
	}
	if a := f.object("accounts", "show", "owner@demo.example"); a["plan"] != "business" {
		t.Errorf("the demo's operator is on plan %v, want business", a["plan"])
	}
	if w := f.object("wallet", "show", "owner@demo.example"); w["balance_cents"] != 995.0 {
		t.Errorf("wallet %v, want 995", w)
	}
}

// checkDemoPush pastes the push twice. The sale is news, and empties a shelf, once.
func (f *folder) checkDemoPush(call string) {
	f.Helper()
	for _, want := range []string{
		`"received":2,"inserted":1,"updated":1,"unchanged":0,"rejected":0,"errors":[]}`, `"received":2,"inserted":0,"updated":0,"unchanged":2,"rejected":0,"errors":[]}`,
	} {
		contains(f, f.paste(call), want)
	}
	database := f.sql("demo.db")
	var kinds string
	if err := database.QueryRow(`SELECT group_concat(kind, ' ') FROM (
  SELECT kind FROM events WHERE kind IN ('sale.created', 'stock.low', 'sync.completed') ORDER BY seq)`).Scan(&kinds); err != nil {
		f.Fatal(err)
	}
	if kinds != "sale.created stock.low sync.completed sync.completed" {
		f.Errorf("events %s", kinds)
	}
}

func TestDemoAgain(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	first, calls := f.demo()
	old := []string{keysIn(calls[1])[0], keysIn(calls[2])[0]}
	for _, key := range old {
		if a := first.send(key, ""); a.status != 200 {
			t.Errorf("first key: %d %s", a.status, a.body)
		}
	}
	first.stop()

	if strings.Contains(first.out.String(), "no longer work") {
		t.Error("the first start says that keys no longer work")
	}
	second, calls := f.demo()
	contains(t, second.out.String(), "The keys and the password of the last start no longer work")
	for i, key := range old {
		fresh := keysIn(calls[1+i])[0]
		if a := second.send(key, ""); a.status != 403 {
			t.Errorf("old key: %d %s, want 403", a.status, a.body)
		}
		if a := second.send(fresh, ""); a.status != 200 || fresh == key {
			t.Errorf("fresh key: %d %s", a.status, a.body)
		}
	}
	f = f.with("SVC_DB=demo.db")
	f.object("accounts", "list") // one account
	if n := len(f.objects(f.ok("messages", "list", "--json"))); n != 2 {
		t.Errorf("%d messages of both starts, want 2", n)
	}
}

func TestDemoDatabase(t *testing.T) {
	t.Parallel()

	t.Run("ForeignIsRefused", func(t *testing.T) {
		f := newFolder(t)
		f.account(owner, "free", "7")
		before := f.ok("wallet", "ledger", owner)
		r := f.run("", "serve", "--demo", "--db", "svc.db", "--addr", "127.0.0.1:0")
		if r.status != 1 || r.out != "" {
			t.Errorf("status %d, stdout %q", r.status, r.out)
		}
		contains(t, r.err, "svc: this database was not made by --demo")
		f.object("accounts", "list") // still one account
		if f.ok("keys", "list", "--json") != "" || f.ok("wallet", "ledger", owner) != before {
			t.Error("the foreign database was changed")
		}
	})

	t.Run("FlagAndVariableNameIt", func(t *testing.T) {
		f := newFolder(t)
		p, _ := f.demo("--db", "flag's.db")
		contains(t, p.out.String(), `--db 'flag'\''s.db'`)
		f.with("SVC_DB=variable.db").demo()
		if !f.has("flag's.db") || !f.has("variable.db") || f.has("demo.db") || f.has("svc.db") {
			t.Error("--db or SVC_DB was ignored")
		}
	})

	t.Run("OperatorIsTheShop", func(t *testing.T) {
		f := newFolder(t)
		f.with("SVC_OPERATOR_EMAIL=" + owner).demo()
		if a := f.object("accounts", "list", "--db", "demo.db"); a["email"] != "owner@demo.example" || a["operator"] != true {
			t.Errorf("account %v, want the shop's", a)
		}
	})

	t.Run("JSON", func(t *testing.T) {
		f := newFolder(t)
		p := f.start("--demo", "--json", "--addr", "127.0.0.1:0")
		p.until("\n")
		started := f.objects(p.out.String())[0]
		p.url = started["url"].(string)
		for _, name := range []string{"live_key", "test_key"} {
			if a := p.send(started[name].(string), ""); a.status != 200 {
				t.Errorf("%s: %d %s", name, a.status, a.body)
			}
		}
		p.stop()
		if n := len(f.objects(p.out.String())); n != 1 {
			t.Errorf("%d objects on standard output, want 1", n)
		}
	})
}

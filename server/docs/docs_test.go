package docs_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc/db"
	"svc/server"
	"svc/server/openapi"
	"svc/server/servertest"
	"svc/server/tool"
)

const changelog = "# Changes\n\nNewest first.\n\n## 2026-11-22\n\n- `GET /pulse`: how the shop <does>\n  now.\n\n## 2026-11-20\n\nFirst.\n\n### New\n\n- **Keys.** They are\n  made.\n\n### Fixed\n\n- A long entry without any phrase that a reader could take for what it is all about at all.\n"

func open(t *testing.T) *servertest.Server {
	t.Helper()
	s := servertest.New(t, func(c *server.Config) { c.Changelog, c.WebhookAllow = changelog, []string{"loopback"} })
	s.Account(t, "dev@example.com", "business", 1000)
	return s
}

// The reference is public: every topic has its endpoints with price, errors and an example,
// and no page is larger than 150 kB.
func TestReference(t *testing.T) {
	servertest.Sequential(t)
	s := open(t)
	visitor := s.Browser(t)
	api, err := openapi.Read(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	home := visitor.Get(t, "/docs")
	for _, text := range []string{"API reference", s.URL, "outcome_unknown", `href="/openapi.json"`, "10,000", "POST /api/v1/scan", `href="/docs/events"`} {
		if home.Status != http.StatusOK || !home.Says(text) {
			t.Errorf("/docs: %d, says nothing of %q", home.Status, text)
		}
	}
	for _, topic := range api.Topics {
		for _, language := range openapi.Languages {
			page := visitor.Get(t, "/docs/"+strings.ToLower(topic.Name)+"?lang="+language.ID)
			if page.Status != http.StatusOK || len(page.Body) > 150_000 {
				t.Errorf("%s in %s: %d, %d bytes", topic.Name, language.Name, page.Status, len(page.Body))
			}
			for _, o := range topic.Operations {
				if !page.Says(`id="`+o.ID+`"`) || !page.Says(o.Path) || api.Snippet(o, language.ID) != "" && !page.Says(`id="`+o.ID+`-code"`) {
					t.Errorf("%s in %s lacks %s", topic.Name, language.Name, o.ID)
				}
			}
		}
	}
	if page := visitor.Get(t, "/docs/scan"); !page.Says("3 US cents when it succeeds") || !page.Says("nothing is done or billed twice") || !page.Says("<code>422</code>") {
		t.Error("scan has no price, no word of idempotency or not all errors")
	}
	if page := visitor.Get(t, "/docs/events"); page.Status != http.StatusOK || !page.Says("X-Service-Signature") || !page.Says("churn.scan.completed") {
		t.Errorf("events: %d", page.Status)
	}
	visitor.Get(t, "/docs/nothing").Expect(t, http.StatusNotFound, "not_found")
}

func TestChangelog(t *testing.T) {
	s := open(t)
	page := s.Browser(t).Get(t, "/changelog")
	text := strings.Join(strings.Fields(string(page.Body)), " ")
	for _, part := range []string{
		`id="2026-11-22">22 November 2026<`, `href="#2026-11-20"`, "<li><span><strong><code>GET /pulse</code>.</strong> How the shop &lt;does&gt; now.</span></li>",
		"<p>First.</p>", `<span class="tag on">New</span>`, "<li><span><strong>Keys.</strong> They are made.</span></li>", "<li><span>A long entry without",
		`<span class="hint">2 changes</span>`,
	} {
		if page.Status != http.StatusOK || !strings.Contains(text, part) {
			t.Errorf("%d, no %q:\n%s", page.Status, part, text)
		}
	}
	if newest, oldest := strings.Index(text, `id="2026-11-22"`), strings.Index(text, `id="2026-11-20"`); newest > oldest {
		t.Error("not newest first")
	}
}

// The areas lead to a page of their changes alone.
func TestChangelogOfAnArea(t *testing.T) {
	const text = "# Changes\n\n## 2026-11-23\n\n### New\n\n- **Ask: Words.** More.\n\n## 2026-11-22\n\n### New\n\n- **Console: Keys.** A list.\n- **API: Pulse.** It is there.\n\n## 2026-11-21\n\n### Fixed\n\n- **Console: Wallet.** It is right.\n- Wallet: Without one.\n"
	s := servertest.New(t, func(c *server.Config) { c.Changelog = text })
	s.Account(t, "dev@example.com", "free", 0)
	visitor := s.Browser(t)
	for _, part := range []string{`href="/changelog?area=console">Console <span class="num">2</span>`, `href="/changelog" aria-current="true">All <span class="num">5</span>`} {
		if page := visitor.Get(t, "/changelog"); !page.Says(part) {
			t.Errorf("no %q: %s", part, page.Body)
		}
	}
	page := string(visitor.Get(t, "/changelog?area=console").Body)
	open, folded, _ := strings.Cut(page, "<details><summary><h2")
	if !strings.Contains(open, "A list.") || !strings.Contains(folded, "It is right.") || strings.Contains(page, "It is there.") || strings.Contains(page, "2026-11-23") {
		t.Errorf("of the console: %s", page)
	}
	if other := visitor.Get(t, "/changelog?area=other"); !other.Says("Without one.") || other.Says("It is right.") || !other.Says(`aria-current="true">Other <span class="num">1</span>`) {
		t.Errorf("what is of no area: %s", other.Body)
	}
	unknown := visitor.Get(t, "/changelog?area=%3Cb%3E")
	if unknown.Status != http.StatusNotFound || !unknown.Says("There is no area “<bdi>&lt;b&gt;</bdi>”") || !unknown.Says(`href="/changelog?area=ask"`) ||
		unknown.Says("It is there.") || unknown.Says("No list of changes") || unknown.Says(`aria-current="true">All`) {
		t.Errorf("an unknown area: %d %s", unknown.Status, unknown.Body)
	}
}

// Each day of the binary's changelog is grouped, and the newest is open. Each entry of the newest
// has a phrase, and each of all an area.
func TestChangelogIsGrouped(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.New(t, func(c *server.Config) { c.Changelog = string(text) })
	s.Account(t, "dev@example.com", "free", 0)
	page := s.Browser(t).Get(t, "/changelog")
	newest, _, _ := strings.Cut(string(page.Body), "<details><summary><h2")
	_, newest, _ = strings.Cut(newest, `<section class="change"`)
	if !regexp.MustCompile(`>(New|Changed|Fixed)</span></h3>`).MatchString(newest) {
		t.Error("the newest day is not grouped")
	}
	if entries, phrases := strings.Count(newest, "<li>"), strings.Count(newest, "<span><strong>"); entries == 0 || entries != phrases {
		t.Errorf("%d entries, %d with a phrase", entries, phrases)
	}
	if page.Says("/changelog?area=other") {
		t.Error("some entries are of no area")
	}
	if !regexp.MustCompile(`<details><summary>\d+ fixes</summary>`).Match(page.Body) {
		t.Error("many fixes are not folded")
	}
	if older := strings.TrimPrefix(string(page.Body), newest); strings.Contains(older, `<div class="kinds"><div class="shown">`) {
		t.Error("an older day is not grouped")
	}
	if len(page.Body) > 150_000 {
		t.Errorf("%d bytes", len(page.Body))
	}
}

// The search finds endpoints by their names first, and fields, events and error codes.
func TestSearch(t *testing.T) {
	visitor := open(t).Browser(t)
	for query, want := range map[string]string{
		"charges": "/docs/charges", "POST charges": "/docs/charges#createCharge", "merchant_email amount": "/docs/charges#createCharge",
		"list charge": "/docs/charges#listCharges", "refunded charges of merchants": "/docs/charges#createCharge", "verified signatures": "/docs/events#verify", "retries": "/docs/events#retries",
		"reorder_poi": "/docs/data#pushData", "authentication": "/docs#keys",
		"stock.low": "/docs/events#event-2", "Outcome_Unknown": "/docs#answers", "fx": "/docs/trade#getFXRisk", "idempotency replays": "/docs#twice",
	} {
		page := visitor.Get(t, "/docs?q="+url.QueryEscape(query))
		_, hits, _ := strings.Cut(string(page.Body), `<ul class="hits">`)
		_, first, _ := strings.Cut(hits, `<h3><a href="`)
		if found, _, _ := strings.Cut(first, `"`); page.Status != http.StatusOK || found != want {
			t.Errorf("%s: %d, first %q, want %q", query, page.Status, found, want)
		}
	}
	all := visitor.Get(t, "/docs?q=api&all=1")
	if page := visitor.Get(t, "/docs?q=api"); !page.Says(`href="/docs?all=1&amp;q=api">Show all</a>`) || all.Says("Show all") || strings.Count(string(all.Body), "<h3><a") <= strings.Count(string(page.Body), "<h3><a") {
		t.Errorf("of many results not all can be shown: %s", page.Body)
	}
	if groups := regexp.MustCompile(`<h2 id="page-\d+"><a href="/docs/webhooks">`).FindAll(all.Body, -1); len(groups) != 1 {
		t.Errorf("%d groups of the page of webhooks", len(groups))
	}
	for _, query := range []string{"qwertz", `<script>"`} {
		page := visitor.Get(t, "/docs?q="+url.QueryEscape(query))
		if page.Status != http.StatusOK || !page.Says("Nothing has") || page.Says("<script>\"") {
			t.Errorf("%s: %d %s", query, page.Status, page.Body)
		}
	}
}

// The start page has both doors, and says nothing that only the operator may know.
func TestStart(t *testing.T) {
	servertest.Sequential(t)
	s := open(t)
	page := s.Browser(t).Get(t, "/")
	for _, text := range []string{`href="/signin"`, `href="/docs"`, `href="/docs/charges"`, "served", "not set up", s.URL + "/api/v1/ask", "POST /api/v1/scan"} {
		if !page.Says(text) {
			t.Errorf("%d, says nothing of %q", page.Status, text)
		}
	}
	if page.Says(`href="/signup"`) || page.Says(".db") {
		t.Error("it offers an account, or names the database")
	}
	_, member := s.Member(t, "shop@example.com")
	if page := member.Get(t, "/"); !page.Says(`href="/console/inventory"`) || !page.Says("Stock, prices, moves<") || !page.Says("A product by its photo or barcode") || page.Says("Billed are") || page.Says("/console/operator") || page.Says(`href="/console/webhooks"`) || page.Says(`href="/signin"`) {
		t.Error("signed in, the doors are not those of the console")
	}
}

// The description that is served names this server, and is what the pages are made of.
func TestDescription(t *testing.T) {
	s := open(t)
	var document struct {
		OpenAPI string
		Servers []struct{ URL string }
	}
	a := s.Call(t, http.MethodGet, "/openapi.json", nil)
	if err := json.Unmarshal(a.Body, &document); err != nil || a.Status != http.StatusOK {
		t.Fatal(a.Status, err)
	}
	if document.OpenAPI != "3.1.0" || len(document.Servers) != 1 || document.Servers[0].URL != s.URL {
		t.Errorf("%+v", document)
	}
}

// caller runs snippets against a server with its own keys.
type caller struct {
	*servertest.Server
	api     *openapi.API
	env     []string
	replace *strings.Replacer
}

func newCaller(t *testing.T) *caller {
	t.Helper()
	s := open(t)
	api, err := openapi.Read(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	importRates(t, s)
	_, secret := s.Key(t, "dev@example.com", db.Test, db.AccountMode)
	_, b := s.Member(t, "hooks@example.com")
	var made struct{ Webhook, Delivery struct{ ID string } }
	for _, call := range []struct{ path, body string }{
		{"/api/v1/webhooks", `{"url":"https://hooks.example.com/svc","events":["sale.created"]}`},
		{"/api/v1/webhooks/{id}/test", ""},
	} {
		a := b.Send(t, http.MethodPost, strings.ReplaceAll(call.path, "{id}", made.Webhook.ID), call.body)
		a.Expect(t, http.StatusOK, "")
		if err := json.Unmarshal(a.Body, &made); err != nil {
			t.Fatal(err)
		}
	}
	return &caller{
		Server: s, api: api,
		env: append(os.Environ(), openapi.KeyVariable+"="+secret, openapi.SessionVariable+"="+b.Cookies(t)[0].Value),
		replace: strings.NewReplacer("wh_01m837k7qj0009fncyf4d7b23z", made.Webhook.ID, "dlv_01m837k7x72m39qxqcj6h8xg28", made.Delivery.ID,
			"2026-11-22T09:00:00Z", s.Clock.Now().Add(-1).Format("2006-01-02T15:04:05Z"), "2026-11-22T09:14:31Z", s.Clock.Now().Format("2006-01-02T15:04:05Z")),
	}
}

func importRates(t *testing.T, s *servertest.Server) {
	t.Helper()
	file := "Date,USD,GBP,\n"
	for i := range 70 {
		file += s.Clock.Now().AddDate(0, 0, -i).Format("2006-01-02") + ",1." + []string{"10", "11", "12"}[i%3] + ",0.85,\n"
	}
	if _, err := s.App.Tools.ImportRates(context.Background(), tool.File{Content: strings.NewReader(file), Size: int64(len(file))}); err != nil {
		t.Fatal(err)
	}
}

// run runs the snippet of each operation and expects the 200 of the description, deleting last.
func (c *caller) run(t *testing.T, language string, command func(text string) *exec.Cmd, says string) {
	t.Helper()
	var last []openapi.Operation
	for _, topic := range c.api.Topics {
		for _, o := range topic.Operations {
			if o.Method == http.MethodDelete {
				last = append(last, o)
				continue
			}
			c.runOne(t, o, language, command, says)
		}
	}
	for _, o := range last {
		c.runOne(t, o, language, command, says)
	}
}

func (c *caller) runOne(t *testing.T, o openapi.Operation, language string, command func(text string) *exec.Cmd, says string) {
	t.Helper()
	text := c.api.Snippet(o, language)
	if text == "" {
		return
	}
	t.Run(o.ID, func(t *testing.T) {
		run := command(c.replace.Replace(text))
		run.Env = c.env
		out, err := run.CombinedOutput()
		if err != nil || !strings.Contains(string(out), says) {
			t.Errorf("%v: %s\n%s", err, out, text)
		}
	})
}

// installed returns the path of a program, or skips the test; in CI it must be there.
func installed(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
	return path
}

func TestSnippetsRunInCurl(t *testing.T) {
	t.Parallel()
	servertest.Sequential(t)
	installed(t, "curl")
	newCaller(t).run(t, "curl", func(text string) *exec.Cmd {
		return exec.Command("sh", "-c", text+` -o /dev/null -w 'status %{http_code}'`)
	}, "status 200")
}

func TestSnippetsRunInPython(t *testing.T) {
	t.Parallel()
	servertest.Sequential(t)
	python := installed(t, "python3")
	newCaller(t).run(t, "python", func(text string) *exec.Cmd { return exec.Command(python, "-c", text) }, "200 ")
}

func TestSnippetsRunInNode(t *testing.T) {
	t.Parallel()
	servertest.Sequential(t)
	node := installed(t, "node")
	newCaller(t).run(t, "javascript", func(text string) *exec.Cmd {
		return exec.Command(node, "--input-type=module", "-e", text)
	}, "200 {")
}

// All snippets of Go are programs, and one is run.
func TestSnippetsRunInGo(t *testing.T) {
	t.Parallel()
	servertest.Sequential(t)
	c := newCaller(t)
	module := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(module, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example\n\ngo 1.26\n")
	for _, topic := range c.api.Topics {
		for _, o := range topic.Operations {
			if text := c.api.Snippet(o, "go"); text != "" {
				write(o.ID+"/main.go", text)
			}
		}
	}
	for _, args := range [][]string{{"vet", "./..."}, {"run", "./createCharge"}} {
		run := exec.Command("go", args...)
		run.Dir, run.Env = module, c.env
		out, err := run.CombinedOutput()
		if err != nil || args[0] == "run" && !strings.HasPrefix(string(out), "200 {") {
			t.Errorf("go %v: %v\n%s", args, err, out)
		}
	}
}

// A list of several kinds of records is described kind by kind, and an error that several
// endpoints have is described once.
func TestReferenceSaysThingsOnce(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Account(t, "dev@example.com", "business", 0)
	b := s.Browser(t)
	data := b.Get(t, "/docs/data")
	for _, want := range []string{"<span>A sale</span>", "<span>A row of your own</span>", "<code>items[].quantity</code>", "<code>any other name</code>"} {
		if !data.Says(want) {
			t.Errorf("Data: no %s", want)
		}
	}
	if data.Says("records[]") {
		t.Error("Data: fields of records repeat their path")
	}
	hooks := b.Get(t, "/docs/webhooks")
	if n := strings.Count(string(hooks.Body), "Nobody is signed in, or an API key was sent."); n != 1 {
		t.Errorf("Webhooks: the 401 is described %d times", n)
	}
	to := regexp.MustCompile(`<a href="#(error-\d+)">401</a>`).FindSubmatch(hooks.Body)
	if to == nil || !hooks.Says(`<li id="`+string(to[1])+`">`) {
		t.Error("Webhooks: no way from an endpoint to the errors of several")
	}
}

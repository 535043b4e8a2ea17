package views

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"svc/server/fault"
	"svc/server/web"
)

var (
	templateFiles = os.DirFS("../../embed/templates")
	staticFiles   = os.DirFS("../../embed/static")
)

func newSet(t testing.TB) *Set {
	t.Helper()
	set, err := New(templateFiles, staticFiles)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// serve wraps a handler as the server does.
func serve(handler web.Handler) http.Handler {
	frame := &web.Frame{
		Log:          slog.New(slog.DiscardHandler),
		Clock:        time.Now,
		NewID:        func(time.Time) string { return "req_1" },
		Translate:    func(error) *fault.Error { return nil },
		BeforeHeader: func(*web.Response, *http.Request) {},
	}
	return frame.Handle(handler)
}

func render(t testing.TB, set *Set, p Page) *httptest.ResponseRecorder {
	t.Helper()
	answer := httptest.NewRecorder()
	serve(func(w *web.Response, _ *http.Request) error {
		err := set.Render(w, http.StatusOK, p)
		if err != nil {
			t.Errorf("render: %v", err)
		}
		return err
	}).ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
	return answer
}

// files copies a file system to memory.
func files(t *testing.T, from fs.FS) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	names, err := fs.Glob(from, "*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		body, err := fs.ReadFile(from, name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = &fstest.MapFile{Data: body}
	}
	return out
}

func TestNewRefusesFaultyFiles(t *testing.T) {
	for name, row := range map[string]struct {
		file, text string // an empty text means that the file is missing
		want       string
	}{
		"MissingTemplate":  {"console_wallet.html", "", "console_wallet.html"},
		"MissingLayout":    {"layout.html", "", "layout.html"},
		"Syntax":           {"home.html", `{{define "main"}}{{if}}{{end}}`, "home.html"},
		"UnknownField":     {"home.html", `{{define "main"}}{{.Nobody}}{{end}}`, "Nobody"},
		"UnsafeContext":    {"home.html", `{{define "main"}}<script>{{{.BaseURL}}</script>{{end}}`, "home.html"},
		"NothingToExecute": {"home.html", `{{define "other"}}{{end}}`, `"main"`},
		"UnknownAsset":     {"home.html", `{{define "main"}}{{asset "none.js"}}{{end}}`, "none.js"},
	} {
		t.Run(name, func(t *testing.T) {
			templates := files(t, templateFiles)
			delete(templates, row.file)
			if row.text != "" {
				templates[row.file] = &fstest.MapFile{Data: []byte(row.text)}
			}
			if _, err := New(templates, staticFiles); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("error = %v", err)
			}
		})
	}
	t.Run("UnknownFileType", func(t *testing.T) {
		static := files(t, staticFiles)
		static["notes.txt"] = &fstest.MapFile{Data: []byte("x")}
		if _, err := New(templateFiles, static); err == nil || !strings.Contains(err.Error(), "notes.txt") {
			t.Errorf("error = %v", err)
		}
	})
	t.Run("NoFiles", func(t *testing.T) {
		if _, err := New(templateFiles, fstest.MapFS{}); err == nil {
			t.Error("no error")
		}
	})
}

func TestNewTriesAllPages(t *testing.T) {
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var declared, tried []string
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), source, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "template" {
				declared = append(declared, f.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	names := map[string]bool{}
	for _, p := range all {
		tried = append(tried, reflect.TypeOf(p).Name())
		names[p.template()] = true
	}
	slices.Sort(declared)
	slices.Sort(tried)
	if !slices.Equal(declared, tried) || len(names) != len(all) {
		t.Errorf("declared %v\ntried %v\nnames %v", declared, tried, names)
	}
}

func TestEveryTemplateHasAPage(t *testing.T) {
	known := slices.Clone(shared)
	for _, p := range all {
		known = append(known, p.template()+".html")
	}
	for name := range files(t, templateFiles) {
		if !slices.Contains(known, name) {
			t.Errorf("%s belongs to no page", name)
		}
	}
}

func TestRenderHeaders(t *testing.T) {
	const base = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
	leaves := Frame{FormLeaves: true}
	for name, row := range map[string]struct {
		page      Page
		allowHTTP bool
		policy    string
		referrer  string
	}{
		"Home":                {Home{}, true, base, "same-origin"},
		"SignIn":              {SignIn{}, false, base, "same-origin"},
		"Message":             {Message{}, false, base, "no-referrer"},
		"Wallet":              {Wallet{Frame: leaves}, false, base + " https:", "same-origin"},
		"WalletHTTP":          {Wallet{Frame: leaves}, true, base + " https: http:", "same-origin"},
		"Pointer":             {&Wallet{Frame: leaves}, false, base + " https:", "same-origin"},
		"Charge":              {Charge{}, false, base, "no-referrer"},
		"ChargeLeaves":        {Charge{Frame: leaves}, false, base + " https:", "no-referrer"},
		"ConnectSignIn":       {ConnectSignIn{}, false, base, "no-referrer"},
		"ConnectDecide":       {ConnectDecide{}, false, base, "no-referrer"},
		"ConnectManage":       {ConnectManage{}, false, base, "no-referrer"},
		"ConnectWrongAccount": {ConnectWrongAccount{}, false, base, "no-referrer"},
		"Setup":               {Setup{}, false, base, "no-referrer"},
		"Reset":               {Reset{}, false, base, "no-referrer"},
	} {
		t.Run(name, func(t *testing.T) {
			set := newSet(t)
			set.AllowHTTP = row.allowHTTP
			header := render(t, set, row.page).Result().Header
			for name, want := range map[string]string{
				"Content-Type":            "text/html; charset=utf-8",
				"Cache-Control":           "no-store",
				"X-Robots-Tag":            "noindex",
				"X-Content-Type-Options":  "nosniff",
				"Content-Security-Policy": row.policy,
				"Referrer-Policy":         row.referrer,
			} {
				if got := header.Values(name); len(got) != 1 || got[0] != want {
					t.Errorf("%s: %q", name, got)
				}
			}
		})
	}
}

func TestRenderStatus(t *testing.T) {
	set := newSet(t)
	answer := httptest.NewRecorder()
	serve(func(w *web.Response, _ *http.Request) error {
		return set.Render(w, http.StatusGone, Message{Frame: Frame{Title: "Over"}})
	}).ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
	if answer.Code != http.StatusGone || !strings.Contains(answer.Body.String(), "<h1>Over</h1>") {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
}

func TestRenderSendsNothingIfTemplateFails(t *testing.T) {
	templates := files(t, templateFiles)
	templates["message.html"] = &fstest.MapFile{Data: []byte(`{{define "main"}}<h1>Half</h1>{{if .Text}}{{index .Text 7}}{{end}}{{end}}`)}
	set, err := New(templates, staticFiles)
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	var fault error
	serve(func(w *web.Response, _ *http.Request) error {
		fault = set.Render(w, http.StatusOK, Message{Text: []string{"one"}})
		return fault
	}).ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
	if fault == nil || !strings.Contains(fault.Error(), "page message") {
		t.Errorf("error %v", fault)
	}
	if answer.Code != http.StatusInternalServerError || answer.Body.String() != `{"error":"internal error"}`+"\n" {
		t.Errorf("%d %s", answer.Code, answer.Body)
	}
	if got := answer.Header().Get("Content-Security-Policy"); got != "default-src 'none'; frame-ancestors 'none'" {
		t.Errorf("policy %q", got)
	}
}

type params map[string]string

func (p params) ByName(name string) string { return p[name] }

func static(set *Set, file string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	serve(func(w *web.Response, r *http.Request) error {
		w.Params = params{"file": file}
		return set.Static(w, r)
	}).ServeHTTP(answer, httptest.NewRequest("GET", "/static/x", nil))
	return answer
}

func TestStatic(t *testing.T) {
	set := newSet(t)
	for name, want := range map[string]string{
		"svc.css":   "text/css; charset=utf-8",
		"charge.js": "text/javascript; charset=utf-8",
		"icon.svg":  "image/svg+xml",
	} {
		address, err := set.assets.address(name)
		if err != nil {
			t.Fatal(err)
		}
		body, err := fs.ReadFile(staticFiles, name)
		if err != nil {
			t.Fatal(err)
		}
		answer := static(set, strings.TrimPrefix(address, "/static/"))
		if answer.Code != http.StatusOK || !bytes.Equal(answer.Body.Bytes(), body) {
			t.Errorf("%s: %d", address, answer.Code)
		}
		if got := answer.Header().Get("Content-Type"); got != want {
			t.Errorf("%s: type %q", address, got)
		}
		if got := answer.Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: cache %q", address, got)
		}
	}
	for _, name := range []string{"svc.css", "svc-0000000000000000.css", "", "..", "../layout.html", "svc-.css"} {
		answer := static(set, name)
		if answer.Code != http.StatusNotFound || answer.Header().Get("X-Error-Code") != "not_found" {
			t.Errorf("%q: %d", name, answer.Code)
		}
		if got := answer.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("%q: cache %q", name, got)
		}
	}
}

// Browsers cache files for ever, so another content needs another name.
func TestStaticNameDependsOnContent(t *testing.T) {
	changed := files(t, staticFiles)
	changed["svc.css"] = &fstest.MapFile{Data: []byte("body{}")}
	other, err := New(templateFiles, changed)
	if err != nil {
		t.Fatal(err)
	}
	set := newSet(t)
	if other.assets.hashed["svc.css"] == set.assets.hashed["svc.css"] {
		t.Error("the changed stylesheet has the same name")
	}
	if other.assets.hashed["charge.js"] != set.assets.hashed["charge.js"] {
		t.Error("the unchanged script has another name")
	}
}

func TestWhen(t *testing.T) {
	zone := func(name string) *time.Location {
		z, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	for want, row := range map[string]struct {
		at   time.Time
		zone *time.Location
	}{
		`<time datetime="2026-03-02T10:00:00Z">2 Mar 2026, 10:00 UTC</time>`:            {morning, nil},
		`<time datetime="2026-03-02T10:00:00Z">2 Mar 2026, 10:00 GMT</time>`:            {morning, zone("Europe/London")},
		`<time datetime="2026-07-02T11:00:00&#43;01:00">2 Jul 2026, 11:00 BST</time>`:   {morning.AddDate(0, 4, 0), zone("Europe/London")},
		`<time datetime="2026-03-02T07:00:00-03:00">2 Mar 2026, 07:00 UTC-03:00</time>`: {morning, zone("America/Sao_Paulo")},
		`–`: {time.Time{}, nil},
	} {
		want = strings.ReplaceAll(want, "&#43;", "+")
		if got := string(when(row.at, row.zone)); got != want {
			t.Errorf("when = %s, want %s", got, want)
		}
	}
}

func TestUSDAndCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "$0.00", 5: "$0.05", 99: "$0.99", 100: "$1.00", 1234: "$12.34", -5: "-$0.05", -1234: "-$12.34",
		123456: "$1,234.56", -99999999: "-$999,999.99", -9223372036854775808: "-$92,233,720,368,547,758.08",
	} {
		if got := usd(n); got != want {
			t.Errorf("usd(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 credits", 1: "1 credit", 1250: "1,250 credits", -1: "-1 credits", 100: "100 credits"} {
		if got := count(n, "credit", "credits"); got != want {
			t.Errorf("count(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestRenderUnknownPage(t *testing.T) {
	set := newSet(t)
	serve(func(w *web.Response, _ *http.Request) error {
		if err := set.Render(w, http.StatusOK, unknown{}); err == nil {
			t.Error("no error")
		}
		return errors.New("x")
	}).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}

type unknown struct{ Frame }

func (unknown) template() string { return "unknown" }

// Package views writes the pages that people see: it owns their markup, their
// style and the headers that go with them. Each page is one typed struct
// (pages.go) and one template of the same name, so a field that a template does
// not know does not start, and one that a handler does not know does not compile.
//
// It decides nothing and knows neither the store nor the session: handlers fill
// the structs, and the forms go back to handlers. Every page works without
// JavaScript; the one script there is only watches a charge.
package views

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"

	"svc/server/fault"
	"svc/server/web"
)

// layout is what stands around every page, and shared are the parts that
// several pages have in common.
const layout = "layout.html"

var shared = []string{layout, "forms.html", "request.html"}

// all has one of each page, for New to try.
var all = []Page{
	Message{}, Home{}, SignIn{}, AskEmail{}, EnterCode{}, Setup{}, Reset{},
	ConnectSignIn{}, ConnectDecide{}, ConnectManage{}, ConnectWrongAccount{}, Charge{},
	Overview{}, Wallet{}, Settings{}, Granted{}, Operator{},
}

// Set is every page's template and every static file. It may be used
// concurrently once its fields are set.
type Set struct {
	// AllowHTTP lets a page that Leaves end at a plain http address, for a
	// stand-in of Stripe. It is set before the first page is rendered.
	AllowHTTP bool

	pages  map[string]*template.Template
	assets *assets
}

// New parses every template and reads every static file, so that what is missing
// or broken is found at the start: a page without its template, and a template
// that cannot be executed with the zero value of its page.
func New(templates, static fs.FS) (*Set, error) {
	files, err := readAssets(static)
	if err != nil {
		return nil, fmt.Errorf("static files: %w", err)
	}
	base, err := template.New(layout).
		Funcs(functions).
		Funcs(template.FuncMap{"asset": files.address}).
		ParseFS(templates, shared...)
	if err != nil {
		return nil, fmt.Errorf("templates: %w", err)
	}

	s := &Set{pages: map[string]*template.Template{}, assets: files}
	for _, p := range all {
		t, err := parse(base, templates, p)
		if err != nil {
			return nil, fmt.Errorf("templates: %w", err)
		}
		s.pages[p.template()] = t
	}
	return s, nil
}

// parse adds a page's own template to a copy of the shared ones, and tries it.
func parse(base *template.Template, templates fs.FS, p Page) (*template.Template, error) {
	t, err := base.Clone()
	if err != nil {
		return nil, err
	}
	if t, err = t.ParseFS(templates, p.template()+".html"); err != nil {
		return nil, err
	}
	_, err = execute(t, p)
	return t, err
}

func execute(t *template.Template, p Page) ([]byte, error) {
	var body bytes.Buffer
	if err := t.Execute(&body, p); err != nil {
		return nil, err
	}
	return body.Bytes(), nil
}

// Render answers with a page. A template's fault is an error, and nothing of the
// page is sent.
func (s *Set) Render(w *web.Response, status int, p Page) error {
	t, ok := s.pages[p.template()]
	if !ok {
		return fmt.Errorf("page %s: not known", p.template())
	}
	body, err := execute(t, p)
	if err != nil {
		return fmt.Errorf("page %s: %w", p.template(), err)
	}

	w.SetHeader("Content-Type", "text/html; charset=utf-8")
	w.SetHeader("Cache-Control", "no-store")
	w.SetHeader("X-Robots-Tag", "noindex")
	w.SetHeader("Content-Security-Policy", s.contentPolicy(p))
	w.SetHeader("Referrer-Policy", referrerPolicy(p))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone is no fault of ours
	return nil
}

const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; form-action 'self'"

// contentPolicy lets a form lead to another site only where it has to: browsers
// hold form-action also against the redirect that answers a post, and Stripe's
// checkout may have any domain.
func (s *Set) contentPolicy(p Page) string {
	switch {
	case !p.frame().Leaves:
		return contentPolicy
	case s.AllowHTTP:
		return contentPolicy + " https: http:"
	default:
		return contentPolicy + " https:"
	}
}

// referrerPolicy keeps an address that holds a token to itself (D3). Other pages
// name themselves to us, since a form's post without a referrer has the origin
// "null".
func referrerPolicy(p Page) string {
	if _, ok := p.(interface{ tokenInAddress() }); ok {
		return "no-referrer"
	}
	return "same-origin"
}

func (Message) tokenInAddress()    {} // it stands in for any page
func (Connection) tokenInAddress() {}
func (Charge) tokenInAddress()     {}
func (Setup) tokenInAddress()      {}
func (Reset) tokenInAddress()      {}

// Asset is the path under which a static file is served.
func (s *Set) Asset(name string) (string, error) { return s.assets.address(name) }

// Static is GET /static/:file. A name has the hash of the content in it, so that
// it may be kept for ever; there are no others.
func (s *Set) Static(w *web.Response, _ *http.Request) error {
	file, ok := s.assets.byName[w.Params.ByName("file")]
	if !ok {
		return &fault.Error{Code: fault.NotFound, Message: "no such file"}
	}

	w.Quiet = true
	w.SetHeader("Content-Type", file.contentType)
	w.SetHeader("Cache-Control", "public, max-age=31536000, immutable")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(file.body)
	return nil
}

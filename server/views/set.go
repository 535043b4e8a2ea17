// Package views writes the pages that people see. It owns their markup, their style and
// their headers. Each page is a struct (pages.go) and a template, so a mistake in a
// field's name fails at start if it is in a template, and does not compile if it is in a
// handler.
//
// It knows neither the store nor the session: handlers fill the structs, and forms are
// posted to handlers. Every page works without JavaScript; the only script watches a
// charge.
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

// layout is the file of the layout around every page, and shared are the files of
// templates that several pages use.
const layout = "layout.html"

var shared = []string{layout, "forms.html", "request.html", "lists.html", "console.html", "docs_parts.html"}

// all has a zero value of each page, for New to try.
var all = []Page{
	Message{},
	Home{},
	SignIn{},
	SignInCode{}, TwoFactor{},
	AskEmail{},
	EnterCode{},
	Setup{},
	Reset{},
	ConnectSignIn{},
	ConnectDecide{},
	ConnectManage{},
	ConnectWrongAccount{},
	Charge{},
	Activity{},
	Search{},
	Overview{}, Brief{},
	Wallet{},
	Ledger{},
	Settings{},
	Granted{},
	Charges{},
	Operator{},
	OperatorMails{},
	OperatorServer{},
	DocsHome{},
	DocsPage{},
	Changelog{},
	Connections{},
	Try{},
	Requests{},
	Usage{},
	Keys{},
	Inventory{}, Import{}, ImportPreview{}, Scan{}, Messages{}, Compose{},
	Apps{}, Webhooks{},
	People{}, Join{},
	Ask{}, Data{}, DataPreview{}, Dataset{},
}

// Set has the templates of all pages and all static files. It may be used concurrently
// once its fields are set.
type Set struct {
	// AllowHTTP lets forms of FormLeaves lead to plain http addresses, for a fake
	// Stripe. It is set before the first page is rendered.
	AllowHTTP bool

	pages  map[string]*template.Template
	assets *assets
}

// New parses every template and reads every static file. It returns an error for a page
// without a template, and for a template that cannot be executed with the zero value of
// its page.
func New(templates, static fs.FS) (*Set, error) {
	files, err := readAssets(static)
	if err != nil {
		return nil, fmt.Errorf("static files: %w", err)
	}
	empty := func() *template.Template {
		return template.New(layout).Funcs(functions).Funcs(template.FuncMap{"asset": files.address})
	}
	parts, err := empty().ParseFS(templates, shared...)
	if err != nil {
		return nil, fmt.Errorf("templates: %w", err)
	}

	s := &Set{pages: map[string]*template.Template{}, assets: files}
	for _, p := range all {
		t, err := newPage(empty(), parts, templates, p)
		if err != nil {
			return nil, fmt.Errorf("templates: %w", err)
		}
		s.pages[p.template()] = t
	}
	return s, nil
}

// newPage reads the template of a page into t, adds the shared ones that it reaches, and tries it.
func newPage(t, parts *template.Template, templates fs.FS, p Page) (*template.Template, error) {
	t, err := t.ParseFS(templates, p.template()+".html")
	if err != nil {
		return nil, err
	}
	if err := addReached(t, parts, layout, map[string]bool{}); err != nil {
		return nil, err
	}
	t = t.Lookup(layout)
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

// Render answers with a page. If its template fails, nothing of it is sent.
func (s *Set) Render(w *web.Response, status int, p Page) error {
	t, ok := s.pages[p.template()]
	if !ok {
		return fmt.Errorf("page %s: unknown", p.template())
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
	_, _ = w.Write(body) // the client may have closed the connection
	return nil
}

const basePolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; form-action 'self'"

// contentPolicy returns the content security policy of a page. Only forms of FormLeaves
// may lead to another site: browsers apply form-action also to the redirect that answers
// a post, and Stripe's checkout may have any domain.
func (s *Set) contentPolicy(p Page) string {
	switch {
	case !p.frame().FormLeaves:
		return basePolicy
	case s.AllowHTTP:
		return basePolicy + " https: http:"
	default:
		return basePolicy + " https:"
	}
}

// referrerPolicy returns the referrer policy of a page: none if its address has a token
// (D3). Other pages send the referrer to this site, since a form's post without one has
// the origin "null".
func referrerPolicy(p Page) string {
	if _, ok := p.(interface{ tokenInAddress() }); ok {
		return "no-referrer"
	}
	return "same-origin"
}

func (Message) tokenInAddress()    {} // it may be shown at any address
func (Connection) tokenInAddress() {}
func (Charge) tokenInAddress()     {}
func (Setup) tokenInAddress()      {}
func (Reset) tokenInAddress()      {}

// Asset returns the path of a static file.
func (s *Set) Asset(name string) (string, error) { return s.assets.address(name) }

// Static handles GET /static/:file. The name includes a hash of the content, so browsers
// may cache it for ever.
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

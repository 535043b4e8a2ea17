package servertest

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"svc/db"
	"svc/server"
	"svc/server/stripe/stripetest"
)

// Password is the password of all accounts of the kit that have one.
const Password = "correct horse battery"

// Browser visits pages without JavaScript: it keeps cookies, sends its forms as from the
// same site, and follows no redirect. It may be used by one goroutine at a time.
type Browser struct {
	server *Server
	client *http.Client
}

// Browser opens a browser without cookies.
func (s *Server) Browser(t testing.TB) *Browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{
		Jar:           jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &Browser{server: s, client: client}
}

// Member makes an account with a password and returns its id and a browser that is
// signed in to it. The first account of a server is the operator's.
func (s *Server) Member(t testing.TB, email string) (id string, b *Browser) {
	t.Helper()
	id = s.Person(t, email).ID
	b = s.Browser(t)
	if answer := b.SignIn(t, email, Password); answer.Status != http.StatusSeeOther {
		t.Fatalf("sign in: %d %s", answer.Status, answer.Body)
	}
	return id, b
}

// SignIn posts the form of /signin.
func (b *Browser) SignIn(t testing.TB, email, password string) Answer {
	t.Helper()
	return b.Post(t, "/signin", url.Values{"email": {email}, "password": {password}})
}

// Get opens a page by its path or a full link of this server.
func (b *Browser) Get(t testing.TB, link string, options ...Option) Answer {
	t.Helper()
	return b.do(t, http.MethodGet, link, nil, options)
}

// Post sends a form.
func (b *Browser) Post(t testing.TB, link string, form url.Values, options ...Option) Answer {
	t.Helper()
	sameSite := []Option{
		WithHeader("Content-Type", "application/x-www-form-urlencoded"), WithHeader("Sec-Fetch-Site", "same-origin"),
	}
	return b.do(t, http.MethodPost, link, strings.NewReader(form.Encode()), append(sameSite, options...))
}

// Send sends a request with a body as of Call, as a script of a page does.
func (b *Browser) Send(t testing.TB, method, path string, body any, options ...Option) Answer {
	t.Helper()
	script := []Option{WithHeader("Content-Type", "application/json"), WithHeader("Sec-Fetch-Site", "same-origin")}
	return b.do(t, method, path, reader(t, body), append(script, options...))
}

// Cookies returns the cookies that the browser sends to the server.
func (b *Browser) Cookies(t testing.TB) []*http.Cookie {
	t.Helper()
	u, err := url.Parse(b.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return b.client.Jar.Cookies(u)
}

// Cookie returns the value of a cookie that the browser sends to the server, or "".
func (b *Browser) Cookie(t testing.TB, name string) string {
	t.Helper()
	for _, c := range b.Cookies(t) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

func (b *Browser) do(t testing.TB, method, link string, body io.Reader, options []Option) Answer {
	t.Helper()
	request, err := http.NewRequest(method, b.server.URL+Path(link), body)
	if err != nil {
		t.Errorf("make request: %v", err)
		return Answer{}
	}
	for _, o := range options {
		o(request)
	}
	response, err := b.client.Do(request)
	if err != nil {
		t.Errorf("%s %s: %v", method, link, err)
		return Answer{}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("%s %s: read answer: %v", method, link, err)
	}
	answer := Answer{Status: response.StatusCode, Header: response.Header, Body: content}
	answer.check(t, request)
	answer.checkDescribed(t, request)
	answer.checkPage(t, request)
	return answer
}

// checkPage checks what holds for every page.
func (a Answer) checkPage(t testing.TB, r *http.Request) {
	t.Helper()
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		return
	}
	policy := a.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("%s: policy %q", r.URL.Path, policy)
	}
	if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("X-Robots-Tag") != "noindex" {
		t.Errorf("%s: headers %v", r.URL.Path, a.Header)
	}
	link := strings.HasPrefix(r.URL.Path, "/connect/") || strings.HasPrefix(r.URL.Path, "/charges/")
	if link && a.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%s: Referrer-Policy %q", r.URL.Path, a.Header.Get("Referrer-Policy"))
	}
}

// Path returns the path of a link, with its query.
func Path(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	return u.RequestURI()
}

// Says reports whether the body contains the text, as it is in the markup.
func (a Answer) Says(text string) bool { return strings.Contains(string(a.Body), text) }

var formAction = regexp.MustCompile(`<form[^>]*\saction="([^"]*)"`)

// Forms returns the actions of the page's forms, except the one to sign out.
func (a Answer) Forms() (actions []string) {
	for _, match := range formAction.FindAllSubmatch(a.Body, -1) {
		if action := string(match[1]); action != "/signout" {
			actions = append(actions, action)
		}
	}
	return actions
}

// Outbox returns the stored mails to an address, or all if it is empty, newest first.
func (s *Server) Outbox(t testing.TB, to string) (mails []db.Mail) {
	t.Helper()
	all, err := s.App.Mails.List(context.Background(), 1000)
	if err != nil {
		t.Fatalf("read outbox: %v", err)
	}
	for _, m := range all {
		if to == "" || strings.EqualFold(m.To, to) {
			mails = append(mails, m)
		}
	}
	return mails
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// Code finds the six-digit code in the newest mail to an address that has one.
func (s *Server) Code(t testing.TB, to string) string {
	t.Helper()
	for _, m := range s.Outbox(t, to) {
		if code := sixDigits.FindString(m.Text); code != "" {
			return code
		}
	}
	t.Fatalf("no mail with a code to %s", to)
	return ""
}

// WebhookSecret signs the events of the fake Stripe.
const WebhookSecret = "whsec_of_the_kit"

// WithStripe sets up payments with a fake Stripe.
func WithStripe(stripe *stripetest.Stripe) func(*server.Config) {
	return func(c *server.Config) {
		c.Stripe = server.Stripe{Key: stripe.Key, WebhookSecrets: []string{WebhookSecret}, API: stripe.URL}
	}
}

// Event posts a signed event about a session of the fake Stripe.
func (s *Server) Event(t testing.TB, stripe *stripetest.Stripe, sessionID, eventType string) Answer {
	t.Helper()
	return s.SignedEvent(t, stripe, stripe.Event(sessionID, eventType))
}

// SignedEvent signs an event's body now and posts it.
func (s *Server) SignedEvent(t testing.TB, stripe *stripetest.Stripe, payload []byte) Answer {
	t.Helper()
	return s.Call(t, http.MethodPost, "/webhooks/stripe", payload,
		WithHeader("Stripe-Signature", stripe.Sign(payload, WebhookSecret, s.Clock.Now())))
}

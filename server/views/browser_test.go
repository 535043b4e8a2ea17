package views

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"svc/server/fault"
	"svc/server/views/viewstest"
	"svc/server/web"
)

// These tests open the pages in a real browser, with their headers. If SVC_SCREENSHOTS
// is a folder, pictures of all pages are written there.

// site serves pages by name, the static files, a logo and the state of a charge, and
// records posts.
type site struct {
	*httptest.Server
	set *Set

	mu    sync.Mutex
	posts []string
	pages map[string]Page
	state string
	polls int
	next  string // the address to which posts are redirected; may be empty
}

func newSite(t *testing.T, samples ...sample) *site {
	t.Helper()
	s := &site{set: newSet(t), pages: map[string]Page{}}
	for _, sample := range samples {
		s.pages[sample.name] = sample.page
	}
	s.Server = httptest.NewServer(serve(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *site) answer(w *web.Response, r *http.Request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := r.URL.Path
	name, isPage := strings.CutPrefix(path, "/page/")
	file, isFile := strings.CutPrefix(path, "/static/")
	switch {
	case r.Method == http.MethodPost:
		if err := r.ParseForm(); err != nil {
			return err
		}
		s.posts = append(s.posts, strings.TrimSpace(path+" "+r.PostForm.Encode()))
		if s.next != "" {
			http.Redirect(w, r, s.next, http.StatusSeeOther)
			return nil
		}
		return s.set.Render(w, http.StatusOK, Message{Frame: Frame{Title: "Posted"}})
	case isPage && s.pages[name] != nil:
		return s.set.Render(w, http.StatusOK, s.pages[name])
	case isFile:
		w.Params = params{"file": file}
		return s.set.Static(w, r)
	case strings.HasSuffix(path, "/logo"):
		w.SetHeader("Content-Type", "image/svg+xml")
		_, err := w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect width="40" height="40" rx="8" fill="#e8a33d"/><path d="M10 12h20v4H10zm0 8h20v4H10zm0 8h12v4H10z" fill="#fff"/></svg>`))
		return err
	case strings.HasSuffix(path, "/status"):
		s.polls++
		return w.JSON(http.StatusOK, map[string]string{"state": s.state})
	case r.Header.Get("HX-Request") != "": // a page that reads itself again every few seconds: nothing is new
		w.WriteHeader(http.StatusNoContent)
		return nil
	case path == "/elsewhere":
		return s.set.Render(w, http.StatusOK, Message{Frame: Frame{Title: "Elsewhere"}})
	}
	return &fault.Error{Code: fault.NotFound, Message: path}
}

// change calls do under the lock, to change the site while it serves.
func (s *site) change(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

func (s *site) posted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.posts)
}

// No page has a fault at any width, light or dark, also not in the states that only an error
// shows. axe-core sees each once, as its run takes as long as all the rest.
func TestBrowser(t *testing.T) {
	t.Parallel()
	samples := typical(t)
	const browsers = 2
	for n := range browsers {
		t.Run(fmt.Sprint("browser ", n+1), func(t *testing.T) {
			t.Parallel()
			b, s := viewstest.OpenStill(t), newSite(t, samples...)
			for i := n; i < len(samples); i += browsers {
				s.look(t, b, samples[i].name)
			}
		})
	}
}

// look audits a page at three widths, light and dark. It changes one of both at a time, since
// each change lays out the page or draws it again.
func (s *site) look(t *testing.T, b *viewstest.Tab, name string) {
	b.Scheme("light")
	b.Go(s.URL + "/page/" + name)
	schemes := []string{"light", "dark"}
	for _, width := range []int64{1280, 390, 320} {
		b.Width(width)
		for i, scheme := range schemes {
			if i > 0 {
				b.Scheme(scheme)
			}
			where := fmt.Sprintf("%s-%d-%s", name, width, scheme)
			b.Audit(where)
			if width == 390 && scheme == "light" {
				b.Axe(where)
			}
			if folder := os.Getenv("SVC_SCREENSHOTS"); folder != "" && width != 320 {
				b.Screenshot(filepath.Join(folder, where+".png"))
			}
		}
		slices.Reverse(schemes)
	}
	for _, problem := range b.Problems() {
		t.Errorf("%s: %s", name, problem)
	}
}

// With any data, no script of the data runs, nothing is loaded from it, and the page
// keeps its width.
func TestBrowserHostile(t *testing.T) {
	t.Parallel()
	samples := slices.Concat(empty(), hostile())
	b, s := viewstest.OpenStill(t), newSite(t, samples...)
	widths := []int64{320, 1280}
	b.Width(widths[0])
	for _, sample := range samples {
		b.Go(s.URL + "/page/" + sample.name)
		b.Audit(fmt.Sprintf("%s-%d", sample.name, widths[0]))
		b.Width(widths[1])
		b.Audit(fmt.Sprintf("%s-%d", sample.name, widths[1]))
		slices.Reverse(widths) // the next page opens at the width of now
		for _, problem := range b.Problems() {
			if !strings.Contains(problem, "Failed to load resource") { // a logo that is not there
				t.Errorf("%s: %s", sample.name, problem)
			}
		}
	}
}

// The tests above would notice violations of the policy.
func TestBrowserReportsViolations(t *testing.T) {
	t.Parallel()
	b, s := viewstest.OpenStill(t), newSite(t, typical(t)...)
	b.Do(chromedp.Navigate(s.URL + "/page/home"))
	viewstest.Evaluate[bool](b, `document.body.setAttribute("style", "color: red"), true`)
	viewstest.Evaluate[bool](b, `document.body.append(Object.assign(new Image, {src: "http://127.0.0.1:1/x.png"})), true`)
	b.Until(`window.violations.length >= 2`)
	if problems := b.Problems(); len(problems) < 2 {
		t.Errorf("problems %q, want at least 2", problems)
	}
}

// On a phone the buttons of a decision are on the first screen, whatever is above them, and
// what has the focus is not behind them.
func TestBrowserDecisionIsInReach(t *testing.T) {
	t.Parallel()
	b, s := viewstest.Open(t), newSite(t, typical(t)...)
	b.Do(chromedp.EmulateViewport(390, 844))
	for name, buttons := range map[string]string{
		"connect-decide": ".choices button", "connect-decide-nameless": ".choices button", "connect-preview": ".choices button",
		"charge-pay": "main button", "charge-simulate": ".choices button",
	} {
		b.Do(chromedp.Navigate(s.URL + "/page/" + name))
		lowest := viewstest.Evaluate[float64](b, `Math.max(...[...document.querySelectorAll("`+buttons+`")].map(e => e.getBoundingClientRect().bottom))`)
		if lowest <= 0 || lowest > 844 {
			t.Errorf("%s: the buttons end at %v pixels", name, lowest)
		}
	}
	b.Do(chromedp.Navigate(s.URL + "/page/connect-decide"))
	covered := viewstest.Evaluate[bool](b, `(() => {
		const link = document.querySelector("#ending + p a");
		link.focus();
		return link.getBoundingClientRect().bottom > document.querySelector(".decision").getBoundingClientRect().top;
	})()`)
	if covered {
		t.Error("the link with the focus is behind the buttons")
	}
}

// A decision posts what the merchant chose, and the Enter key in a checkbox does not
// decide.
func TestBrowserDecision(t *testing.T) {
	t.Parallel()
	b, s := viewstest.Open(t), newSite(t, typical(t)...)
	decide, manage := s.URL+"/page/connect-decide", s.URL+"/page/connect-manage"
	press := func(label string) {
		b.Do(chromedp.Click(chromedp.Search(`//button[normalize-space()="` + label + `"]`)))
		b.Until(`document.title.startsWith("Posted")`)
	}

	for _, address := range []string{decide, manage} {
		b.Do(chromedp.Navigate(address))
		viewstest.Evaluate[bool](b, countSubmits)
		b.Do(chromedp.SendKeys(chromedp.CSS("#scope-0"), kb.Enter))
		if n := viewstest.Evaluate[int](b, `window.submits`); n != 0 {
			t.Errorf("Enter submitted %s", address)
		}
		if got := viewstest.Evaluate[string](b, `location.href`); got != address {
			t.Errorf("Enter left %s for %s", address, got)
		}
	}
	b.Do(chromedp.Navigate(s.URL + "/page/signin"))
	viewstest.Evaluate[bool](b, countSubmits)
	b.Do(chromedp.SendKeys(chromedp.CSS("#signin-email"), "a@b.example"), chromedp.SendKeys(chromedp.CSS("#signin-password"), "secret"+kb.Enter))
	if n := viewstest.Evaluate[int](b, `window.submits`); n != 1 {
		t.Errorf("Enter submitted the sign-in %d times", n)
	}

	b.Do(chromedp.Navigate(decide))
	press("Approve")
	b.Do(chromedp.Navigate(decide), chromedp.Click(chromedp.CSS(".check p"))) // clicks the label around the checkbox
	press("Approve")
	b.Do(chromedp.Navigate(decide))
	press("Decline")
	b.Do(chromedp.Navigate(manage), chromedp.Click(chromedp.CSS("#scope-0")))
	press("Save what is ticked")
	b.Do(chromedp.Navigate(manage))
	press("Revoke access")

	base := "/connect/" + linkToken
	want := []string{base + "/approve scope=read_inventory", base + "/approve", base + "/decline", base + "/narrow", base + "/revoke"}
	if got := s.posted(); !slices.Equal(got, want) {
		t.Errorf("posted %q", got)
	}
}

// countSubmits counts submits instead of sending them. It ignores the first button in the
// form of a decision, whose method "dialog" does nothing outside of a <dialog>.
const countSubmits = `window.submits = 0, document.addEventListener("submit", e => {
  if (e.submitter.formMethod === "dialog") return;
  e.preventDefault();
  window.submits++;
}), true`

// The pressed button determines the bundle.
func TestBrowserBundle(t *testing.T) {
	t.Parallel()
	b, s := viewstest.Open(t), newSite(t, typical(t)...)
	b.Do(chromedp.Navigate(s.URL+"/page/wallet"), chromedp.Click(chromedp.CSS(`button[value="b10"]`)))
	b.Until(`document.title.startsWith("Posted")`)
	if got := s.posted(); !slices.Equal(got, []string{"/console/wallet/buy bundle=b10"}) {
		t.Errorf("posted %q", got)
	}
}

// Only forms of pages with FormLeaves may be redirected to another site.
func TestBrowserFormLeaves(t *testing.T) {
	t.Parallel()
	other := newSite(t)
	for name, row := range map[string]struct {
		leaves, allowHTTP, arrives bool
	}{
		"Leaves":      {true, true, true},
		"HTTPSOnly":   {true, false, false},
		"Stays":       {false, true, false},
		"StaysAlways": {false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := viewstest.Open(t)
			s := newSite(t, sample{"pay", Charge{Frame: Frame{FormLeaves: row.leaves}, Token: linkToken, State: "pay", Amount: "£1.00"}})
			s.set.AllowHTTP, s.next = row.allowHTTP, other.URL+"/elsewhere"
			b.Do(chromedp.Navigate(s.URL+"/page/pay"), chromedp.Click(chromedp.CSS("button.main")))
			if row.arrives {
				b.Until(`document.title.startsWith("Elsewhere")`)
				return
			}
			b.Until(`window.violations.some(v => v.startsWith("form-action"))`)
		})
	}
}

// The page of a payment that is being processed polls its state until it changes.
func TestBrowserWatch(t *testing.T) {
	t.Parallel()
	charge := Charge{Token: linkToken, Amount: "£1.00", State: "processing", Watch: true}
	b, s := viewstest.Open(t), newSite(t, sample{"charge", charge})
	s.change(func() { s.state = "processing" })
	b.Do(chromedp.Navigate(s.URL + "/page/charge"))
	b.Until(`document.querySelector("#watch").textContent.startsWith("Waiting")`)
	s.change(func() {
		charge.State, charge.Watch = "approved", false
		s.state, s.pages["charge"] = "approved", charge
	})
	b.Until(`document.querySelector("h1").textContent === "Paid" && !document.querySelector("#watch")`)
	for _, problem := range b.Problems() {
		t.Error(problem)
	}
	if got := s.posted(); len(got) > 0 {
		t.Errorf("posted %q", got)
	}
}

// A page that does not show the reported state is reloaded only once.
func TestBrowserWatchDoesNotLoop(t *testing.T) {
	t.Parallel()
	b, s := viewstest.Open(t), newSite(t, sample{"charge", Charge{Token: linkToken, State: "processing", Watch: true}})
	s.change(func() { s.state = "pay" })
	b.Do(chromedp.Navigate(s.URL + "/page/charge"))
	b.Until(`performance.getEntriesByType("navigation")[0].type === "reload"`)
	viewstest.Evaluate[bool](b, `window.same = true`)
	polls := func() (n int) { s.change(func() { n = s.polls }); return n }
	before := polls()
	for deadline := time.Now().Add(20 * time.Second); polls() < before+2; {
		if time.Now().After(deadline) {
			t.Fatal("the page stopped polling")
		}
		if !viewstest.Evaluate[bool](b, `window.same === true`) {
			t.Fatal("the page was reloaded again")
		}
	}
}

func TestBrowserSkipLink(t *testing.T) {
	t.Parallel()
	b, s := viewstest.Open(t), newSite(t, typical(t)...)
	b.Do(chromedp.Navigate(s.URL+"/page/wallet"), chromedp.KeyEvent(kb.Tab))
	if got := viewstest.Evaluate[string](b, `document.activeElement.textContent`); got != "Skip to the content" {
		t.Errorf("first focus is on %q", got)
	}
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Until(`document.activeElement.id === "main"`)
}

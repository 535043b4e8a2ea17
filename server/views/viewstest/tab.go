// Package viewstest opens pages in a real browser: Chromium without a window, driven
// by chromedp. It sees what a person would complain of, overflow, low contrast,
// targets too small to touch, and what the browser itself does.
package viewstest

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a browser may take for all of a test, and for one thing that
// should come at once; only a test that fails needs so long.
const (
	patience    = 3 * time.Minute
	oneThing    = 20 * time.Second
	betweenLook = 5 * time.Millisecond
)

// chromium finds a browser. Without one the tests are skipped, and fail in CI.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("there is no chromium, and CI must not do without it: apt-get install chromium-headless-shell")
	}
	t.Skip("there is no chromium on this machine: apt-get install chromium-headless-shell")
	return ""
}

// Tab is a browser of its own with one tab, and what it complained of. It is used by
// one goroutine at a time.
type Tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string
}

// Open starts a browser, which ends with the test.
func Open(t *testing.T) *Tab {
	t.Helper()
	path := chromium(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)

	b := &Tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	b.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watchPolicy})
		return err
	}))
	return b
}

const watchPolicy = `
window.violations = [];
document.addEventListener("securitypolicyviolation", e =>
  window.violations.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample));`

func (b *Tab) listen(event any) {
	var problem string
	switch e := event.(type) {
	case *log.EventEntryAdded:
		problem = fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
	case *runtime.EventExceptionThrown:
		problem = "exception: " + e.ExceptionDetails.Text
	case *runtime.EventConsoleAPICalled:
		problem = fmt.Sprintf("console.%s", e.Type)
	default:
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = append(b.problems, problem)
}

// Complaints are what the browser has logged since the last call.
func (b *Tab) Complaints() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.problems
	b.problems = nil
	return out
}

// Do runs steps and ends the test when one fails.
func (b *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// Go opens an address.
func (b *Tab) Go(address string) {
	b.t.Helper()
	b.Do(chromedp.Navigate(address))
}

// Type types into the field that the CSS selector finds.
func (b *Tab) Type(selector, text string) {
	b.t.Helper()
	b.Do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// Click clicks what the CSS selector finds.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	b.Do(chromedp.Click(chromedp.CSS(selector)))
}

// Press clicks the button with this label.
func (b *Tab) Press(label string) {
	b.t.Helper()
	b.Do(chromedp.Click(chromedp.Search(`//button[normalize-space()="` + label + `"]`)))
}

// Evaluate is the value of a script in the page.
func Evaluate[T any](b *Tab, script string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// Text is all that the page says.
func (b *Tab) Text() string {
	b.t.Helper()
	return Evaluate[string](b, `document.body.innerText`)
}

// Address is where the tab is.
func (b *Tab) Address() string {
	b.t.Helper()
	return Evaluate[string](b, `location.href`)
}

// Until waits for a condition of the page to hold, also across navigations, in the
// middle of which it cannot be asked.
func (b *Tab) Until(condition string) {
	b.t.Helper()
	look := time.NewTicker(betweenLook)
	defer look.Stop()
	tooLong := time.After(oneThing)
	for {
		holds, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](condition))
		if err == nil && holds {
			return
		}
		select {
		case <-look.C:
		case <-tooLong:
			b.t.Fatalf("never held: %s: %v, %v", condition, holds, err)
		}
	}
}

// UntilTitle waits for a page with this title.
func (b *Tab) UntilTitle(title string) {
	b.t.Helper()
	b.Until(fmt.Sprintf("document.title.startsWith(%q) && document.readyState === 'complete'", title))
}

// Scheme makes the browser prefer light or dark.
func (b *Tab) Scheme(name string) {
	b.t.Helper()
	b.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: name},
				{Name: "prefers-reduced-motion", Value: "reduce"},
			},
		})
		return err
	}))
}

// Width makes the window so wide, in CSS pixels.
func (b *Tab) Width(pixels int64) {
	b.t.Helper()
	b.Do(chromedp.EmulateViewport(pixels, 800))
}

// audit is what a page says of itself.
type audit struct {
	Overflow    int      `json:"overflow"` // pixels beyond the right edge
	Violations  []string `json:"violations"`
	LowContrast []string `json:"lowContrast"`
	SmallTarget []string `json:"smallTarget"`
	Cut         []string `json:"cut"` // what reaches beyond its box
	Unstyled    bool     `json:"unstyled"`
}

//go:embed audit.js
var auditScript string

// Audit reports what is wrong with the page as it is shown now.
func (b *Tab) Audit(where string) {
	b.t.Helper()
	a := Evaluate[audit](b, auditScript)
	if a.Overflow > 0 {
		b.t.Errorf("%s: %d pixels too wide", where, a.Overflow)
	}
	for name, found := range map[string][]string{
		"violates its policy": a.Violations, "contrast is low": a.LowContrast,
		"too small to touch": a.SmallTarget, "is cut off": a.Cut,
	} {
		for _, f := range found {
			b.t.Errorf("%s: %s: %s", where, name, f)
		}
	}
	if a.Unstyled {
		b.t.Errorf("%s: the style is not there", where)
	}
}

// Photograph leaves a picture of the whole page in a file.
func (b *Tab) Photograph(file string) {
	b.t.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(file, picture, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// Package viewstest opens pages in headless Chromium with chromedp. It finds what people
// would object to (overflow, low contrast, targets that are too small to touch) and
// what the browser reports.
package viewstest

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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

const (
	// testTimeout bounds a test, waitTimeout one wait. Only a failing test needs them.
	testTimeout  = 8 * time.Minute
	waitTimeout  = time.Minute
	pollInterval = 5 * time.Millisecond
)

// chromium returns the path of a browser. Without one the test fails in CI and is skipped
// elsewhere.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("CI needs chromium: apt-get install chromium-headless-shell")
	}
	t.Skip("no chromium: apt-get install chromium-headless-shell")
	return ""
}

// Tab is a browser with one tab. It must not be used concurrently.
type Tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string
}

// Open starts a browser that runs until the end of the test. A walk is one call after
// another, so that -short, which is for the race detector, leaves it out.
func Open(t *testing.T) *Tab {
	t.Helper()
	return open(t)
}

// OpenStill is Open of a browser that composes no picture of a page after the first, which
// halves the processor time of an audit. Style and layout are as ever, but no animation runs,
// nothing that waits for the next frame happens, and a dialog that is closed stays. It is for
// pages that are only looked at. With SVC_SCREENSHOTS it is Open.
func OpenStill(t *testing.T) *Tab {
	t.Helper()
	if os.Getenv("SVC_SCREENSHOTS") != "" {
		return Open(t)
	}
	return open(t, chromedp.Flag("disable-threaded-compositing", true))
}

func open(t *testing.T, more ...chromedp.ExecAllocatorOption) *Tab {
	t.Helper()
	if testing.Short() {
		t.Skip("a person does one thing after another here; run it without -short")
	}
	path := chromium(t)
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	t.Cleanup(cancel)
	// A page lives for a moment, too short for what a compiler of its scripts or a drawn
	// picture would bring: without both a walk takes three quarters of the processor time.
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("js-flags", "--jitless"))
	options = append(options, more...)
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
		if strings.HasPrefix(e.Entry.Text, "Autofocus processing was blocked") {
			return // the test typed before the browser had focused the first field
		}
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

// Problems returns what the browser has logged since the last call.
func (b *Tab) Problems() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.problems
	b.problems = nil
	return out
}

// Do runs steps. A failing step ends the test.
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

// Type types text into the element of a CSS selector.
func (b *Tab) Type(selector, text string) {
	b.t.Helper()
	b.Do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// Click clicks the element of a CSS selector.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	b.Do(chromedp.Click(chromedp.CSS(selector)))
}

// Press clicks the button with the given label.
func (b *Tab) Press(label string) {
	b.t.Helper()
	b.Do(chromedp.Click(chromedp.Search(`//button[normalize-space()="` + label + `"]`)))
}

// Files chooses files, by their paths, in the field of a CSS selector.
func (b *Tab) Files(selector string, paths ...string) {
	b.t.Helper()
	b.Do(chromedp.SetUploadFiles(chromedp.CSS(selector), paths))
}

// Choose chooses the option with a value in the select of a CSS selector.
func (b *Tab) Choose(selector, value string) {
	b.t.Helper()
	script := fmt.Sprintf(`(() => {
  const field = document.querySelector(%q);
  field.value = %q;
  field.dispatchEvent(new Event("change", { bubbles: true }));
  return field.value;
})()`, selector, value)
	if got := Evaluate[string](b, script); got != value {
		b.t.Fatalf("%s has no option %q", selector, value)
	}
}

// Evaluate runs a script in the page and returns its value.
func Evaluate[T any](b *Tab, script string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// Text returns the visible text of the page.
func (b *Tab) Text() string {
	b.t.Helper()
	return Evaluate[string](b, `document.body.innerText`)
}

// Until waits until a script's value is true in a page that has loaded and that htmx has
// settled, so that what the test does next meets the page's own scripts: htmx takes up the
// forms of what it swapped in a moment after they are there. Errors are ignored until then,
// since a script fails during a navigation.
func (b *Tab) Until(condition string) {
	b.t.Helper()
	loaded := fmt.Sprintf("document.readyState === 'complete' && !document.querySelector('.htmx-swapping, .htmx-settling') && (%s)", condition)
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	timeout := time.After(waitTimeout)
	for {
		holds, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](loaded))
		if err == nil && holds {
			return
		}
		select {
		case <-poll.C:
		case <-timeout:
			b.t.Fatalf("%s is %v after %v (%v)", condition, holds, waitTimeout, err)
		}
	}
}

// UntilLoaded waits until the page has loaded.
func (b *Tab) UntilLoaded() {
	b.t.Helper()
	b.Until("true")
}

// UntilTitle waits for a page whose title begins with the given text.
func (b *Tab) UntilTitle(title string) {
	b.t.Helper()
	b.Until(fmt.Sprintf("document.title.startsWith(%q)", title))
}

// Scheme sets the preferred color scheme, "light" or "dark".
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

// Width sets the width of the window in CSS pixels.
func (b *Tab) Width(pixels int64) {
	b.t.Helper()
	b.Do(chromedp.EmulateViewport(pixels, 800))
}

// audit is the value of audit.js.
type audit struct {
	Overflow    int      `json:"overflow"` // pixels beyond the right edge
	Violations  []string `json:"violations"`
	LowContrast []string `json:"lowContrast"`
	SmallTarget []string `json:"smallTarget"`
	Cut         []string `json:"cut"`   // elements whose content overflows
	Inner       []string `json:"inner"` // elements of the page that scroll up and down in themselves
	Unstyled    bool     `json:"unstyled"`
}

//go:embed audit.js
var auditScript string

// Audit fails the test for each fault of the page as it is shown now.
func (b *Tab) Audit(where string) {
	b.t.Helper()
	a := Evaluate[audit](b, auditScript)
	if a.Overflow > 0 {
		b.t.Errorf("%s: page is %d pixels too wide", where, a.Overflow)
	}
	for name, found := range map[string][]string{
		"violation of the content policy": a.Violations, "low contrast": a.LowContrast,
		"target too small to touch": a.SmallTarget, "content is cut off": a.Cut, "scrolls within the page": a.Inner,
	} {
		for _, f := range found {
			b.t.Errorf("%s: %s: %s", where, name, f)
		}
	}
	if a.Unstyled {
		b.t.Errorf("%s: the stylesheet is not loaded", where)
	}
}

// Screenshot writes a picture of the whole page to a file, and makes the file's folder.
func (b *Tab) Screenshot(file string) {
	b.t.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err == nil {
		err = os.WriteFile(file, picture, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

package viewstest

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"
)

// axeSource is axe-core 4.14.1, unchanged, with its licences beside it. Only tests read
// it: no package of the program imports this one.
//
//go:embed testdata/axe/axe.min.js
var axeSource string

// axeScript runs the rules of WCAG 2.2 A and AA and the best practices. Its value is a
// list of axeViolation.
const axeScript = `axe.run(document, {
  resultTypes: ["violations"],
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}).then(({ violations }) => violations.map(({ id, impact, help, nodes }) => ({
  id, impact, help,
  nodes: nodes.map((n) => n.target.join(" ") + " " + n.html.slice(0, 160) + " " + n.any.concat(n.all).map((c) => c.message.slice(0, 300)).join("; ")),
})))`

type axeViolation struct {
	ID     string   `json:"id"`
	Impact string   `json:"impact"` // minor, moderate, serious or critical
	Help   string   `json:"help"`
	Nodes  []string `json:"nodes"` // selector, start of the HTML and what is wrong
}

// Axe checks the page as it is shown now with axe-core. It fails the test for violations
// of serious or critical impact, and logs the others.
func (b *Tab) Axe(where string) {
	b.t.Helper()
	if !Evaluate[bool](b, `typeof axe === "object"`) {
		// The DevTools protocol runs it beside the page's policy, which forbids scripts of
		// other origins and inline ones.
		Evaluate[bool](b, axeSource+"\n;true")
	}
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]axeViolation](axeScript, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: axe: %v", where, err)
	}
	for _, v := range found {
		text := fmt.Sprintf("%s: axe: %s %s: %s\n  %s", where, v.Impact, v.ID, v.Help, strings.Join(v.Nodes, "\n  "))
		if v.Impact == "serious" || v.Impact == "critical" {
			b.t.Error(text)
		} else {
			b.t.Log(text)
		}
	}
}

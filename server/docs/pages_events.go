package docs

import (
	"fmt"
	"io/fs"
	"strings"
	"time"

	"svc/embed"
	"svc/server/openapi"
	"svc/server/session"
	"svc/server/views"
)

// receivers are the files of embed.Receivers by the language of openapi.Languages, with the
// names that they have on the page.
var receivers = map[string]struct{ file, name string }{
	"curl": {"verify.sh", "Shell, with openssl"}, "javascript": {"verify.mjs", "JavaScript, for Node"}, "python": {"verify.py", "Python"}, "go": {"verify.go.txt", "Go"},
}

// events is the page of what the server sends.
func (p *Pages) events(v session.Visitor, api *openapi.API, lang string) (views.DocsPage, error) {
	page := views.DocsPage{
		Frame: v.Frame("Events"), Name: eventsTopic,
		Text: "What this server posts to your webhooks, signed, once what it tells is stored. Answer with a 2xx within 10 seconds; " +
			"look at the signature before you believe a body.",
	}
	page.Contents, page.Next = place(api, eventsTopic, lang)
	program, err := fs.ReadFile(embed.Receivers(), receivers[lang].file)
	if err != nil {
		return page, fmt.Errorf("docs: %w", err)
	}
	page.Receiver = &views.DocsReceiver{Snippet: strings.TrimSpace(string(program)), Name: receivers[lang].name}
	for _, l := range openapi.Languages {
		name := l.Name
		if l.ID == "curl" {
			name = "Shell"
		}
		page.Receiver.Languages = append(page.Receiver.Languages, views.Option{Value: langAddress(eventsTopic, l.ID, "verify"), Text: name, Chosen: l.ID == lang})
	}
	page.Tries = tries(p.Pauses)
	for i, e := range openapi.Events() {
		if i == 0 {
			page.Headers = sentFields(e.Headers)
		}
		page.Events = append(page.Events, views.DocsEvent{
			Kind: string(e.Kind), Title: e.Summary, When: strings.Join(strings.Fields(e.When), " "), Example: views.IndentJSON(e.Sample), Fields: sentFields(e.Fields),
			Retried: e.Kind.Retried(),
		})
	}
	return page, nil
}

// tries is the schedule of a delivery that fails, with the pauses between its tries.
func tries(pauses []time.Duration) []views.DocsTry {
	all := []views.DocsTry{{Number: 1, Pause: "at once"}}
	since := time.Duration(0)
	for i, pause := range pauses {
		since += pause
		all = append(all, views.DocsTry{Number: int64(i + 2), Pause: span(pause), Since: span(since)})
	}
	return all
}

// span writes a duration in its two largest units.
func span(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := d / unit.size; n > 0 && len(parts) < 2 {
			parts = append(parts, fmt.Sprint(int64(n), " ", unit.name))
		}
		d %= unit.size
	}
	return strings.Join(parts, " ")
}

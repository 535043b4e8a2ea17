package ask

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/ask/tell"
	"svc/server/fault"
	"svc/server/schema"
	"svc/server/session"
	"svc/server/sheet"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const askPath = "/console/ask"

// Words teach words for questions over a dataset.
type Words interface {
	// Teach is that of package dataset.
	Teach(ctx context.Context, accountID, dataset, text, target string) (schema.Word, schema.Source, error)
}

// Pages are the pages on which an account asks.
type Pages struct {
	service *Service
	views   *views.Set
	words   Words
}

// NewPages returns the pages of a service.
func NewPages(s *Service, set *views.Set, words Words) *Pages { return &Pages{s, set, words} }

// typed is what a visitor has typed that was refused.
type typed struct {
	question, scope string
	words           []views.AskWord
	problem         *fault.Error
}

// Show handles GET /console/ask, with a question that is typed already or a search of the
// last ones in its query.
func (p *Pages) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	q := r.URL.Query()
	return p.page(w, r, v, typed{question: q.Get("question"), scope: q.Get("dataset")}, nil)
}

// Ask handles POST /console/ask.
func (p *Pages) Ask(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	in := typed{question: form.Value("question"), scope: form.Value("dataset")}
	asked, _, err := p.service.AskOwn(r.Context(), v.Account, in.scope, in.question)
	if in.problem = web.UserError(err); in.problem != nil {
		return p.page(w, r, v, in, nil)
	}
	if err != nil {
		return err
	}
	return w.Redirect(askPath + "/" + asked.ID)
}

// answered is one of the account's questions with its answer.
type answered struct {
	db.Asked
	answer tell.Answer
}

func (p *Pages) answered(r *http.Request, w *web.Response, v session.Visitor) (a answered, err error) {
	a.Asked, a.answer, err = p.service.Own(r.Context(), v.Account, w.Params.ByName("id"))
	return a, noQuestion(err)
}

func noQuestion(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return &fault.Error{Code: fault.NotFound, Message: "there is no such question", Err: err}
	}
	return err
}

// ShowAnswer handles GET /console/ask/:id.
func (p *Pages) ShowAnswer(w *web.Response, r *http.Request, v session.Visitor) error {
	a, err := p.answered(r, w, v)
	if err != nil {
		return err
	}
	return p.page(w, r, v, typed{question: a.Text, scope: a.Scope}, &a)
}

// ExportTable handles GET /console/ask/:id/table.csv.
func (p *Pages) ExportTable(w *web.Response, r *http.Request, v session.Visitor) error {
	a, err := p.answered(r, w, v)
	if err != nil {
		return err
	}
	if a.answer.Table == nil {
		return &fault.Error{Code: fault.NotFound, Message: "the answer has no table"}
	}
	w.SetHeader("Content-Type", "text/csv; charset=utf-8")
	w.SetHeader("Content-Disposition", `attachment; filename="answer-`+w.Started.In(zone.Of(v.Account.Profile.Timezone)).Format(time.DateOnly)+`.csv"`)
	w.SetHeader("Cache-Control", "no-store")
	out := sheet.NewWriter(w)
	_ = out.Write(a.answer.Table.Headers) // Error returns why
	for _, row := range a.answer.Table.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			if cell != nil {
				cells[i] = fmt.Sprint(cell)
			}
		}
		_ = out.Write(cells)
	}
	out.Flush()
	return out.Error()
}

// Pin handles POST /console/ask/:id/pin.
func (p *Pages) Pin(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	id, pinned := w.Params.ByName("id"), form.Value("pinned") == "1"
	err := noQuestion(p.service.Pin(r.Context(), v.Account.ID, id, pinned))
	if problem := web.UserError(err); problem != nil && problem.Code == fault.Conflict {
		a, err := p.answered(r, w, v)
		if err != nil {
			return err
		}
		return p.page(w, r, v, typed{question: a.Text, scope: a.Scope, problem: problem}, &a)
	}
	if err != nil {
		return err
	}
	done := map[bool]string{true: "pinned", false: "unpinned"}[pinned]
	return w.Redirect(askPath + "/" + id + "?done=" + done)
}

// Remove handles POST /console/ask/:id/remove.
func (p *Pages) Remove(w *web.Response, r *http.Request, v session.Visitor, _ web.Form) error {
	if err := noQuestion(p.service.Forget(r.Context(), v.Account.ID, w.Params.ByName("id"))); err != nil {
		return err
	}
	return w.Redirect(askPath + "?done=removed")
}

// Teach handles POST /console/ask/:id/words: it teaches words and asks the question again.
func (p *Pages) Teach(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	a, err := p.answered(r, w, v)
	if err != nil {
		return err
	}
	in := typed{question: a.Text, scope: a.Scope, words: typedWords(form)}
	again := a.Asked
	if err = p.teach(r.Context(), v, a, in.words); err == nil {
		again, _, err = p.service.AskOwn(r.Context(), v.Account, a.Scope, a.Text)
	}
	if in.problem = web.UserError(err); in.problem != nil {
		return p.page(w, r, v, in, &a)
	}
	if err != nil {
		return err
	}
	return w.Redirect(askPath + "/" + again.ID + "?done=taught")
}

// typedWords returns the words of a form with their targets. Of several, those without a
// target are left out.
func typedWords(form web.Form) (all []views.AskWord) {
	targets := form.All("target")
	for i, word := range form.All("word") {
		one := views.AskWord{Word: word}
		if i < len(targets) {
			one.Target = strings.TrimSpace(targets[i])
		}
		if len(all) < maxTaught {
			all = append(all, one)
		}
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(x views.AskWord) bool { return x.Target == "" })
	switch {
	case len(chosen) > 0:
		return chosen
	case len(all) == 0:
		return []views.AskWord{{}}
	}
	return all
}

// teach teaches words for the dataset that an answer is of. The error names the field, and
// the word that it is about is marked.
func (p *Pages) teach(ctx context.Context, v session.Visitor, a answered, words []views.AskWord) error {
	scopes, err := p.service.Scopes(ctx, v.Account, a.Scope)
	if err != nil {
		return err
	}
	source, ok := teachable(a.answer, chosenOf(scopes, a.Scope))
	if !ok {
		return &fault.Error{Code: fault.Conflict, Message: "a word can be taught for a dataset only; this was answered from others"}
	}
	for i := range words {
		if words[i].Target == "" {
			err = fault.Invalid("target", "is required")
		} else {
			_, _, err = p.words.Teach(ctx, v.Account.ID, source.ID, words[i].Word, words[i].Target)
		}
		if problem := web.UserError(err); problem != nil && problem.Field == "" {
			err = &fault.Error{Code: problem.Code, Field: "target", Message: "is not clear: " + problem.Message}
		}
		if err != nil {
			words[i].Wrong = true
			return err
		}
	}
	return nil
}

var doneAsking = map[string]string{
	"pinned":   "The answer is on your overview. Its figures follow the data.",
	"unpinned": "It is no longer on your overview.",
	"removed":  "The question is forgotten.",
	"taught":   "The word is learned, and the question was asked again.",
	"sample":   "Sample sales are ready. They are made up; remove them under Data when you bring your own.",
}

// page shows the page, with the answer to a question unless that is nil.
func (p *Pages) page(w *web.Response, r *http.Request, v session.Visitor, in typed, a *answered) error {
	local := zone.Of(v.Account.Profile.Timezone)
	page := views.Ask{Frame: v.Frame("Ask"), Question: in.question, Chosen: in.scope, Zone: local}
	page.Section, page.Notice = "ask", doneAsking[r.URL.Query().Get("done")]
	status, sentence, field := views.Report(w, in.problem)
	page.Problem, page.Field = sentence, field

	scopes, err := p.service.Scopes(r.Context(), v.Account, in.scope)
	if err != nil {
		return err
	}
	chosen := chosenOf(scopes, in.scope)
	for _, one := range scopes {
		page.Scopes = append(page.Scopes, views.Option{Value: one.ID, Text: one.title(), Chosen: one.ID == in.scope})
	}
	page.Chosen, page.Suggestions = chosen.ID, chosen.Suggestions
	for _, s := range chosen.Sources {
		page.Reads = append(page.Reads, views.AskSource{Name: s.Name, Rows: s.Rows, Period: period(s.First, s.Last)})
	}
	if a != nil {
		page.Answer = answerOf(*a, chosen, in)
	}
	if err := p.addAsked(r, v, &page, w.Params.ByName("id")); err != nil {
		return err
	}
	return p.views.Render(w, status, page)
}

// addAsked adds the last questions; open is the one that the page shows.
func (p *Pages) addAsked(r *http.Request, v session.Visitor, page *views.Ask, open string) error {
	q := r.URL.Query()
	page.Search = q.Get("search")
	found, err := p.service.Questions(r.Context(), v.Account.ID, q.Get("before"), page.Search)
	if err != nil {
		return err
	}
	for _, one := range found.Asked {
		page.Asked = append(page.Asked, views.AskedRow{
			Link: askPath + "/" + one.ID, Text: one.Text, Confidence: one.Confidence,
			Pinned: !one.PinnedAt.IsZero(), Open: one.ID == open, At: one.AskedAt,
		})
	}
	if found.Older != "" {
		page.Pager.Older = listAddress(page.Search, found.Older)
	}
	if q.Get("before") != "" {
		page.Pager.Newest = listAddress(page.Search, "")
	}
	return nil
}

func listAddress(search, before string) string {
	q := url.Values{}
	for name, value := range map[string]string{"search": search, "before": before} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return (&url.URL{Path: askPath, RawQuery: q.Encode()}).String()
}

// chosenOf returns the scope with an id, else the first.
func chosenOf(scopes []Scope, id string) Scope {
	if len(scopes) == 0 {
		return Scope{}
	}
	return scopes[max(0, slices.IndexFunc(scopes, func(c Scope) bool { return c.ID == id }))]
}

// title names a choice: "sales and your shop’s own records, 2,300 rows".
func (c Scope) title() string {
	if c.Name != "" {
		return c.Name
	}
	text := c.Sources[0].Name
	if len(c.Sources) > 1 {
		text += " and your shop’s own records"
	}
	return text
}

const shortLayout = "2 Jan 2006"

// shortDay returns "2 Jan 2026" for a day in ISO 8601; any other text stays as it is.
func shortDay(iso string) string {
	day, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return iso
	}
	return day.Format(shortLayout)
}

// period returns "2 Jan 2026 to 31 Mar 2026" for two days in ISO 8601, "" without them.
func period(first, last string) string {
	if first == "" || last == "" {
		return ""
	}
	return shortDay(first) + " to " + shortDay(last)
}

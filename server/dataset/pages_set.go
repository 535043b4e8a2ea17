package dataset

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"

	"svc/server/fault"
	"svc/server/money"
	"svc/server/schema"
	"svc/server/session"
	"svc/server/sheet"
	"svc/server/views"
	"svc/server/web"
)

var doneNotices = map[string]string{
	"roles":     "Saved. Questions take the columns for that from now on.",
	"use":       "Saved. Questions read this dataset, also when another is imported.",
	"newest":    "Saved. Questions read what was imported last.",
	"undone":    "Undone. The dataset is what it was before its last import.",
	"removed":   "The dataset is removed.",
	"taught":    "The word is learned.",
	"forgotten": "The word is forgotten.",
	"created":   "The dataset is there, and questions can be asked of it.",
	"added":     "The rows are added.",
	"same":      "The dataset had all of these rows already, so nothing was added.",
	"replaced":  "The rows are replaced.",
	"discarded": "The file is deleted, and nothing of it was used.",
}

// columnsPart and historyPart are the parts of a dataset's page beside its rows.
const (
	columnsPart = "columns"
	historyPart = "history"
)

func counted(rows int64) string {
	if rows == 1 {
		return "1 row"
	}
	return money.Digits(rows, 0) + " rows"
}

// acted answers a form of a dataset: it shows the dataset again, with what was done or with
// what was refused.
func (p *Pages) acted(w *web.Response, r *http.Request, v session.Visitor, err error, done string, in refused) error {
	id := w.Params.ByName("id")
	if in.problem = web.UserError(noDataset(err)); in.problem != nil {
		return p.setPage(w, r, v, in)
	}
	if err != nil {
		return err
	}
	return w.Redirect(setAddress(id, in.part, done))
}

// SetRoles handles POST /console/data/set/:id/roles.
func (p *Pages) SetRoles(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	source, err := p.service.Find(r.Context(), v.Account.ID, w.Params.ByName("id"))
	if err != nil {
		return noDataset(err)
	}
	var headings []string
	var shown []schema.Role
	for _, c := range source.Columns {
		headings, shown = append(headings, c.Heading), append(shown, c.Role)
	}
	if chosen := chosenRoles(form, headings, shown); len(chosen) > 0 {
		_, err = p.service.SetRoles(r.Context(), v.Account.ID, source.ID, chosen)
	}
	if errors.Is(err, ErrRole) || errors.Is(err, ErrHeading) {
		err = &fault.Error{Code: fault.InvalidRequest, Message: err.Error()}
	}
	return p.acted(w, r, v, err, "roles", refused{part: columnsPart})
}

// Use handles POST /console/data/set/:id/use.
func (p *Pages) Use(w *web.Response, r *http.Request, v session.Visitor, _ web.Form) error {
	return p.acted(w, r, v, p.service.Use(r.Context(), v.Account.ID, w.Params.ByName("id")), "use", refused{})
}

// UseNewest handles POST /console/data/newest.
func (p *Pages) UseNewest(w *web.Response, r *http.Request, v session.Visitor, _ web.Form) error {
	if err := p.service.Use(r.Context(), v.Account.ID, ""); err != nil {
		return err
	}
	return w.Redirect(dataPath + "?done=newest")
}

// Undo handles POST /console/data/set/:id/undo.
func (p *Pages) Undo(w *web.Response, r *http.Request, v session.Visitor, _ web.Form) error {
	_, err := p.service.Undo(r.Context(), v.Account.ID, w.Params.ByName("id"))
	return p.acted(w, r, v, err, "undone", refused{})
}

// Remove handles POST /console/data/set/:id/remove.
func (p *Pages) Remove(w *web.Response, r *http.Request, v session.Visitor, _ web.Form) error {
	if _, err := p.service.Remove(r.Context(), v.Account.ID, w.Params.ByName("id")); err != nil {
		return noDataset(err)
	}
	return w.Redirect(dataPath + "?done=removed")
}

// Teach handles POST /console/data/set/:id/words.
func (p *Pages) Teach(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	in := refused{part: columnsPart, word: form.Value("word"), target: form.Value("target")}
	_, _, err := p.service.Teach(r.Context(), v.Account.ID, w.Params.ByName("id"), in.word, in.target)
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Field == "" {
		err = &fault.Error{Code: fault.InvalidRequest, Field: "target", Message: "is not clear: " + f.Message}
	}
	return p.acted(w, r, v, err, "taught", in)
}

// Forget handles POST /console/data/set/:id/forget.
func (p *Pages) Forget(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	_, _, err := p.service.Forget(r.Context(), v.Account.ID, w.Params.ByName("id"), form.Value("word"))
	return p.acted(w, r, v, err, "forgotten", refused{part: columnsPart})
}

// Sample handles POST /console/data/sample.
func (p *Pages) Sample(w *web.Response, r *http.Request, v session.Visitor, _ web.Form) error {
	if _, err := p.service.Sample(r.Context(), v.Account.ID, p.today(v)); err != nil {
		return err
	}
	return w.Redirect("/console/ask?done=sample")
}

// Upload handles POST /console/data/upload.
func (p *Pages) Upload(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	file, ok := form.File("file")
	err := error(fault.Invalid("file", "is missing: choose one"))
	var u Uploaded
	if ok {
		u, err = p.service.Keep(r.Context(), v.Account.ID, file.Name, file.Body)
	}
	if problem := web.UserError(err); problem != nil {
		return p.page(w, r, v, refused{problem: problem})
	}
	if err != nil {
		return err
	}
	return w.Redirect(uploadPath + "/" + u.ID)
}

// ShowUpload handles GET /console/data/upload/:id.
func (p *Pages) ShowUpload(w *web.Response, r *http.Request, v session.Visitor) error {
	u, err := p.service.Upload(r.Context(), v.Account.ID, w.Params.ByName("id"))
	if err != nil {
		return noUpload(err)
	}
	return p.preview(w, r, v, u, nil)
}

// UseUpload handles POST /console/data/upload/:id: it looks at the file as it is chosen, or
// uses or discards it.
func (p *Pages) UseUpload(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	ctx, account := r.Context(), v.Account.ID
	u, err := p.service.Upload(ctx, account, w.Params.ByName("id"))
	if err != nil {
		return p.used(w, r, v, noUpload(err))
	}
	if shown := firstColumn(form, "shown", u.Choice.From); shown != u.Choice.From { // the form is that of other columns
		u.Choice.From = shown
		if u, err = p.service.Look(ctx, account, u.ID, u.Choice, false); err != nil {
			return noUpload(err)
		}
	}
	u.Choice = choiceOf(form, u)
	next := uploadPath + "/" + u.ID
	if form.Value("from") != "" {
		next += "#rows"
	}
	switch do := form.Value("do"); do {
	case "discard":
		err, next = p.service.Discard(ctx, account, u.ID), dataPath+"?done=discarded"
	case "create", "add", "replace":
		mode := map[string]Mode{"create": Create, "add": Add, "replace": Replace}[do]
		next, err = p.use(r, v, u, mode)
	default:
		_, err = p.service.Look(ctx, account, u.ID, u.Choice, false)
	}
	if problem := web.UserError(noDataset(err)); problem != nil {
		if _, gone := p.service.Upload(ctx, account, u.ID); gone != nil {
			return p.used(w, r, v, noUpload(gone))
		}
		return p.preview(w, r, v, u, problem)
	}
	if err != nil {
		return err
	}
	return w.Redirect(next)
}

// used answers the form of an upload that is gone. If it was used, perhaps since the button was
// pressed twice, it leads to the dataset; else it returns the error.
func (p *Pages) used(w *web.Response, r *http.Request, v session.Visitor, err error) error {
	id, missing := p.service.UsedIn(r.Context(), v.Account.ID, w.Params.ByName("id"))
	if missing != nil {
		return err
	}
	return w.Redirect(setAddress(id, "", ""))
}

// use uses an upload and returns the address of what became of it.
func (p *Pages) use(r *http.Request, v session.Visitor, u Uploaded, mode Mode) (next string, err error) {
	source, report, err := p.service.UseUpload(r.Context(), v.Account.ID, u.ID, u.Choice, mode)
	done := map[Mode]string{Create: "created", Add: "added", Replace: "replaced"}[mode]
	if m := report.Merged; mode == Add && m.Added+m.Updated == 0 {
		done = "same"
	}
	return setAddress(source.ID, "", done), err
}

func noUpload(err error) error {
	if noDataset(err) != err {
		return &fault.Error{Code: fault.NotFound, Message: fmt.Sprintf("this file is not kept any more: it was used or discarded, a day is over, or %d newer ones came", maxUploads), Err: err}
	}
	return err
}

// firstColumn returns the first column that a field of a form asks for, or else another.
func firstColumn(form web.Form, field string, other int) int {
	if n, err := strconv.Atoi(form.Value(field)); err == nil {
		return n
	}
	return other
}

// choiceOf returns what a form chooses for an upload. Roles that were chosen before stay,
// unless another sheet is read.
func choiceOf(form web.Form, u Uploaded) Choice {
	c := Choice{Target: form.Value("target"), Name: form.Value("name"), Sheet: form.Value("sheet"), Roles: map[string]schema.Role{}}
	if c.Sheet != u.Choice.Sheet && c.Sheet != sheet.Shown(u.Preview.Sheets, u.Choice.Sheet) {
		return c
	}
	c.From = firstColumn(form, "from", u.Choice.From)
	if c.Dates = u.Choice.Dates; form.Value("dates") != u.Preview.Dates {
		c.Dates = form.Value("dates")
	}
	var headings []string
	var shown []schema.Role
	for _, column := range u.Preview.Columns {
		headings, shown = append(headings, column.Heading), append(shown, column.Role)
	}
	maps.Copy(c.Roles, u.Choice.Roles)
	for _, change := range chosenRoles(form, headings, shown) {
		maps.DeleteFunc(c.Roles, func(_ string, role schema.Role) bool { return role == change.Role && role != noRole }) // only one column has a role
		c.Roles[change.Heading] = change.Role
	}
	return c
}

// preview shows what the use of an upload would make.
func (p *Pages) preview(w *web.Response, r *http.Request, v session.Visitor, u Uploaded, problem *fault.Error) error {
	all, err := p.service.List(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	pushed, err := p.service.pushedSet(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	page := previewOf(u)
	page.Frame, page.Zone = v.Frame(u.Upload.Name), zoneOf(v)
	page.Section = "data"
	page.Targets = []views.Option{{Text: "A new dataset", Chosen: u.Choice.Target == ""}}
	for _, d := range all {
		if d.Ready && d.ID != pushed.DatasetID {
			chosen := d.ID == u.Choice.Target
			page.Targets = append(page.Targets, views.Option{Value: d.ID, Text: fmt.Sprintf("%s (%s)", d.Name, counted(d.Rows)), Chosen: chosen})
			if chosen {
				page.Target = d.Name
			}
		}
	}
	if problem != nil && problem.Field == "name" {
		problem = &fault.Error{Code: problem.Code, Field: "dataset-name", Message: problem.Message}
	}
	status, sentence, field := views.Report(w, problem)
	page.Problem, page.Field = sentence, field
	return p.views.Render(w, status, page)
}

// previewOf fills in what the file holds.
func previewOf(u Uploaded) views.DataPreview {
	p := u.Preview
	page := views.DataPreview{
		ID: u.ID, File: u.Upload.Name, Size: sizeText(u.Size), Until: u.ExpiresAt, Name: u.Choice.Name, Before: p.Before,
		New: int64(p.Merged.Added), Updated: int64(p.Merged.Updated), Known: int64(p.Merged.Known), AddProblem: p.AddProblem, Uncounted: p.Uncounted,
		Rows: p.Rows, Period: period(p.First, p.Last), Revenue: p.Revenue, Made: p.Made, From: p.From, Pages: columnPages(p), Cells: p.Cells,
		Notes: p.Notes, Unreadable: p.Problem, Sheets: views.SheetOptions(p.Sheets, u.Choice.Sheet),
	}
	if p.Dates != "" {
		page.Dates = []views.Option{{Value: DayFirst, Text: "with the day first", Chosen: p.Dates == DayFirst}, {Value: MonthFirst, Text: "with the month first", Chosen: p.Dates == MonthFirst}}
	}
	shown := map[string]int{}
	for i, c := range p.Columns {
		shown[c.Heading] = i
		page.Columns = append(page.Columns, views.DataColumn{Heading: c.Heading, Holds: c.Holds, Roles: roleOptions(c.Roles, c.Role)})
	}
	for _, warning := range p.Warnings {
		text := warning.Reason
		if warning.Line > 0 {
			text = sheet.Place(warning.Worksheet, warning.Line) + ": " + text
		}
		if i, ok := shown[warning.Heading]; ok {
			page.Columns[i].Warnings = append(page.Columns[i].Warnings, text+".")
		} else {
			page.Notes = append(page.Notes, warning.Heading+": "+text+".")
		}
	}
	return page
}

// columnPages returns the parts in which the columns are shown; none if all are shown at once.
func columnPages(p Preview) (all []views.Option) {
	for from := 0; from < p.All && p.All > previewColumns; from += previewColumns {
		text := fmt.Sprintf("%d to %d", from+1, min(p.All, from+previewColumns))
		all = append(all, views.Option{Value: strconv.Itoa(from), Text: text, Chosen: from == p.From})
	}
	return all
}

// sizeText writes a size like "1.2 MB".
func sizeText(bytes int64) string {
	const kilo, mega = 1000, 1_000_000
	if bytes < mega {
		return strconv.FormatInt(max(1, bytes/kilo), 10) + " kB"
	}
	return strconv.FormatFloat(float64(bytes)/mega, 'f', 1, 64) + " MB"
}

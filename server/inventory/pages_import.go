package inventory

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/sheet"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const (
	importPath  = path + "/import"
	importsPath = path + "/imports/" // and the id
	previewRows = 50
	pastRows    = 10

	problemsFile = "/problems.csv" // below an import
)

// columnWords are how people call the columns of a file, in the order of a form.
var columnWords = []struct{ field, words string }{
	{FieldName, "Name"}, {FieldSKU, "SKU"}, {FieldBarcodes, "Barcode"}, {FieldPrice, "Price"}, {FieldCost, "Cost price"}, {FieldStock, "Stock"},
	{FieldUnit, "Unit"}, {FieldReorder, "Low at or below"}, {FieldCategory, "Category"}, {FieldAliases, "Other names"},
}

func columnName(field string) string {
	for _, c := range columnWords {
		if c.field == field {
			return c.words
		}
	}
	return field
}

// ShowImport handles GET /console/inventory/import.
func (p *Pages) ShowImport(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.importPage(w, r, v, Preview{}, nil)
}

// importPage shows the form, with the faults of a file or a problem of the form.
func (p *Pages) importPage(w *web.Response, r *http.Request, v session.Visitor, refused Preview, problem *fault.Error) error {
	past, err := p.service.PastImports(r.Context(), v.Account.ID, pastRows)
	if err != nil {
		return err
	}
	page := views.Import{
		Frame: v.Frame("Import items"), Zone: zone.Of(v.Account.Profile.Timezone), File: refused.File, More: refused.More,
		Faults: faultsOf(refused.Errors),
	}
	page.Section = "inventory"
	for _, c := range columnWords {
		page.Fields = append(page.Fields, views.Pair{Name: c.words, Value: c.field})
	}
	var actors []string
	for _, done := range past {
		actors = append(actors, done.Actor)
	}
	names, err := p.service.actorNames(r.Context(), actors)
	if err != nil {
		return err
	}
	for _, done := range past {
		row := views.PastImport{
			At: done.EndedAt, File: done.File, Link: importsPath + done.ID, Who: names[done.Actor],
			Added: count(done.Added), Changed: count(done.Changed), Same: count(done.Same), Undone: undoWord(done),
		}
		if left := done.LeftOut + int64(done.Faulty); left > 0 {
			row.LeftOut = digits(left)
		}
		page.Past = append(page.Past, row)
	}
	status, sentence, _ := views.Report(w, problem)
	page.Problem = sentence
	return p.views.Render(w, status, page)
}

// undoWord says how far an import is undone; empty: it was not asked for.
func undoWord(done PastImport) string {
	rows := int64(done.Added + done.Changed)
	switch {
	case done.Undo == db.NotUndone:
		return ""
	case done.Undo == db.UndoBegun:
		return "undoing"
	case rows == 0:
		return "nothing to undo"
	case done.Undone == 0:
		return "not undone"
	case done.Undone < rows:
		return "undone in part"
	}
	return "undone"
}

func count(n int) string { return digits(int64(n)) }

func faultsOf(all []LineError) (faults []views.FileFault) {
	for _, e := range all {
		faults = append(faults, views.FileFault{Place: sheet.Place(e.Worksheet, e.Line), Column: e.Heading, Reason: e.Reason})
	}
	return faults
}

// Import handles POST /console/inventory/import: it reads the file and leads to its preview.
func (p *Pages) Import(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	file, ok := form.File("file")
	if !ok || len(file.Body) == 0 {
		return p.importPage(w, r, v, Preview{}, fault.Invalid("file", "must be chosen, and not be empty"))
	}
	found, err := p.service.PreviewFile(r.Context(), v.Account, File{
		Name: file.Name, Content: bytes.NewReader(file.Body), Size: int64(len(file.Body)), Sheet: strings.TrimSpace(form.Value("sheet")),
	})
	if unreadable, ok := errors.AsType[*sheet.Error](err); ok {
		problem := &fault.Error{Code: fault.InvalidRequest, Message: "the file " + file.Name + " cannot be read: " + unreadable.Error(), Err: unreadable}
		return p.importPage(w, r, v, Preview{}, problem)
	}
	if err != nil {
		return err
	}
	if len(found.Errors) > 0 {
		message := "nothing of " + file.Name + " was stored: " + plural(len(found.Errors), "fault", "faults") + " to mend first"
		return p.importPage(w, r, v, found, &fault.Error{Code: fault.InvalidRequest, Message: message})
	}
	return w.Redirect(importsPath + found.ID)
}

// plural writes a number with its noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}

// ShowPreview handles GET /console/inventory/imports/:id.
func (p *Pages) ShowPreview(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.previewPage(w, r, v, nil)
}

func (p *Pages) previewPage(w *web.Response, r *http.Request, v session.Visitor, problem *fault.Error) error {
	id, q := w.Params.ByName("id"), r.URL.Query()
	from, err := strconv.Atoi(q.Get("from"))
	if err != nil || from < 0 {
		from = 0
	}
	chosen := q.Get("rows")
	found, err := p.service.Staged(r.Context(), v.Account.ID, id, outcomeOf(chosen), from, previewRows)
	if err == nil && chosen == "" && found.Faulty > 0 { // what is to be decided comes first
		chosen = RowFaulty
		found, err = p.service.Staged(r.Context(), v.Account.ID, id, chosen, from, previewRows)
	}
	if notStaged := web.UserError(err); notStaged != nil {
		return p.progressPage(w, r, v, id)
	}
	if err != nil {
		return err
	}
	page := p.waiting(v, found, chosen, from)
	if q.Get("done") == "changed" {
		page.Problem = "The inventory has changed since, and so has what the file would do: look at it again. Nothing was imported."
	}
	status := http.StatusOK
	if problem != nil {
		status, page.Problem, _ = views.Report(w, problem)
	}
	return p.views.Render(w, status, page)
}

// allRows is the group of the rows that are imported, of a preview that has faulty rows, too.
const allRows = "all"

// outcomeOf returns the outcome of the rows of a group of a preview.
func outcomeOf(group string) string {
	if group == allRows {
		return ""
	}
	return group
}

// waiting fills the page of a preview that waits for a decision.
func (p *Pages) waiting(v session.Visitor, found Staged, chosen string, from int) views.ImportPreview {
	page := views.ImportPreview{
		Frame: v.Frame("Preview of an import"), ID: found.ID, File: found.File, State: "waiting", Until: found.At.Add(abandoned),
		Ignored: found.Ignored, Warnings: faultsOf(found.Warnings), Notes: notesOf(found.Preview), Nothing: found.Added+found.Changed == 0,
		Currency: strings.ToUpper(v.Account.Profile.Currency), Zone: zone.Of(v.Account.Profile.Timezone),
		Sheets: views.SheetOptions(found.Sheets, found.Sheet),
		Button: "Import " + plural(found.Added+found.Changed, "item", "items"),
	}
	page.Section = "inventory"
	groups := []struct{ title, group string }{{"All", ""}, {"New", RowAdded}, {"Changed", RowChanged}, {"As they are", RowSame}}
	if found.Faulty > 0 {
		page.Faulty, page.Problems = found.Faulty, importsPath+found.ID+problemsFile
		page.Button += "; leave out " + plural(found.Faulty, "row", "rows")
		groups[0].title, groups[0].group = "Good rows", allRows
		groups = append([]struct{ title, group string }{{"With problems", RowFaulty}}, groups...)
	}
	for _, c := range columnWords {
		if heading, ok := found.Columns[c.field]; ok {
			page.Columns = append(page.Columns, views.Pair{Name: c.words, Value: heading})
		}
	}
	address := func(group string, from int) string {
		q := url.Values{}
		if group != "" {
			q.Set("rows", group)
		}
		if from > 0 {
			q.Set("from", strconv.Itoa(from))
		}
		return (&url.URL{Path: importsPath + found.ID, RawQuery: q.Encode()}).String()
	}
	for _, g := range groups {
		page.Groups = append(page.Groups, views.Group{
			Title: g.title, Count: count(found.Rows(outcomeOf(g.group))), Link: address(g.group, 0), Chosen: g.group == chosen,
		})
	}
	if from > 0 {
		page.First = address(chosen, 0)
	}
	if found.Next > 0 {
		page.Next = address(chosen, found.Next)
	}
	for _, row := range found.Shown {
		page.Rows = append(page.Rows, importRow(row))
	}
	for _, row := range found.Left {
		page.FaultyRows = append(page.FaultyRows, views.FaultyRow{Place: sheet.Place(row.Worksheet, row.Line), Name: row.Name, Why: row.Why()})
	}
	return page
}

// outcomeWords are the outcomes of a row on a page, and the kind of tag that shows it.
var outcomeWords = map[string][2]string{
	RowAdded: {"new", "on"}, RowChanged: {"changed", "warn"}, RowSame: {"as it is", ""},
}

func importRow(r PreviewRow) views.ImportRow {
	row := views.ImportRow{
		Place: sheet.Place(r.Worksheet, r.Line), Name: r.Name, Outcome: outcomeWords[r.Outcome][0], Tag: outcomeWords[r.Outcome][1],
	}
	if r.ItemID != "" {
		row.Link = path + "?open=" + url.QueryEscape(r.ItemID)
	}
	for _, c := range r.Changes {
		row.Changes = append(row.Changes, views.ImportChange{Field: columnName(c.Field), From: c.From, To: c.To})
	}
	return row
}

// notesOf says what of a file is not read.
func notesOf(p Preview) (notes []string) {
	if p.Skipped > 0 {
		notes = append(notes, plural(p.Skipped, "row has no product", "rows have no product")+" and will be left out: pictures, titles, totals or blank lines.")
	}
	if p.Above > 0 {
		notes = append(notes, plural(p.Above, "row", "rows")+" above the headings will be left out.")
	}
	if p.Beyond > 0 {
		notes = append(notes, plural(p.Beyond, "row has", "rows have")+" text to the right of the last heading, which will be left out.")
	}
	var unread []string
	for _, t := range p.Sheets {
		if !t.Taken {
			unread = append(unread, "“"+t.Name+"”")
		}
	}
	if len(unread) > 0 {
		notes = append(notes, "Not read: "+strings.Join(unread, ", ")+".")
	}
	return notes
}

// progressPage shows an import that was confirmed.
func (p *Pages) progressPage(w *web.Response, r *http.Request, v session.Visitor, id string) error {
	done, err := p.service.Progress(r.Context(), v.Account.ID, id)
	if err != nil {
		return err
	}
	page := views.ImportPreview{
		Frame: v.Frame("An import"), ID: id, File: done.File, State: "done", At: done.EndedAt, Zone: zone.Of(v.Account.Profile.Timezone),
	}
	page.Section = "inventory"
	if done.EndedAt.Equal(time.Time{}) {
		page.State, page.Left = "running", digits(done.Left)
		if page.Faulty = done.Faulty; done.Faulty > 0 {
			page.Problems = importsPath + id + problemsFile
		}
		return p.views.Render(w, http.StatusOK, page)
	}
	names, err := p.service.actorNames(r.Context(), []string{done.Actor, done.UndoneBy})
	if err != nil {
		return err
	}
	page.Who = names[done.Actor]
	if page.Undo, err = p.undoOf(r.Context(), v, done, names); err != nil {
		return err
	}
	if done.LeftOut > 0 {
		page.LeftOut = digits(done.LeftOut)
	}
	if page.Faulty = done.Faulty; done.Faulty > 0 && !done.Kept.IsZero() {
		page.Problems = importsPath + id + problemsFile
	}
	page.Notes, page.Differs = notesOf(done.Preview), done.Differs
	for _, g := range []struct{ title, outcome string }{{"new", RowAdded}, {"changed", RowChanged}, {"as they were", RowSame}} {
		group := views.Group{Title: g.title, Count: count(done.Rows(g.outcome))}
		if g.outcome == RowAdded && done.Rows(g.outcome) > 0 {
			group.Link = part{order: string(db.ByAddedDown)}.address()
		}
		page.Groups = append(page.Groups, group)
	}
	for _, noted := range done.Noted {
		noted.Outcome = RowChanged
		if noted.ItemID == "" {
			noted.Outcome = RowAdded
		}
		row := importRow(noted)
		if noted.ItemID == "" {
			row.Link = part{search: noted.Name}.address()
		}
		page.Rows = append(page.Rows, row)
	}
	return p.views.Render(w, http.StatusOK, page)
}

// undoOf returns what a page says of the undo of an import.
func (p *Pages) undoOf(ctx context.Context, v session.Visitor, done PastImport, names map[string]string) (u views.ImportUndo, err error) {
	found, err := p.service.Undone(ctx, v.Account.ID, done.ID)
	if err != nil {
		return u, err
	}
	u = views.ImportUndo{Possible: found.Possible, Until: done.Kept, At: done.UndoneAt, Who: names[done.UndoneBy]}
	if found.Rows > 0 {
		u.Rows = plural(int(found.Rows), "row", "rows")
	}
	switch found.State {
	case db.UndoBegun:
		u.Left = digits(found.Left)
	case db.UndoDone:
		word := undoWord(done)
		u.Done, u.Title, u.Nothing = true, strings.ToUpper(word[:1])+word[1:], done.Added+done.Changed == 0
	}
	if found.Kept > 0 {
		u.Kept = digits(found.Kept)
	}
	for _, f := range found.Problems {
		u.Problems = append(u.Problems, views.FaultyRow{Place: path + "?open=" + url.QueryEscape(f.ItemID), Name: cmp.Or(f.Name, f.SKU), Why: UndoReason(f.Problem)})
	}
	return u, nil
}

// UndoImport handles POST /console/inventory/imports/:id/undo.
func (p *Pages) UndoImport(w *web.Response, r *http.Request, v session.Visitor, _ web.Form) error {
	id := w.Params.ByName("id")
	if err := p.service.UndoImport(r.Context(), v.Account, id); err != nil {
		return err
	}
	return w.Redirect(importsPath + id)
}

// ChooseSheet handles POST /console/inventory/imports/:id: it shows what another sheet of the
// file would do.
func (p *Pages) ChooseSheet(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	name := form.Value("sheet")
	found, err := p.service.ChooseSheet(r.Context(), v.Account, w.Params.ByName("id"), name)
	if unreadable, ok := errors.AsType[*sheet.Error](err); ok {
		err = &fault.Error{Code: fault.InvalidRequest, Message: "the sheet cannot be read: " + unreadable.Error(), Err: unreadable}
	} else if err == nil && len(found.Errors) > 0 {
		text := "the sheet " + sheet.Quote(name) + " has " + plural(len(found.Errors), "fault", "faults") + " to mend first: "
		err = &fault.Error{Code: fault.InvalidRequest, Message: text + found.Errors[0].Error()}
	}
	if problem := web.UserError(err); problem != nil && problem.Code != fault.NotFound {
		return p.previewPage(w, r, v, problem)
	}
	if err != nil {
		return err
	}
	return w.Redirect(importsPath + found.ID)
}

// Confirm handles POST /console/inventory/imports/:id/confirm.
func (p *Pages) Confirm(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	id := w.Params.ByName("id")
	leaveOut, err := strconv.Atoi(cmp.Or(form.Value("leave_out"), "0"))
	if err != nil {
		return fault.Invalid("leave_out", "must be the number of rows with problems")
	}
	changed, err := p.service.Confirm(r.Context(), v.Account, id, leaveOut)
	if problem := web.UserError(err); problem != nil && problem.Code == fault.Conflict {
		return p.previewPage(w, r, v, problem)
	}
	if errors.Is(err, errNoPreview) { // pressed twice, perhaps
		_, err = p.service.Progress(r.Context(), v.Account.ID, id)
	}
	if err != nil {
		return err
	}
	if changed {
		return w.Redirect(importsPath + id + "?done=changed")
	}
	return w.Redirect(importsPath + id)
}

// Problems handles GET /console/inventory/imports/:id/problems.csv: the rows of a file that its
// import leaves out, with why.
func (p *Pages) Problems(w *web.Response, r *http.Request, v session.Visitor) error {
	found, err := p.service.WithFaulty(r.Context(), v.Account.ID, w.Params.ByName("id"))
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(found.File, filepath.Ext(found.File)) + "-problems.csv"
	return sendCSV(w, name, func(write func([]string) error) error {
		return p.service.WriteFaulty(r.Context(), v.Account.ID, found, write)
	})
}

// Discard handles POST /console/inventory/imports/:id/discard.
func (p *Pages) Discard(w *web.Response, r *http.Request, v session.Visitor, _ web.Form) error {
	if err := p.service.Discard(r.Context(), v.Account.ID, w.Params.ByName("id")); err != nil {
		return err
	}
	return w.Redirect(importPath)
}

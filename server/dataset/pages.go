package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"svc/db"
	asked "svc/server/ask/plan"
	"svc/server/fault"
	"svc/server/schema"
	"svc/server/session"
	"svc/server/sheet"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const (
	dataPath   = "/console/data"
	uploadPath = dataPath + "/upload"
	setPath    = dataPath + "/set"
)

// Pages are the pages of an account's datasets.
type Pages struct {
	service *Service
	views   *views.Set
	clock   func() time.Time
}

// NewPages returns the pages of a service.
func NewPages(s *Service, set *views.Set, clock func() time.Time) *Pages {
	return &Pages{s, set, clock}
}

// refused is what a visitor has sent that was refused.
type refused struct {
	part         string // of the page of a dataset
	word, target string
	problem      *fault.Error
}

// Show handles GET /console/data. Earlier versions had the dataset `open` in its query.
func (p *Pages) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	if id := r.URL.Query().Get("open"); id != "" {
		if _, err := p.service.Find(r.Context(), v.Account.ID, id); err != nil {
			return noDataset(err)
		}
		return w.Redirect(setAddress(id, "", ""))
	}
	return p.page(w, r, v, refused{})
}

func zoneOf(v session.Visitor) *time.Location { return zone.Of(v.Account.Profile.Timezone) }

// today returns the visitor's day.
func (p *Pages) today(v session.Visitor) time.Time { return p.clock().In(zoneOf(v)) }

func noDataset(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return &fault.Error{Code: fault.NotFound, Message: "there is no such dataset", Err: err}
	}
	return err
}

// page shows the datasets.
func (p *Pages) page(w *web.Response, r *http.Request, v session.Visitor, in refused) error {
	ctx, local := r.Context(), zoneOf(v)
	page := views.Data{Frame: v.Frame("Data"), Newest: true, MaxMB: Console.Bytes / 1_000_000, Zone: local}
	page.Section, page.Notice = "data", doneNotices[r.URL.Query().Get("done")]
	status, sentence, field := views.Report(w, in.problem)
	page.Problem, page.Field = sentence, field

	all, err := p.service.List(ctx, v.Account.ID)
	if err != nil {
		return err
	}
	isCurrent := true
	for _, d := range all {
		row := rowOf(d)
		row.Current = d.Ready && isCurrent
		isCurrent = isCurrent && !d.Ready
		page.Newest = page.Newest && !d.InUse
		page.Datasets = append(page.Datasets, row)
	}
	waiting, err := p.service.Uploads(ctx, v.Account.ID)
	if err != nil {
		return err
	}
	for _, u := range waiting {
		page.Waiting = append(page.Waiting, views.WaitingFile{Link: uploadPath + "/" + u.ID, Name: u.Name, Until: u.ExpiresAt})
	}
	return p.views.Render(w, status, page)
}

func rowOf(d Summary) views.DatasetRow {
	return views.DatasetRow{
		Link: setAddress(d.ID, "", ""), Name: d.Name, Period: d.Period(), Rows: d.Rows, Files: int64(len(d.Files)),
		Importing: !d.Ready, At: cmp.Or(d.ReadyAt, d.CreatedAt),
	}
}

// set returns the page of one of the account's datasets, without its rows.
func (p *Pages) set(ctx context.Context, v session.Visitor, id string, in refused) (*views.Dataset, schema.Source, error) {
	source, err := p.service.Find(ctx, v.Account.ID, id)
	if err != nil {
		return nil, source, err
	}
	all, err := p.service.list(ctx, v.Account.ID)
	if err != nil {
		return nil, source, err
	}
	pushed, err := p.service.pushedSet(ctx, v.Account.ID)
	if err != nil {
		return nil, source, err
	}
	ready := slices.DeleteFunc(all, func(d Summary) bool { return !d.Ready })
	at := slices.IndexFunc(ready, func(d Summary) bool { return d.ID == source.ID })
	if at < 0 || source.ID != id {
		return nil, source, db.ErrNotFound
	}
	one := ready[at]
	out := &views.Dataset{
		Frame: v.Frame(one.Name), ID: id, Name: one.Name, Period: one.Period(), Rows: one.Rows, Kind: kindNames[source.Kind], Made: madeOf(source),
		Current: at == 0, Fixed: one.InUse, Pushed: pushed.DatasetID == id, Zone: zoneOf(v), At: cmp.Or(one.ReadyAt, one.CreatedAt),
		Part: in.part, Word: in.word, Target: in.target,
	}
	before, err := p.service.Before(ctx, v.Account.ID, id)
	switch {
	case err == nil:
		out.Undo = undoText(before, v)
	case !errors.Is(err, db.ErrNotFound):
		return nil, source, err
	}
	if in.part != "" {
		fillParts(out, one, source)
	}
	return out, source, nil
}

// fillParts fills in the columns of a dataset, its words and its files.
func fillParts(out *views.Dataset, one Summary, source schema.Source) {
	out.Targets = asked.Targets(source)
	for i, f := range slices.Backward(History(one.Files)) {
		file := views.DataFile{Name: f.Name, Rows: int64(f.Rows), At: f.Time(), Replaced: i < len(pastOf(one.Files))}
		if out.Pushed && !file.Replaced {
			file.Name = "Sent by the API"
		}
		out.Files = append(out.Files, file)
	}
	for _, c := range source.Columns {
		out.Columns = append(out.Columns, views.DataColumn{Heading: c.Heading, Holds: heldText(c), Roles: roleOptions(rolesOf(c), c.Role)})
	}
	for _, t := range ReversalTexts(source) {
		out.Net = append(out.Net, t.Heading+": "+t.Reason)
	}
	for _, word := range source.Words {
		out.Words = append(out.Words, views.DataWord{Text: word.Text, Means: meaning(word)})
	}
}

func undoText(b db.Before, v session.Visitor) string {
	at := b.KeptAt.In(zoneOf(v)).Format(shortDay + ", 15:04")
	if b.Change == db.RowsReplaced {
		return fmt.Sprintf("Its rows were replaced on %s. The %s from before are kept for 30 days.", at, counted(b.Rows))
	}
	return fmt.Sprintf("A file was added on %s. Without it there were %s. You can undo it for 30 days.", at, counted(b.Rows))
}

// meaning says what a taught word means.
func meaning(w schema.Word) string {
	switch w.Kind {
	case schema.AHeading:
		return "the column " + w.Target
	case schema.AValue:
		return w.Target + " of the column " + w.Heading
	}
	return strings.ReplaceAll(w.Target, "_", " ")
}

var kindNames = map[schema.Kind]string{
	schema.Sales: "sales", schema.Stocklist: "stock", schema.Purchases: "purchases", schema.Customers: "customers",
}

// roleNames are the roles as people choose them; others have their own names.
var roleNames = map[schema.Role]string{
	schema.None: "–", schema.Day: "date of sale", schema.DayTime: "time of day", schema.Order: "order number", schema.SKU: "SKU or code",
	schema.Segment: "kind of customer", schema.Store: "store or branch", schema.Channel: "sales channel", schema.Payment: "way of payment",
	schema.Quantity: "units sold", schema.Price: "price of a unit", schema.Revenue: "revenue of the row", schema.Gross: "sales before discount",
	schema.Cost: "cost of the row", schema.UnitCost: "cost of a unit", schema.Profit: "profit of the row", schema.Margin: "margin, %",
	schema.Stock: "stock on hand", schema.Reorder: "reorder point", schema.Incoming: "units on order", schema.LeadTime: "lead time, days",
	schema.Refund: "money given back", schema.Paid: "paid so far", schema.Owed: "still to be paid", schema.Cancelled: "date of cancellation",
}

// noRole is the value of the choice of no role, which an absent field must not be.
const noRole = "none"

func roleText(role schema.Role) string { return cmp.Or(roleNames[role], string(role)) }

func roleOptions(roles []schema.Role, chosen schema.Role) []views.Option {
	all := []views.Option{{Value: noRole, Text: roleNames[schema.None], Chosen: chosen == schema.None}}
	for _, role := range roles {
		all = append(all, views.Option{Value: string(role), Text: roleText(role), Chosen: role == chosen})
	}
	return all
}

// chosenRoles returns the roles of a form that differ from those that were shown.
func chosenRoles(form web.Form, headings []string, shown []schema.Role) (all []Correction) {
	for i, heading := range headings {
		role := form.Value(fmt.Sprintf("role-%d", i))
		if role != "" && role != cmp.Or(string(shown[i]), noRole) {
			all = append(all, Correction{heading, schema.Role(role)})
		}
	}
	return all
}

const shortDay = "2 Jan 2006"

// period returns "2 Jan 2026 to 31 Mar 2026" for two days in ISO 8601, "2 Jan 2026" if they are
// one, and "" without them.
func period(first, last string) string {
	from, err := time.Parse(time.DateOnly, first)
	to, otherErr := time.Parse(time.DateOnly, last)
	if err != nil || otherErr != nil {
		return ""
	}
	if from.Equal(to) {
		return from.Format(shortDay)
	}
	return from.Format(shortDay) + " to " + to.Format(shortDay)
}

// Export handles GET /console/data/set/:id/rows.csv.
func (p *Pages) Export(w *web.Response, r *http.Request, v session.Visitor) error {
	out := sheet.NewWriter(w)
	err := p.service.Export(r.Context(), v.Account.ID, w.Params.ByName("id"), func(headings []string) error {
		w.SetHeader("Content-Type", "text/csv; charset=utf-8")
		w.SetHeader("Content-Disposition", `attachment; filename="rows-`+w.Started.In(zoneOf(v)).Format(time.DateOnly)+`.csv"`)
		w.SetHeader("Cache-Control", "no-store")
		return out.Write(headings)
	}, out.Write)
	out.Flush()
	if err = errors.Join(err, out.Error()); err != nil && w.Status() != 0 {
		panic(http.ErrAbortHandler) // so that a part is not taken for the whole
	}
	return noDataset(err)
}

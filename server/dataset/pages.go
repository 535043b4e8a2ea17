package dataset

import (
	"cmp"
	"encoding/csv"
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
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const (
	dataPath   = "/console/data"
	uploadPath = dataPath + "/upload"
)

// UploadLimit bounds the body of the form with a file, in bytes: the file and what is around
// it.
var UploadLimit = Console.Bytes + 64<<10

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
	word, target string
	problem      *fault.Error
}

// Show handles GET /console/data; the dataset `open` in its query is shown beside the list.
func (p *Pages) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.page(w, r, v, r.URL.Query().Get("open"), refused{})
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

// page shows the datasets, of which one may be open.
func (p *Pages) page(w *web.Response, r *http.Request, v session.Visitor, open string, in refused) error {
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
		row := rowOf(d, d.ID == open)
		row.Current = d.Ready && isCurrent
		isCurrent = isCurrent && !d.Ready
		page.Newest = page.Newest && !d.InUse
		page.Datasets = append(page.Datasets, row)
	}
	if open != "" {
		if page.Open, err = p.detail(r, v, open, all, in); err != nil {
			return noDataset(err)
		}
	}
	waiting, err := p.service.Uploads(ctx, v.Account.ID)
	if err != nil {
		return err
	}
	for _, u := range waiting {
		page.Waiting = &views.WaitingFile{Link: uploadPath + "/" + u.ID, Name: u.Name, Until: u.ExpiresAt}
	}
	return p.views.Render(w, status, page)
}

func rowOf(d Summary, open bool) views.DatasetRow {
	return views.DatasetRow{
		Link: dataPath + "?open=" + d.ID, Name: d.Name, Period: period(d.First, d.Last), Rows: d.Rows, Files: int64(len(d.Files)),
		Importing: !d.Ready, Open: open, At: cmp.Or(d.ReadyAt, d.CreatedAt),
	}
}

// detail returns one of the account's datasets with all that can be done to it.
func (p *Pages) detail(r *http.Request, v session.Visitor, id string, all []Summary, in refused) (*views.Dataset, error) {
	at := slices.IndexFunc(all, func(d Summary) bool { return d.ID == id && d.Ready })
	if at < 0 {
		return nil, db.ErrNotFound
	}
	source, err := p.service.Find(r.Context(), v.Account.ID, id)
	if err != nil {
		return nil, err
	}
	pushed, err := p.service.pushedSet(r.Context(), v.Account.ID)
	if err != nil {
		return nil, err
	}
	one := all[at]
	first := slices.IndexFunc(all, func(d Summary) bool { return d.Ready })
	out := &views.Dataset{
		ID: id, Name: one.Name, Period: period(one.First, one.Last), Rows: one.Rows, Kind: kindNames[source.Kind],
		Current: at == first, Fixed: one.InUse, Pushed: pushed.DatasetID == id,
		Targets: asked.Targets(source), Word: in.word, Target: in.target,
	}
	for _, f := range slices.Backward(one.Files) {
		out.Files = append(out.Files, views.DataFile{Name: f.Name, Rows: int64(f.Rows), At: f.Time()})
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
	before, err := p.service.Before(r.Context(), v.Account.ID, id)
	if errors.Is(err, db.ErrNotFound) {
		return out, nil
	}
	out.Undo = undoText(before, v)
	return out, err
}

func undoText(b db.Before, v session.Visitor) string {
	at := zone.Format(b.KeptAt, zoneOf(v))
	if b.Change == db.RowsReplaced {
		return fmt.Sprintf("Its rows were replaced on %s. The %s from before are kept for 30 days.", at, counted(b.Rows))
	}
	return fmt.Sprintf("A file was added on %s. Without it there were %s.", at, counted(b.Rows))
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
	schema.Refund: "money given back", schema.Cancelled: "date of cancellation",
}

// noRole is the value of the choice of no role, which an absent field must not be.
const noRole = "none"

func roleOptions(roles []schema.Role, chosen schema.Role) []views.Option {
	all := []views.Option{{Value: noRole, Text: roleNames[schema.None], Chosen: chosen == schema.None}}
	for _, role := range roles {
		all = append(all, views.Option{Value: string(role), Text: cmp.Or(roleNames[role], string(role)), Chosen: role == chosen})
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

// period returns "2 Jan 2026 to 31 Mar 2026" for two days in ISO 8601, "" without them.
func period(first, last string) string {
	from, err := time.Parse(time.DateOnly, first)
	to, otherErr := time.Parse(time.DateOnly, last)
	if err != nil || otherErr != nil {
		return ""
	}
	return from.Format(shortDay) + " to " + to.Format(shortDay)
}

// Export handles GET /console/data/set/:id/rows.csv.
func (p *Pages) Export(w *web.Response, r *http.Request, v session.Visitor) error {
	out := csv.NewWriter(w)
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

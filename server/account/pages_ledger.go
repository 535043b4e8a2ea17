package account

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/session"
	"svc/server/sheet"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const (
	ledgerPath = walletPath + "/ledger"
	// messagesPath is the endpoint of entries of what people send in the console.
	messagesPath = "/console/messages"
	csvPath      = walletPath + "/ledger.csv"
	ledgerRows   = 50 // of a page
)

// ledgerForm is the filter of the ledger as the address has it.
type ledgerForm struct{ kind, key, from, to, before string }

func readLedgerForm(r *http.Request) ledgerForm {
	q := r.URL.Query()
	return ledgerForm{q.Get("kind"), q.Get("key"), q.Get("from"), q.Get("to"), q.Get("before")}
}

// filter returns the filter of a page; the days are those of a time zone.
func (f ledgerForm) filter(local *time.Location) (filter db.EntryFilter, err error) {
	if filter.Kind, err = parseEntryKind(f.kind); err != nil {
		return filter, err
	}
	filter.KeyID = f.key
	if filter.From, err = parseDay("from", f.from, local); err != nil {
		return filter, err
	}
	last, err := parseDay("to", f.to, local)
	if err != nil {
		return filter, err
	}
	if !last.IsZero() {
		filter.Until = last.AddDate(0, 0, 1)
		if last.Before(filter.From) {
			return filter, fault.Invalid("to", "must not be before the first day")
		}
	}
	filter.Before, _ = strconv.ParseInt(f.before, 10, 64) // anything else is the first page
	return filter, nil
}

// parseDay returns the begin of a day, or the zero time for an empty text.
func parseDay(field, text string, local *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	day, err := time.ParseInLocation(time.DateOnly, text, local)
	if err != nil {
		return time.Time{}, fault.Invalid(field, "must be a day, like 2026-03-31")
	}
	return day, nil
}

// address returns the address of a page with this filter; before is the Before of that
// page, 0 for the first.
func (f ledgerForm) address(path string, before int64) string {
	q := url.Values{}
	if before > 0 {
		f.before = strconv.FormatInt(before, 10)
	} else {
		f.before = ""
	}
	for name, value := range map[string]string{"kind": f.kind, "key": f.key, "from": f.from, "to": f.to, "before": f.before} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return (&url.URL{Path: path, RawQuery: q.Encode()}).String()
}

// ShowLedger handles GET /console/wallet/ledger.
func (p *ConsolePages) ShowLedger(w *web.Response, r *http.Request, v session.Visitor) error {
	form, local := readLedgerForm(r), zone.Of(v.Account.Profile.Timezone)
	var found Lines
	filter, err := form.filter(local)
	problem := web.UserError(err)
	if problem != nil {
		found.Keys, err = p.service.Keys(r.Context(), v.Account.Email)
	} else {
		found, err = p.service.Ledger(r.Context(), v.Account.ID, filter, ledgerRows)
	}
	if err != nil {
		return err
	}

	page := views.Ledger{
		Frame: frame(r, v, "Ledger", "wallet"), From: form.from, To: form.to,
		Kinds: kindOptions(form.kind), Keys: keyOptions(found.Keys, form.key),
		Filtered: form != ledgerForm{}, Ledger: views.Entries{Rows: rowsOf(found.Lines, w.Started), Zone: local},
		CSV: form.address(csvPath, 0), Credit: p.creditWay(v),
	}
	page.Ledger.Calls = page.Account.Builds
	if form.before != "" {
		page.Pager.Newest = form.address(ledgerPath, 0)
	}
	if found.Older > 0 {
		page.Pager.Older = form.address(ledgerPath, found.Older)
	}
	status, sentence, field := views.Report(w, problem)
	page.Problem, page.Field = sentence, field
	return p.views.Render(w, status, page)
}

// kindWords are the names of the ledger's kinds on a page.
var kindWords = map[db.EntryKind]string{
	db.TopUp: "Credit added", db.Debit: "Spent", db.Adjustment: "Correction", db.Refund: "Refund",
}

func kindOptions(chosen string) []views.Option {
	all := []views.Option{{Text: "All"}}
	for _, kind := range entryKinds {
		all = append(all, views.Option{Value: string(kind), Text: kindWords[kind], Chosen: string(kind) == chosen})
	}
	return all
}

func keyOptions(keys []db.Key, chosen string) []views.Option {
	all := []views.Option{{Text: "All"}}
	for _, k := range keys {
		all = append(all, views.Option{Value: k.ID, Text: keyName(k), Chosen: k.ID == chosen})
	}
	return all
}

// keyName names a key to its owner: its label and the end of its secret, which tells two
// keys with the same label apart. It is empty for the zero key.
func keyName(k db.Key) string {
	if k.ID == "" {
		return ""
	}
	return cmp.Or(k.Label, string(k.Env)) + " …" + k.LastFour
}

// callWords are the names of billed calls on a page.
var callWords = map[string]string{"/api/v1/messaging/send": "Message by API", "/api/v1/scan": "Scan by API"}

// words returns what an entry was for, and the request or the note about it.
func (l Line) words() (what, detail string) {
	switch {
	case l.byPerson():
		return "Message from the console", l.RequestID
	case l.Kind == db.Debit:
		return cmp.Or(callWords[l.Endpoint], strings.TrimPrefix(l.Endpoint, "/api/v1/")), l.RequestID
	case l.Purchase.ID != "":
		return "Bought for " + money.Format(l.Purchase.Amount, l.Purchase.Currency), l.Purchase.ID
	case l.Kind == db.TopUp:
		return "Added by the operator", l.Note
	case l.Kind == db.Adjustment:
		return "Corrected by the operator", l.Note
	}
	return kindWords[l.Kind], l.Note
}

// byPerson reports whether a person's message is the reason of the entry (G5).
func (l Line) byPerson() bool { return l.Kind == db.Debit && l.Endpoint == messagesPath }

// request returns the address of what caused the entry, empty if it is no longer kept. A
// person's message has the id of its request.
func (l Line) request(now time.Time) string {
	switch {
	case l.byPerson():
		return messagesPath + "?open=msg_" + url.QueryEscape(strings.TrimPrefix(l.RequestID, "req_"))
	case l.RequestID != "" && now.Sub(l.CreatedAt) < requestKept:
		return "/console/requests?open=" + url.QueryEscape(l.RequestID)
	}
	return ""
}

// requestKept is how long a request is in the log, less an hour so that no link to it leads
// nowhere (L6).
const requestKept = 30*24*time.Hour - time.Hour

// rowsOf words lines at a time.
func rowsOf(lines []Line, now time.Time) (rows []views.Entry) {
	for _, l := range lines {
		what, detail := l.words()
		rows = append(rows, views.Entry{
			At: l.CreatedAt, What: what, Detail: detail, Call: l.Kind == db.Debit && !l.byPerson(), Request: l.request(now), Key: keyName(l.Key),
			Amount: money.Format(l.AmountCents, "usd"), After: money.Format(l.BalanceAfterCents, "usd"),
		})
	}
	return rows
}

var csvColumns = []string{
	"entry", "time", "kind", "amount_usd", "credit_after_usd", "for", "key", "key_id", "endpoint", "request_id", "note",
}

func (l Line) record(local *time.Location) []string {
	what, _ := l.words()
	return []string{
		strconv.FormatInt(l.Seq, 10), l.CreatedAt.In(local).Format(time.RFC3339), string(l.Kind),
		money.Decimal(l.AmountCents, "usd"), money.Decimal(l.BalanceAfterCents, "usd"),
		what, keyName(l.Key), l.Key.ID, l.Endpoint, l.RequestID, l.Note,
	}
}

// ExportLedger handles GET /console/wallet/ledger.csv: all lines that the filter picks.
func (p *ConsolePages) ExportLedger(w *web.Response, r *http.Request, v session.Visitor) error {
	local := zone.Of(v.Account.Profile.Timezone)
	filter, err := readLedgerForm(r).filter(local)
	if err != nil {
		return err
	}
	out := sheet.NewWriter(w)
	err = p.service.ExportLedger(r.Context(), v.Account.ID, filter, func(lines []Line) error {
		if w.Status() == 0 {
			w.SetHeader("Content-Type", "text/csv; charset=utf-8")
			w.SetHeader("Content-Disposition", `attachment; filename="ledger-`+w.Started.In(local).Format(time.DateOnly)+`.csv"`)
			_ = out.Write(csvColumns) // Error returns why
		}
		for _, l := range lines {
			_ = out.Write(l.record(local))
		}
		out.Flush()
		return out.Error()
	})
	if err != nil && w.Status() != 0 {
		panic(http.ErrAbortHandler) // so that a part is not taken for the whole
	}
	return err
}

package charge

import (
	"cmp"
	"net/http"
	"strings"

	"svc/db"
	"svc/server/money"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

const madeRows = 50

// statuses are those that the list of made charges is narrowed to.
var statuses = []db.ChargeStatus{db.ChargePending, db.ChargeApproved, db.ChargeExpired, db.ChargeDeclined}

// statusWords are what the pages call a status, where it is another word than in the API.
var statusWords = map[db.ChargeStatus]string{db.ChargeApproved: "paid"}

// statusWord is what the pages call a status.
func statusWord(status db.ChargeStatus) string { return cmp.Or(statusWords[status], string(status)) }

// fillMade adds the charges that the account's keys have made. The query has `email` of a
// merchant, `status`, `before` an id, and `open` one.
func (p *Pages) fillMade(r *http.Request, v session.Visitor, page *views.Charges) error {
	query := r.URL.Query()
	filter := db.ChargeFilter{Before: query.Get("before"), Email: strings.TrimSpace(query.Get("email"))}
	for _, status := range statuses {
		if query.Get("status") == string(status) {
			filter.Status = status
		}
	}
	page.Email, page.Status = filter.Email, string(filter.Status)
	rows, err := p.service.Made(r.Context(), v.Account.ID, filter, madeRows+1)
	if err != nil {
		return err
	}
	if len(rows) > madeRows {
		rows = rows[:madeRows]
		page.Pager.Older = chargesAddress(filter, "before", rows[madeRows-1].ID)
	}
	if filter.Before != "" {
		page.Pager.Newest = chargesAddress(filter, "", "")
	}
	if id := query.Get("open"); id != "" {
		one, err := p.service.MadeOne(r.Context(), v.Account.ID, id)
		if err != nil {
			return err
		}
		open := madeRow(one, filter)
		page.Open, page.Close = &open, chargesAddress(filter, "before", filter.Before)
	}
	for _, one := range rows {
		row := madeRow(one, filter)
		row.Current = page.Open != nil && page.Open.ID == row.ID
		page.Made = append(page.Made, row)
	}
	if len(page.Made) > 0 || page.Filtered() || page.Open != nil {
		page.Statuses = statusChips(filter)
	}
	return nil
}

// statusChips lead to the list with each status, and with all.
func statusChips(f db.ChargeFilter) []views.Option {
	of := db.ChargeFilter{Email: f.Email}
	all := []views.Option{{Text: "All", Value: chargesAddress(of, "", ""), Chosen: f.Status == ""}}
	for _, of.Status = range statuses {
		word := statusWord(of.Status)
		all = append(all, views.Option{Text: strings.ToUpper(word[:1]) + word[1:], Value: chargesAddress(of, "", ""), Chosen: f.Status == of.Status})
	}
	return all
}

// chargesAddress is that of the page with a search and one more value.
func chargesAddress(f db.ChargeFilter, name, value string) string {
	return web.Address("/console/charges", "email", f.Email, "status", string(f.Status), name, value)
}

func madeRow(c Made, f db.ChargeFilter) views.Made {
	row := views.Made{
		ID: c.ID, Merchant: c.MerchantEmail, Amount: money.Format(c.Amount, c.Currency), Description: c.Description,
		Status: statusWord(c.Status), Env: string(c.Env), Key: c.Key, KeyLink: web.Address("/console/keys", "open", c.KeyID), Detail: chargesAddress(f, "open", c.ID), Link: c.Link,
		CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt, ApprovedAt: c.ApprovedAt, DeclinedAt: c.DeclinedAt,
	}
	if row.Status != string(c.Status) {
		row.InAPI = string(c.Status)
	}
	return row
}

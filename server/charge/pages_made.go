package charge

import (
	"net/http"
	"net/url"
	"strings"

	"svc/server/money"
	"svc/server/session"
	"svc/server/views"
)

const madeRows = 50

// fillMade adds the charges that the account's keys have made. The query has `email` of a
// merchant, `before` an id, and `open` one.
func (p *Pages) fillMade(r *http.Request, v session.Visitor, page *views.Charges) error {
	query := r.URL.Query()
	page.Email = strings.TrimSpace(query.Get("email"))
	rows, err := p.service.Made(r.Context(), v.Account.ID, query.Get("before"), page.Email, madeRows+1)
	if err != nil {
		return err
	}
	if len(rows) > madeRows {
		rows = rows[:madeRows]
		page.Pager.Older = chargesAddress(page.Email, "before", rows[madeRows-1].ID)
	}
	if query.Get("before") != "" {
		page.Pager.Newest = chargesAddress(page.Email, "", "")
	}
	if id := query.Get("open"); id != "" {
		one, err := p.service.MadeOne(r.Context(), v.Account.ID, id)
		if err != nil {
			return err
		}
		open := madeRow(one, page.Email)
		page.Open, page.Close = &open, chargesAddress(page.Email, "before", query.Get("before"))
	}
	for _, one := range rows {
		row := madeRow(one, page.Email)
		row.Current = page.Open != nil && page.Open.ID == row.ID
		page.Made = append(page.Made, row)
	}
	return nil
}

// chargesAddress is that of the page with a search and one more value.
func chargesAddress(email, name, value string) string {
	query := url.Values{}
	if email != "" {
		query.Set("email", email)
	}
	if value != "" {
		query.Set(name, value)
	}
	if len(query) == 0 {
		return "/console/charges"
	}
	return "/console/charges?" + query.Encode()
}

func madeRow(c Made, email string) views.Made {
	return views.Made{
		ID: c.ID, Merchant: c.MerchantEmail, Amount: money.Format(c.Amount, c.Currency), Description: c.Description,
		Status: string(c.Status), Env: string(c.Env), Key: c.Key, Detail: chargesAddress(email, "open", c.ID), Link: c.Link,
		CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt, ApprovedAt: c.ApprovedAt, DeclinedAt: c.DeclinedAt,
	}
}

package charge

import (
	"cmp"
	"context"
	"net/http"

	"svc/db"
	"svc/server/money"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

// List handles GET /console/charges: the charges that are addressed to the account, and those
// that its keys have made.
func (p *Pages) List(w *web.Response, r *http.Request, v session.Visitor) error {
	found, err := p.service.Addressed(r.Context(), v.Account)
	if err != nil {
		return err
	}
	page := views.Charges{
		Frame: v.Frame("Payments"), Zone: zone.Of(v.Account.Profile.Timezone), Waiting: waitingRows(found.Pending, v.Account),
	}
	page.Section = "charges"
	for _, c := range found.Over {
		page.Over = append(page.Over, views.Paid{
			At: c.CreatedAt, Description: c.Description, Amount: money.Format(c.Amount, c.Currency),
			Status: statusWord(c.Status), Link: "/charges/" + c.ID,
		})
	}
	if err := p.fillMade(r, v, &page); err != nil {
		return err
	}
	return p.views.Render(w, http.StatusOK, page)
}

// Waiting returns the charges that wait for an account's answer, newest first.
func (p *Pages) Waiting(ctx context.Context, a db.Account) ([]views.Waiting, error) {
	all, err := p.service.Pending(ctx, a)
	return waitingRows(all, a), err
}

func waitingRows(all []Confirmation, a db.Account) (rows []views.Waiting) {
	for _, c := range all {
		row := views.Waiting{
			Who: cmp.Or(c.App, c.From), Asks: "asks you to pay " + money.Format(c.Amount, c.Currency), About: c.Description,
			Link: "/charges/" + c.ID, ExpiresAt: c.ExpiresAt, Zone: zone.Of(a.Profile.Timezone),
		}
		if c.Action == Processing {
			row.Asks += "; the payment is not confirmed yet"
		}
		if c.App != "" {
			row.Developer = c.From
		}
		rows = append(rows, row)
	}
	return rows
}

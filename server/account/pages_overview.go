package account

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

// Parts are what other capabilities know of an account, for its overview. Each may be nil.
type Parts struct {
	// Waiting returns the requests of one kind that wait for the account's answer.
	Waiting []func(context.Context, db.Account) ([]views.Waiting, error)
	// Shop returns how the account's shop does; asked reports whether it has asked anything.
	Shop func(ctx context.Context, a db.Account, asked bool) (views.Shop, error)
	// Questions returns the account's pinned questions, and whether it has asked any.
	Questions func(context.Context, db.Account) (pinned []views.PinnedAnswer, asked bool, err error)
	// Calls returns what the API's calls of today come to, without the balance.
	Calls func(context.Context, db.Account) (views.CallsToday, error)
	// Webhooks returns those of the account's webhooks that do not work.
	Webhooks func(context.Context, db.Account) ([]views.Attention, error)
}

const overviewRows = 5 // of what waits

// Overview handles GET /console.
func (p *ConsolePages) Overview(w *web.Response, r *http.Request, v session.Visitor) error {
	local := zone.Of(v.Account.Profile.Timezone)
	page := views.Overview{Frame: frame(r, v, "Overview", "overview"), Day: w.Started.In(local).Format("Monday 2 January"), Zone: local}
	parts := []func(context.Context, db.Account, *views.Overview) error{p.fillShop}
	if v.IsOwner() {
		parts = append(parts, p.fillWaiting, p.fillCalls, p.fillAttention)
	}
	for _, fill := range parts {
		if err := fill(r.Context(), v.Account, &page); err != nil {
			return err
		}
	}
	return p.views.Render(w, http.StatusOK, page)
}

func (p *ConsolePages) fillShop(ctx context.Context, a db.Account, page *views.Overview) (err error) {
	asked := false
	if p.parts.Questions != nil {
		if page.Pinned, asked, err = p.parts.Questions(ctx, a); err != nil {
			return err
		}
	}
	if p.parts.Shop != nil {
		page.Shop, err = p.parts.Shop(ctx, a, asked)
	}
	return err
}

func (p *ConsolePages) fillWaiting(ctx context.Context, a db.Account, page *views.Overview) error {
	for _, read := range p.parts.Waiting {
		rows, err := read(ctx, a)
		if err != nil {
			return err
		}
		page.Waiting = append(page.Waiting, rows...)
	}
	if more := len(page.Waiting) - overviewRows; more > 0 {
		page.Waiting, page.More = page.Waiting[:overviewRows], int64(more)
	}
	return nil
}

// fillCalls fills the part for developers: an account without keys has none.
func (p *ConsolePages) fillCalls(ctx context.Context, a db.Account, page *views.Overview) error {
	if p.parts.Calls == nil || page.Account == nil || !page.Account.Builds {
		return nil
	}
	wallet, err := p.service.Wallet(ctx, a.Email)
	if err != nil {
		return err
	}
	today, err := p.parts.Calls(ctx, a)
	if err != nil {
		return err
	}
	today.Balance = money.Format(wallet.BalanceCents, "usd")
	page.Today = &today
	if wallet.Low() {
		page.Attention = append(page.Attention, views.Attention{
			Title: "Your credit is low", Tag: cmp.Or(map[bool]string{true: "bad"}[wallet.BalanceCents == 0], "warn"),
			Text: today.Balance + " is left. Calls that cost something are refused once it is used up.", Link: walletPath, LinkText: "Add credit",
		})
	}
	return nil
}

func (p *ConsolePages) fillAttention(ctx context.Context, a db.Account, page *views.Overview) error {
	if p.parts.Webhooks != nil {
		failing, err := p.parts.Webhooks(ctx, a)
		if err != nil {
			return err
		}
		page.Attention = append(failing, page.Attention...)
	}
	if a.Operator && page.Host.NoMail {
		page.Attention = append(page.Attention, views.Attention{
			Title: "Mail is not set up", Tag: "warn", Text: "Invitations, codes and links wait on your page as operator, and you pass them on.",
			Link: "/console/operator", LinkText: "See the mails",
		})
	}
	return nil
}

package requestlog

import (
	"context"

	"svc/db"
	"svc/server/money"
	"svc/server/views"
	"svc/server/zone"
)

// Today returns what the account's calls of today come to, without its balance.
func (p *Pages) Today(ctx context.Context, owner db.Account) (views.CallsToday, error) {
	used, err := p.service.Usage(ctx, owner, 1)
	if err != nil {
		return views.CallsToday{}, err
	}
	standings, _, err := p.service.Standings(ctx, owner.ID, "")
	if err != nil {
		return views.CallsToday{}, err
	}
	var quota []views.Meter
	if limits := owner.Plan.Limits(); limits.Month != db.Unlimited {
		quota = meters(standings, limits, "", 1)
	}
	for i := range quota {
		quota[i].Minute = "" // it may be over when it is read
	}
	t := newTotals(used, "", nil)
	t.filter.Set("day", used.Days[0])
	return views.CallsToday{
		Calls: money.Digits(t.all.calls, 0), Refused: money.Digits(t.refused, 0), Failed: money.Digits(t.failed, 0),
		Spent: money.Format(t.all.cents, "usd"), CallsLink: t.link("day", used.Days[0]),
		RefusedLink: t.link("status", "4"), FailedLink: t.link("status", "5"),
		Meters: quota, Zone: zone.Of(owner.Profile.Timezone),
	}, nil
}

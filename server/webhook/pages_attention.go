package webhook

import (
	"context"
	"net/url"
	"time"

	"svc/db"
	"svc/server/views"
	"svc/server/zone"
)

// Attention returns those of the account's webhooks that do not work: of which deliveries
// fail, and which were disabled for that.
func (s *Service) Attention(ctx context.Context, owner db.Account) (all []views.Attention, err error) {
	hooks, err := s.List(ctx, owner.ID)
	if err != nil {
		return nil, err
	}
	for _, w := range hooks {
		a := views.Attention{Link: "/console/webhooks?open=" + url.QueryEscape(w.ID), LinkText: "Open the webhook"}
		switch {
		case w.Reason == db.DisabledGone || w.Reason == db.DisabledFailing:
			a.Title, a.Tag, a.Text = "Webhook disabled", "bad", hostOf(w.URL)+" gets no events since "+on(w.DisabledAt, owner)+"."
		case w.Enabled && w.Failures > 0:
			a.Title, a.Tag, a.Text = "Webhook fails", "warn", "Deliveries to "+hostOf(w.URL)+" fail since "+on(w.FailingSince, owner)+"."
		default:
			continue
		}
		all = append(all, a)
	}
	return all, nil
}

func on(t time.Time, owner db.Account) string {
	return t.In(zone.Of(owner.Profile.Timezone)).Format("2 January, 15:04")
}

// hostOf returns the host of an address, which may have secrets in its path.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address"
	}
	return u.Host
}

package ask

import (
	"context"
	"net/url"

	"svc/db"
	"svc/server/views"
)

// Overview returns the account's pinned questions with the answers that its data give now,
// and whether it has asked any question.
func (s *Service) Overview(ctx context.Context, owner db.Account) (pinned []views.PinnedAnswer, asked bool, err error) {
	all, err := s.Pinned(ctx, owner)
	if err != nil {
		return nil, false, err
	}
	for _, q := range all {
		shown := views.PinnedAnswer{Question: q.Text, Answer: q.Answer.Answer, Link: "/console/ask/" + url.PathEscape(q.ID)}
		for _, c := range q.Answer.KPICards {
			if says(q.Answer.Answer, c.Value) {
				continue
			}
			shown.Cards = append(shown.Cards, views.ShopFigure{Label: c.Label, Value: c.Value})
		}
		pinned = append(pinned, shown)
	}
	some, err := s.Questions(ctx, owner.ID, "", "")
	return pinned, len(some.Asked) > 0, err
}

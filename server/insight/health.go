package insight

import (
	"context"

	"svc/db"
)

// Health is the score of a shop: 100 less the points of the alerts that are open.
type Health struct {
	Score   *int // 0 to 100; nil if no rule can be applied
	Band    Band
	Drivers []Alert
}

// Band is a range of scores.
type Band string

// The bands.
const (
	Good    Band = "good"    // from 80
	Watch   Band = "watch"   // from 60
	Act     Band = "act"     // from 40
	Problem Band = "problem" // below 40
	Unknown Band = "unknown" // without a score
)

// bandOf returns the range that a score is in.
func bandOf(score int) Band {
	switch {
	case score >= 80:
		return Good
	case score >= 60:
		return Watch
	case score >= 40:
		return Act
	}
	return Problem
}

// health returns the shop's score. The rules of alerts read the shop's own tables, so without
// sales there they tell nothing unless one has fired.
func (s *Service) health(ctx context.Context, owner db.Account, sells bool) (Health, error) {
	h := Health{Band: Unknown, Drivers: []Alert{}}
	alerts, err := s.Open(ctx, owner)
	if err != nil {
		return h, err
	}
	score := 100
	for _, a := range alerts {
		if a.Points > 0 {
			h.Drivers = append(h.Drivers, a)
			score -= a.Points
		}
	}
	if !sells && len(h.Drivers) == 0 {
		return h, nil
	}
	score = max(score, 0)
	h.Score, h.Band = &score, bandOf(score)
	return h, nil
}

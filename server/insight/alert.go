package insight

import (
	"context"
	"time"

	"svc/db"
)

// Alert is what one rule has found in an account's shop. It has one id from the moment it
// fires until it is resolved, whatever its figures do meanwhile.
type Alert struct {
	ID      string
	Kind    string // stock_out, sales_drop, …
	Verdict string // act, watch or problem, as in ask (H9)
	Status  string // firing, acknowledged or resolved
	Title   string // one line with the figure
	Detail  string // how the figure compares, and with what

	Points int    // off the health score while the alert is not resolved
	Figure string // the figure that fired, in words: "3 products", "-24 %"
	Rule   string // the rule in a sentence

	FirstSeen time.Time
	LastSeen  time.Time // when an evaluation last found it
}

// Open returns the account's alerts that are not resolved, the gravest first. The health
// score is 100 less their points; an acknowledged alert still counts, because the shop is no
// healthier for it. It evaluates the rules if the shop has changed since the last time.
func (s *Service) Open(ctx context.Context, owner db.Account) ([]Alert, error) {
	return nil, nil
}

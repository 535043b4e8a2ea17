package read

import (
	"context"
	"slices"
	"time"

	"svc/server/ask/link"
)

// portionWords ask for a part of what follows "of".
var portionWords = []string{"percentage", "percent", "proportion", "share", "fraction", "%"}

// readPortion reads what share of groups passes a threshold, as how many do and of how many: what percentage of orders
// are over 20, what share of customers spent more than 500. It reports false if the words are something else.
func (r *Reader) readPortion(ctx context.Context, question string, tokens []link.Token, today time.Time) (Reading, bool) {
	i := slices.IndexFunc(tokens, func(t link.Token) bool { return slices.Contains(portionWords, t.Text) })
	isStart := func(t link.Token) bool { return slices.Contains([]string{"what", "whats", "'s", "is", "the"}, t.Text) }
	if i < 0 || i+2 >= len(tokens) || tokens[i+1].Text != "of" || slices.ContainsFunc(tokens[:i], func(t link.Token) bool { return !isStart(t) }) {
		return Reading{}, false
	}
	got, err := r.readWhole(ctx, "how many "+question[tokens[i+2].Start:], today)
	if err != nil || !got.Plan.Count || len(got.Plan.Having) == 0 || len(got.Unused) > 0 {
		return Reading{}, false
	}
	got.Plan.Share, got.Certain = true, false
	return got, true
}

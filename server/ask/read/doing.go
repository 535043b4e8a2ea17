package read

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
)

// How the business does, without a figure: how did we do last week, how was October, how's trade, was yesterday a
// good day. It is read as revenue beside that of the days before, of the last 30 days if none are named.

// Words of such questions: for the business, for how it went, and judgements on days, of which the figures
// are the answer.
var (
	businessWords = strings.Fields("we i it things business trade trading shop store sales takings the my our")
	goingWords    = strings.Fields("how well do did does doing done is are was were 's has have been go going gone getting on along perform performing performed look looking so far today")
	judgingWords  = strings.Fields("good great bad poor busy quiet slow strong weak decent ok okay any a day week month")
)

// readDoing reads such a question; false if it is another one, or if no source has revenue by the day. The error is a
// *Refusal of days without data.
func (r *Reader) readDoing(ctx context.Context, question string, tokens []link.Token, today time.Time) (Reading, bool, error) {
	days, ok := asksHowItGoes(tokens, today)
	if !ok {
		return Reading{}, false, nil
	}
	instead := "revenue in the last 30 days compared with the previous 30 days"
	if days != nil {
		before := "the period before"
		if days.Span.Unit == plan.Day {
			before = "the week before" // the same day of it
		}
		instead = "revenue " + question[tokens[days.From].Start:tokens[days.To-1].End] + " compared with " + before
	}
	got, err := r.readWhole(ctx, instead, today)
	got.guessed, got.Certain = true, false
	got.Notes = append(got.Notes, "No figure is named, so this is revenue beside that of the days before.")
	var refusal *Refusal
	isOutside := errors.As(err, &refusal) && refusal.Reason == Outside
	return got, err == nil || isOutside, err
}

// asksHowItGoes reports whether the words ask how the business does and nothing else, and returns the days that they
// name, or nil.
func asksHowItGoes(tokens []link.Token, today time.Time) (days *when.Mention, ok bool) {
	judges := len(tokens) > 0 && slices.Contains([]string{"was", "is", "were"}, tokens[0].Text)
	if len(tokens) < 2 || tokens[0].Text != "how" && tokens[0].Text != "hows" && !judges {
		return nil, false
	}
	said := make([]string, len(tokens))
	for i, t := range tokens {
		said[i] = t.Text
	}
	for _, m := range when.Find(said, when.Now{Today: today}) {
		if m.Kind == when.Period && (days == nil || m.To-m.From > days.To-days.From) {
			days = &m
		}
	}
	named, judged := false, false
	for i, w := range said[1:] {
		switch at := i + 1; {
		case days != nil && days.From <= at && at < days.To:
		case slices.Contains(businessWords, w):
			named = true
		case slices.Contains(judgingWords, w) && judges:
			judged = judged || len(w) > 1
		case !slices.Contains(goingWords, w):
			return nil, false
		}
	}
	if isTotal := slices.Contains(said, "sales") || slices.Contains(said, "takings"); isTotal && days != nil {
		return nil, false // these name the figure
	}
	return days, judges && judged && days != nil || !judges && (named || days != nil)
}

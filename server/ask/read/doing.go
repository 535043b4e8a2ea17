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
// good day, a summary of May, last week. It is read as revenue beside that of the days before, of the last 30 days if
// none are named.

// Words of such questions: for the business, for what it takes, for how it went, judgements on days, of which the figures
// are the answer, and for a summary with what is around it.
var (
	businessWords = strings.Fields("we it things business trade trading shop store the my our")
	totalWords    = []string{"sales", "takings"}
	goingWords    = strings.Fields("how hows well do did does doing done is are was were 's has have been go going gone getting on along perform performing performed look looking so far")
	judgements    = strings.Fields("good great bad poor busy quiet slow strong weak decent ok okay")
	summaryWords  = strings.Fields("summary overview recap roundup snapshot")
	aroundSummary = append(strings.Fields("give me us show a an quick short brief the my our of for on to please business shop store sales trade"), summaryWords...)
)

// mostDays bounds the words of a question that is only about days: the first week of May.
const mostDays = 6

// readDoing reads such a question. It reports false for another one, or if no source has revenue by the day. The error
// is a *Refusal of days without data.
func (r *Reader) readDoing(ctx context.Context, question string, tokens []link.Token, today time.Time) (Reading, bool, error) {
	days, ok := asksHowItGoes(tokens, today)
	if !ok {
		return Reading{}, false, nil
	}
	revenue, before := "revenue in the last 30 days", " compared with the previous 30 days"
	if days != nil {
		revenue, before = "revenue "+question[tokens[days.From].Start:tokens[days.To-1].End], " compared with the period before"
		if days.Span.Unit == plan.Day {
			before = " compared with the week before" // the same day of it
		}
	}
	got, err := r.readWhole(ctx, revenue+before, today)
	var refusal *Refusal
	isOutside := func() bool { return errors.As(err, &refusal) && refusal.Reason == Outside }
	if isOutside() || days != nil && days.Span.From.Year() < 1900 {
		got, err = r.readWhole(ctx, revenue, today) // nothing is known of the days before
	}
	if err != nil {
		return Reading{}, isOutside(), err
	}
	got.guessed, got.Certain = true, false
	if !hasAny(tokens, totalWords...) {
		got.Notes = append(got.Notes, "No figure is named, so this is revenue.")
	}
	return got, true, nil
}

// asksHowItGoes reports whether the words ask how the business does and nothing else, and returns the days that they
// name, or nil.
func asksHowItGoes(tokens []link.Token, today time.Time) (days *when.Mention, ok bool) {
	said := make([]string, len(tokens))
	for i, t := range tokens {
		said[i] = t.Text
	}
	has := func(words []string) bool {
		return slices.ContainsFunc(said, func(w string) bool { return slices.Contains(words, w) })
	}
	judges := len(said) > 0 && slices.Contains([]string{"was", "is", "were"}, said[0])
	asks := len(said) > 1 && (said[0] == "how" || said[0] == "hows")
	sums := has(summaryWords)
	if !judges && !asks && !sums && len(said) > mostDays {
		return nil, false
	}
	for _, m := range when.Find(said, when.Now{Today: today}) {
		if m.Kind == when.Period && (days == nil || m.To-m.From > days.To-days.From) {
			days = &m
		}
	}
	isLeft := func(words ...string) bool { // whether these are all words besides those of days
		for i, w := range said {
			isOfDays := days != nil && days.From <= i && i < days.To
			if !isOfDays && !slices.Contains(words, w) {
				return false
			}
		}
		return true
	}
	named := has(businessWords) || has(totalWords) && days == nil // takings of last week are a figure
	switch {
	case sums:
		return days, isLeft(aroundSummary...)
	case judges:
		return days, days != nil && has(judgements) && isLeft(slices.Concat(goingWords, judgements, []string{"a", "any", "day", "week", "month"})...)
	case asks:
		isTotal := has(totalWords) && days != nil
		return days, (named || days != nil) && !isTotal && isLeft(slices.Concat(goingWords, businessWords, totalWords)...)
	}
	return days, days != nil && days.Likely > 0.5 && isLeft()
}

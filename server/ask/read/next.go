package read

import (
	"slices"

	"svc/server/schema"
)

// nextDay returns the column of a list that has the day for which somebody is booked next, such as Next Appt,
// or nil.
func (x *lexicon) nextDay() *schema.Column {
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool {
		return isDay(&c) && c.Role == schema.None && hasWord(c.Heading, "next", "upcoming")
	})
	if i < 0 || x.source.Kind == schema.Sales || x.source.Kind == schema.Purchases {
		return nil
	}
	return &x.source.Columns[i]
}

// isDueNext reports whether people of a list are asked for who come on days ahead: who is in tomorrow.
func (b *builder) isDueNext() bool {
	isIn := b.hasWord("in", "booked", "due", "coming", "back", "next", "here")
	return b.s.has("who") && isIn && len(b.s.periods) == 1 && b.s.periods[0].Ahead && b.x.nextDay() != nil
}

// firstDay returns the column of a list of people that has the day on which each came first, or nil.
func (x *lexicon) firstDay() *schema.Column {
	if joined := x.dayOf(families[joining], nil); joined != nil || x.source.Kind != schema.Customers {
		return joined
	}
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool { return isDay(&c) && hasWord(c.Heading, "first") })
	if i < 0 {
		return nil
	}
	return &x.source.Columns[i]
}

// numberOf returns the column of a list of people that counts what a noun names, such as Visits for "visit". It
// returns nil without such a column.
func (x *lexicon) numberOf(noun string) *schema.Column {
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool { return countsWith(&c, noun+"s") })
	if i < 0 || x.source.Kind != schema.Customers {
		return nil
	}
	return &x.source.Columns[i]
}

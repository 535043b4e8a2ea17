package read

import (
	"context"
	"slices"

	"svc/server/ask/link"
)

// Mentions returns the meanings of the words of a question over one of the reader's
// sources, by its ID; nil if it has no such source.
func (r *Reader) Mentions(question, source string) []link.Mention {
	i := slices.IndexFunc(r.lexicons, func(x *lexicon) bool { return x.source.ID == source })
	if i < 0 {
		return nil
	}
	return r.lexicons[i].mentions(context.Background(), link.Tokenize(question))
}

// words are the words of a question with their meanings over each source, which are found
// once: that takes a quarter of the reading.
type words struct {
	tokens []link.Token
	tail   []link.Token // that ask for more of the row that the tokens rank
	found  map[*lexicon][]link.Mention
}

// over returns the meanings over a source; none if ctx has ended.
func (q *words) over(ctx context.Context, x *lexicon) []link.Mention {
	if found, ok := q.found[x]; ok {
		return found
	}
	found := x.mentions(ctx, q.tokens)
	if q.found == nil {
		q.found = map[*lexicon][]link.Mention{}
	}
	q.found[x] = found
	return found
}

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

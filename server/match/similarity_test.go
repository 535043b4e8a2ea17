package match

// noInventory is an empty index, in which words have their prior weights.
var noInventory = New(nil)

// Similarity returns the similarity of two names, from 0 to 1, with the prior weights of
// their words.
func Similarity(a, b string) float64 { return noInventory.Similarity(a, b) }

// Similarity returns the score with which Find compares a with an item named b. Names
// without words and sizes are similar if they are equal.
func (x *Index) Similarity(a, b string) float64 {
	na, nb := parse(a), parse(b)
	if len(na.words)+len(na.sizes) == 0 && len(nb.words)+len(nb.sizes) == 0 {
		if a != "" && a == b {
			return 1
		}
		return 0
	}
	x.mu.RLock()
	defer x.mu.RUnlock()

	var c comparer
	return c.compare(x.side(na), x.side(nb)).score
}

package match

// nowhere is no inventory: words weigh what they weigh anywhere.
var nowhere = New(nil)

// Similarity is how much two names mean the same product, from 0 to 1, with the words
// weighed as in no inventory.
func Similarity(a, b string) float64 { return nowhere.Similarity(a, b) }

// Similarity is the score by which Find compares a with an item named b. Names of
// which nothing can be read are the same if they are the same text.
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

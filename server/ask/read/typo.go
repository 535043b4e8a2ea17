package read

// maxTypos returns how many typing errors a word of n letters may have. Short words are
// too close to others.
func maxTypos(n int) int {
	switch {
	case n < 5:
		return 0
	case n < 9:
		return 1
	}
	return 2
}

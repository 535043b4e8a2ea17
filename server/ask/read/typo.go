package read

// maxTypos is how many slips of the keyboard a word of n letters may have. Short words
// are next to too many others.
func maxTypos(n int) int {
	switch {
	case n < 5:
		return 0
	case n < 9:
		return 1
	}
	return 2
}

package english

import "strings"

// Abbreviates reports whether a word is another one cut short: its first letters, or those
// without most vowels, as in msg and appt. A word that ends as the other one does may keep a vowel
// that follows the letter before it, as in recd and mktplace.
func Abbreviates(short, full string) bool {
	const least = 3
	if len(short) < least || len(full) <= len(short) || short[0] != full[0] {
		return false
	}
	if strings.HasPrefix(full, short) {
		return len(full) > len(short)+1 // orders are not cut short to order
	}
	endsAlike := short[len(short)-1] == full[len(full)-1]
	rest := full[1:]
	for i := 1; i < len(short); i++ {
		at := strings.IndexByte(rest, short[i])
		if isVowel := strings.IndexByte("aeiou", short[i]) >= 0; at < 0 || isVowel && (at > 0 || !endsAlike) {
			return false
		}
		rest = rest[at+1:]
	}
	return len(full) <= 3*len(short)+2
}

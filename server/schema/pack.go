package schema

import "strings"

// PerPack returns what a heading says is in one pack, and the pack: m2 and box of m2/box, kg and bag of kg per bag. It
// reports false of other headings.
func PerPack(heading string) (of, pack string, ok bool) {
	of, pack, ok = strings.Cut(heading, "/")
	if at := strings.Index(strings.ToLower(heading), " per "); !ok && at > 0 {
		of, pack, ok = heading[:at], heading[at+len(" per "):], true
	}
	of, pack = strings.TrimSpace(of), strings.TrimSpace(pack)
	return of, pack, ok && of != "" && pack != ""
}

// TotalHeading returns the heading of the column that is made of how much there is in all packs: Total m2.
func TotalHeading(of string) string { return "Total " + of }

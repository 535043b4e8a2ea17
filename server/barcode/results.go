package barcode

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// results collects the readings of all attempts, and decides which codes are sure.
type results struct {
	seen  map[candidate]*votes
	lines int // read so far
}

// candidate is a code that at least one attempt has read.
type candidate struct {
	symbology Symbology
	text      string
}

// votes counts the readings of one candidate. A candidate is sure by the readings that
// fit tightly; the others count for the order only.
type votes struct {
	readings int
	by       uint8 // binarizers with a tight reading, one bit each
	lines    int   // with a tight reading
	lastLine int
	plain    bool // a plain attempt read it
}

// add counts a reading of the current line.
func (r *results) add(found reading, by binarizer) {
	v := r.of(candidate{found.symbology, found.text})
	v.readings++
	if found.misfit > tightMisfit {
		return
	}
	v.by |= 1 << by
	if v.lastLine != r.lines {
		v.lines, v.lastLine = v.lines+1, r.lines
	}
}

// addQR counts a reading of a whole picture, in a plain attempt or another one.
func (r *results) addQR(text string, plain bool) {
	v := r.of(candidate{QR, text})
	v.readings++
	v.plain = v.plain || plain
}

func (r *results) of(c candidate) *votes {
	v := r.seen[c]
	if v == nil {
		v = &votes{}
		r.seen[c] = v
	}
	return v
}

// sure reports whether a candidate counts even if no inventory has it (F2). A QR code
// corrects its own errors, so a plain attempt is enough, or any two. The other codes
// are sometimes misread, so two binarizers must agree, and on two lines, because on one
// line all binarizers are misled by the same dirt.
func (c candidate) sure(v *votes) bool {
	switch {
	case c.symbology == QR:
		return v.plain || v.readings >= 2
	case c.symbology == UPCE && c.text[0] == '1':
		// The left half of an EAN-13 with its middle guard equals such a code. A UPC-E
		// of number system 0 has no such double.
		return false
	}
	return bits.OnesCount8(v.by) >= 2 && v.lines >= 2
}

// isProduct reports whether the symbology is for article numbers only.
func (s Symbology) isProduct() bool { return s != Code128 && s != QR }

// sure reports whether a product code is sure, and whether another code is.
func (r *results) sure() (product, other bool) {
	for c, v := range r.seen {
		if c.sure(v) {
			product = product || c.symbology.isProduct()
			other = other || !c.symbology.isProduct()
		}
	}
	return product, other
}

// codes returns the codes, the best first: sure ones before others, then product codes
// before others, then by the number of readings.
func (r *results) codes() []Code {
	var codes []Code
	for c, v := range r.seen {
		if !r.halfOfAnother(c) {
			codes = append(codes, Code{Text: c.text, Symbology: c.symbology, Sure: c.sure(v)})
		}
	}
	slices.SortFunc(codes, func(a, b Code) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			-cmp.Compare(r.seen[candidate{a.Symbology, a.Text}].readings, r.seen[candidate{b.Symbology, b.Text}].readings),
			cmp.Compare(a.Text, b.Text),
			cmp.Compare(a.Symbology, b.Symbology),
		)
	})
	return codes
}

func rank(c Code) int {
	n := 0
	if !c.Sure {
		n += 2
	}
	if !c.Symbology.isProduct() {
		n++
	}
	return n
}

// halfOfAnother reports whether c is a UPC-E with the digits of the left half of an
// EAN-13 that was read too.
func (r *results) halfOfAnother(c candidate) bool {
	if c.symbology != UPCE {
		return false
	}
	for other := range r.seen {
		if other.symbology == EAN13 && strings.HasPrefix(other.text[1:], c.text[1:7]) {
			return true
		}
	}
	return false
}

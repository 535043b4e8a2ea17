package barcode

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// tally collects what the passes read, and decides what is sure.
type tally struct {
	seen  map[candidate]*votes
	lines int // that were read until now
}

type candidate struct {
	symbology Symbology
	text      string
}

// votes are the readings of one candidate. Those that fit tightly count for being
// sure; the others for the order only.
type votes struct {
	readings int
	by       uint8 // the binarizers, one bit each
	lines    int
	lastLine int
	plain    bool // a plain pass read it
}

// add counts a reading of the current line.
func (t *tally) add(r reading, by binarizer) {
	v := t.votes(r)
	v.readings++
	if r.misfit > tightMisfit {
		return
	}
	v.by |= 1 << by
	if v.lastLine != t.lines {
		v.lines, v.lastLine = v.lines+1, t.lines
	}
}

// addQR counts a reading of a whole picture, in a plain pass or in another.
func (t *tally) addQR(text string, plain bool) {
	v := t.votes(reading{symbology: QR, text: text})
	v.readings++
	v.plain = v.plain || plain
}

func (t *tally) votes(r reading) *votes {
	c := candidate{r.symbology, r.text}
	v := t.seen[c]
	if v == nil {
		v = &votes{}
		t.seen[c] = v
	}
	return v
}

// sure says whether a candidate needs no inventory to be believed (F2). A QR code
// corrects its own errors, so the plain pass is enough, or any two. Of the others
// the plain pass misreads some, so binarizers must agree; and lines too, because
// on one line all binarizers see the same dirt.
func (c candidate) sure(v *votes) bool {
	switch {
	case c.symbology == QR:
		return v.plain || v.readings >= 2
	case c.symbology == UPCE && c.text[0] == '1':
		// The left half of an EAN-13 and its middle are such a code to the last
		// bar. Those of the other number system have no such twin.
		return false
	}
	return bits.OnesCount8(v.by) >= 2 && v.lines >= 2
}

// product says whether the symbology is for articles alone.
func (s Symbology) product() bool { return s != Code128 && s != QR }

// sure says whether a product code is sure, and whether any other code is.
func (t *tally) sure() (product, other bool) {
	for c, v := range t.seen {
		if c.sure(v) {
			product = product || c.symbology.product()
			other = other || !c.symbology.product()
		}
	}
	return product, other
}

// codes returns what was read, the best first: what is sure, then product codes
// before other ones, then what was read more often.
func (t *tally) codes() []Code {
	var codes []Code
	for c, v := range t.seen {
		if !t.halfOfAnother(c) {
			codes = append(codes, Code{Text: c.text, Symbology: c.symbology, Sure: c.sure(v)})
		}
	}
	slices.SortFunc(codes, func(a, b Code) int {
		return cmp.Or(
			cmp.Compare(rank(a), rank(b)),
			-cmp.Compare(t.seen[candidate{a.Symbology, a.Text}].readings, t.seen[candidate{b.Symbology, b.Text}].readings),
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
	if !c.Symbology.product() {
		n++
	}
	return n
}

// halfOfAnother says whether c is a UPC-E with the digits of the left half of an
// EAN-13 that was read too.
func (t *tally) halfOfAnother(c candidate) bool {
	if c.symbology != UPCE {
		return false
	}
	for other := range t.seen {
		if other.symbology == EAN13 && strings.HasPrefix(other.text[1:], c.text[1:7]) {
			return true
		}
	}
	return false
}

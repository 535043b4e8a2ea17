package barcode

import (
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
)

// reading is one code on one line, as gozxing decoded it.
type reading struct {
	symbology Symbology
	text      string
	misfit    float32 // see fit; 0 if it is not known
}

// layout is the part of a symbology of fixed length that does not depend on the text.
// Widths are in modules; a module is the width of the narrowest bar.
type layout struct {
	symbology Symbology
	digits    int
	bars      int     // dark and light, without the quiet zones
	modules   float32 // their widths together
	guards    []guard
	quiet     float32 // the least light space after the code
	reader    oned.RowDecoder
	writer    gozxing.Writer
	format    gozxing.BarcodeFormat
}

// guard is a guard pattern: bars that are one module wide each.
type guard struct{ first, bars int }

// quietBefore is the least light space before a code. The standards require 7 to 11
// modules; packages seldom have them, and ZXing requires 3.
const quietBefore = 2.8

// linearReader decodes lines. It is not safe for concurrent use, since gozxing's
// readers have buffers.
type linearReader struct {
	layouts  []layout // the longest first
	code128  oned.RowDecoder
	ideals   map[candidate][]float32 // the results of idealEdges
	reversed []float32
	spend    func(steps int) bool
	found    func(reading)
}

// newLinearReader returns a reader that passes readings to found, and stops decoding
// when spend returns false.
func newLinearReader(spend func(steps int) bool, found func(reading)) *linearReader {
	rows := func(r gozxing.Reader) oned.RowDecoder { return r.(oned.RowDecoder) }
	return &linearReader{
		layouts: []layout{
			{
				symbology: EAN13, digits: 13, bars: 59, modules: 95, quiet: quietBefore,
				guards: []guard{{0, 3}, {27, 5}, {56, 3}},
				reader: rows(oned.NewEAN13Reader()), writer: oned.NewEAN13Writer(), format: gozxing.BarcodeFormat_EAN_13,
			},
			{
				symbology: EAN8, digits: 8, bars: 43, modules: 67, quiet: quietBefore,
				guards: []guard{{0, 3}, {19, 5}, {40, 3}},
				reader: rows(oned.NewEAN8Reader()), writer: oned.NewEAN8Writer(), format: gozxing.BarcodeFormat_EAN_8,
			},
			{
				// The left half of an EAN-13 looks like a UPC-E with a short quiet zone:
				// the widest light bar in an EAN-13 is 4 modules.
				symbology: UPCE, digits: 8, bars: 33, modules: 51, quiet: 5.5,
				guards: []guard{{0, 3}, {27, 6}},
				reader: rows(oned.NewUPCEReader()), writer: oned.NewUPCEWriter(), format: gozxing.BarcodeFormat_UPC_E,
			},
		},
		code128: rows(oned.NewCode128Reader()),
		ideals:  map[candidate][]float32{},
		spend:   spend,
		found:   found,
	}
}

// read reports the codes on a line of the given length, in both directions.
func (l *linearReader) read(edges []float32, length int) {
	end := float32(length)
	l.readForward(edges, end)

	l.reversed = l.reversed[:0]
	for i := len(edges)&^1 - 1; i >= 0; i-- {
		l.reversed = append(l.reversed, end-edges[i])
	}
	l.readForward(l.reversed, end)
}

// readForward tries to read a code at each dark bar.
func (l *linearReader) readForward(edges []float32, end float32) {
	before := float32(0)
	for i := 0; i+6 < len(edges); i += 2 {
		quiet := edges[i] - before
		before = edges[i+1]
		// All symbologies begin with three bars of at least three modules.
		if quiet < (edges[i+3]-edges[i])/2 {
			continue
		}
		if !l.readFixed(edges[i:], quiet, end) {
			l.readCode128(edges[i:], quiet, end)
		}
	}
}

// readFixed tries to read a code of fixed length that begins at edges[0] after a quiet
// zone, and reports whether it did. The longest layout is tried first.
func (l *linearReader) readFixed(edges []float32, quiet, end float32) bool {
	for i := range l.layouts {
		lay := &l.layouts[i]
		if len(edges) <= lay.bars {
			continue
		}
		bars := edges[:lay.bars+1]
		module := (bars[lay.bars] - bars[0]) / lay.modules
		if quiet < quietBefore*module || lightAfter(edges, lay.bars, end) < lay.quiet*module || !lay.matches(bars, module) {
			continue
		}
		if r, ok := l.decodeFixed(lay, bars, module); ok {
			l.found(r)
			return true
		}
	}
	return false
}

// lightAfter returns the width of the light space after the last edge of a code.
func lightAfter(edges []float32, last int, end float32) float32 {
	if last+1 < len(edges) {
		return edges[last+1] - edges[last]
	}
	return end - edges[last]
}

// minModule is the module width in pixels below which bars are not distinguishable.
const minModule = 0.7

// matches reports whether the guards are at their places.
func (lay *layout) matches(edges []float32, module float32) bool {
	if module < minModule {
		return false
	}
	for _, g := range lay.guards {
		width := (edges[g.first+g.bars] - edges[g.first]) / module
		if off := width - float32(g.bars); off < -1.1 || off > 1.1 {
			return false
		}
	}
	return true
}

// spread returns by how many pixels dark bars are too wide, and light bars too narrow,
// because ink runs or the photo is overexposed.
func (lay *layout) spread(edges []float32) float32 {
	var width, count [2]float32
	for _, g := range lay.guards {
		for bar := g.first; bar < g.first+g.bars; bar++ {
			width[bar&1] += edges[bar+1] - edges[bar]
			count[bar&1]++
		}
	}
	return (width[0]/count[0] - width[1]/count[1]) / 2
}

func (l *linearReader) decodeFixed(lay *layout, edges []float32, module float32) (reading, bool) {
	text, ok := l.decode(lay.reader, redraw(edges, module, lay.spread(edges)))
	if !ok || len(text) != lay.digits {
		return reading{}, false
	}
	r := reading{lay.symbology, text, fit(l.idealEdges(lay, text), edges)}
	if r.misfit > maxMisfit {
		return reading{}, false
	}
	if r.symbology == EAN13 && text[0] == '0' {
		r.symbology, r.text = UPCA, text[1:]
	}
	return r, true
}

const (
	// pixelsPerModule is the size in which codes are drawn for gozxing.
	pixelsPerModule = 8
	// drawnQuiet is the quiet zone around them, in pixels: gozxing requires more than
	// readForward.
	drawnQuiet = 12 * pixelsPerModule
)

// redraw draws the bars for gozxing: in a suitable size, without the spread, and with
// wide quiet zones.
func redraw(edges []float32, module, spread float32) *gozxing.BitArray {
	scale := pixelsPerModule / module
	spread = min(max(spread, -0.7*module), 0.7*module)
	width := int((edges[len(edges)-1] - edges[0]) * scale)
	row := gozxing.NewBitArray(width + 2*drawnQuiet)
	for i := 0; i+1 < len(edges); i += 2 {
		from := drawnQuiet + int((edges[i]-edges[0]+spread/2)*scale+0.5)
		to := drawnQuiet + int((edges[i+1]-edges[0]-spread/2)*scale+0.5)
		row.SetRange(from, max(to, from+1))
	}
	return row
}

// decode calls gozxing for one row. It treats a panic in gozxing as an unreadable row.
func (l *linearReader) decode(by oned.RowDecoder, row *gozxing.BitArray) (text string, ok bool) {
	if !l.spend(decodeSteps) {
		return "", false
	}
	defer func() {
		if recover() != nil {
			text, ok = "", false
		}
	}()
	result, err := by.DecodeRow(0, row, nil)
	if err != nil {
		return "", false
	}
	return result.GetText(), true
}

package barcode

import (
	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
)

// reading is one code on one line, as gozxing decoded it.
type reading struct {
	symbology Symbology
	text      string
	misfit    float32 // see fit; 0 where it is not known
}

// outline is what every code of a symbology of fixed length has, whatever it
// says. Widths are in modules, the width of the narrowest bar.
type outline struct {
	symbology Symbology
	digits    int
	bars      int     // dark and light, without the quiet zones
	modules   float32 // their widths together
	guards    []guard
	quiet     float32 // after the code
	reader    oned.RowDecoder
	writer    gozxing.Writer
	format    gozxing.BarcodeFormat
}

// guard is a row of bars that are one module wide each.
type guard struct{ first, bars int }

// quietBefore is the least light space before a code. The standards ask for 7 to
// 11 modules; packages seldom grant them, and ZXing asks for 3.
const quietBefore = 2.8

// linearReader decodes lines. It must not be shared, since gozxing's readers keep
// buffers of their own.
type linearReader struct {
	outlines []outline
	code128  oned.RowDecoder
	ideals   map[ideal][]float32 // where the edges of a code should be
	reversed []float32
	spend    func(steps int) bool
	found    func(reading)
}

type ideal struct {
	symbology Symbology
	text      string
}

// newLinearReader returns a reader that reports to found, and stops when spend
// says so.
func newLinearReader(spend func(steps int) bool, found func(reading)) *linearReader {
	rows := func(r gozxing.Reader) oned.RowDecoder { return r.(oned.RowDecoder) }
	return &linearReader{
		outlines: []outline{
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
				// The left half of an EAN-13 looks like a UPC-E that ends too soon: the
				// widest light bar in there is 4 modules.
				symbology: UPCE, digits: 8, bars: 33, modules: 51, quiet: 5.5,
				guards: []guard{{0, 3}, {27, 6}},
				reader: rows(oned.NewUPCEReader()), writer: oned.NewUPCEWriter(), format: gozxing.BarcodeFormat_UPC_E,
			},
		},
		code128: rows(oned.NewCode128Reader()),
		ideals:  map[ideal][]float32{},
		spend:   spend,
		found:   found,
	}
}

// read reports the codes on a line of the given length, in either direction.
func (l *linearReader) read(edges []float32, length int) {
	end := float32(length)
	l.forward(edges, end)

	l.reversed = l.reversed[:0]
	for i := len(edges)&^1 - 1; i >= 0; i-- {
		l.reversed = append(l.reversed, end-edges[i])
	}
	l.forward(l.reversed, end)
}

// forward looks for codes that begin at each dark bar.
func (l *linearReader) forward(edges []float32, end float32) {
	before := float32(0)
	for i := 0; i+6 < len(edges); i += 2 {
		quiet := edges[i] - before
		before = edges[i+1]
		// All symbologies begin with three bars of at least three modules.
		if quiet < (edges[i+3]-edges[i])/2 {
			continue
		}
		if !l.fixed(edges[i:], quiet, end) {
			l.variable(edges[i:], quiet, end)
		}
	}
}

// fixed tries the symbologies of fixed length on what begins at edges[0] after a
// quiet zone. The longest comes first, and what it reads is not read again.
func (l *linearReader) fixed(edges []float32, quiet, end float32) bool {
	for i := range l.outlines {
		o := &l.outlines[i]
		if len(edges) <= o.bars {
			continue
		}
		bars := edges[:o.bars+1]
		module := (bars[o.bars] - bars[0]) / o.modules
		if quiet < quietBefore*module || after(edges, o.bars, end) < o.quiet*module || !o.matches(bars, module) {
			continue
		}
		if r, ok := l.decodeFixed(o, bars, module); ok {
			l.found(r)
			return true
		}
	}
	return false
}

// after is the light space after the last edge of a code.
func after(edges []float32, last int, end float32) float32 {
	if last+1 < len(edges) {
		return edges[last+1] - edges[last]
	}
	return end - edges[last]
}

// minModule is the width in pixels below which bars cannot be told apart.
const minModule = 0.7

// matches says whether the guards are where they should be.
func (o *outline) matches(edges []float32, module float32) bool {
	if module < minModule {
		return false
	}
	for _, g := range o.guards {
		width := (edges[g.first+g.bars] - edges[g.first]) / module
		if off := width - float32(g.bars); off < -1.1 || off > 1.1 {
			return false
		}
	}
	return true
}

// spread is by how many pixels dark bars are wider than they should be, and light
// ones narrower: ink runs, and light shines over.
func (o *outline) spread(edges []float32) float32 {
	var width, count [2]float32
	for _, g := range o.guards {
		for bar := g.first; bar < g.first+g.bars; bar++ {
			width[bar&1] += edges[bar+1] - edges[bar]
			count[bar&1]++
		}
	}
	return (width[0]/count[0] - width[1]/count[1]) / 2
}

func (l *linearReader) decodeFixed(o *outline, edges []float32, module float32) (reading, bool) {
	text, ok := l.decode(o.reader, straighten(edges, module, o.spread(edges)))
	if !ok || len(text) != o.digits {
		return reading{}, false
	}
	r := reading{o.symbology, text, fit(l.ideal(o, text), edges)}
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
	// drawnQuiet is the quiet zone around them, in pixels, since gozxing is stricter
	// than forward about it.
	drawnQuiet = 12 * pixelsPerModule
)

// straighten draws bars anew, in a size that suits gozxing, with the spread taken
// off and with ample quiet zones.
func straighten(edges []float32, module, spread float32) *gozxing.BitArray {
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

// decode has gozxing read one row. A panic in there is a row that cannot be read.
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

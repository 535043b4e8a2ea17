package barcode

import (
	"context"
	"image"
)

// rung is one attempt: lines in some directions, or the whole picture for a QR
// code, in one size.
type rung struct {
	level  int // of the pyramid
	sharp  bool
	angles []float64 // of the lines, in degrees clockwise from the rows; none for a QR code
	lines  int       // in each direction, evenly spread over the picture
	by     binarizer // of a QR code; lines are read with each
	plain  bool      // a QR code that is read here is sure
	beside bool      // worth while though a code is sure, if it is no product code
}

var (
	upright  = []float64{0, 90}
	diagonal = []float64{45, 135}
	between  = []float64{22.5, 67.5, 112.5, 157.5}
)

// ladder is the order of the attempts: what reads the most for the least work
// comes first, as measured on the photos of TestRates, also slanted ones and ones
// made larger. The directions lie 22.5° apart, and a line that is half of that off
// still crosses every bar of the usual label.
//
// All of it takes 10.4 million steps on a photo of 2 megapixels, which is what a
// budget of 300 ms has.
var ladder = []rung{
	{level: 0, angles: upright, lines: 48},
	{level: 0, by: local, plain: true},
	{level: -1, angles: upright, lines: 48, beside: true},
	{level: -1, by: local, plain: true},
	{level: 0, by: histogram},
	{level: 1, angles: upright, lines: 48, beside: true},
	{level: 0, angles: diagonal, lines: 64, beside: true},
	{level: 0, sharp: true, angles: upright, lines: 48},
	{level: 0, sharp: true, by: local},
	{level: 0, sharp: true, by: histogram},
	{level: 0, angles: between, lines: 64, beside: true},
	{level: 1, by: local},
	{level: 1, by: histogram},
	{level: -1, by: histogram},
	{level: 0, sharp: true, angles: diagonal, lines: 64},
	{level: 0, sharp: true, angles: upright, lines: 200},
	{level: 0, sharp: true, angles: between, lines: 64},
	{level: 0, angles: upright, lines: 200},
	{level: 1, sharp: true, angles: upright, lines: 200},
	{level: 1, sharp: true, by: local},
	{level: 2, angles: upright, lines: 100},
	{level: -1, angles: diagonal, lines: 64},
	{level: -1, angles: between, lines: 64},
	{level: -1, sharp: true, angles: upright, lines: 48},
	{level: -1, sharp: true, by: local},
}

// A step is a sample of a line that one binarizer looked at: 15 ns on one core of
// a small server, and 25 where all is noise. Other work is counted by how many
// pixels take as long.
const (
	halvedPerStep    = 8
	sharpenedPerStep = 2
	searchedPerStep  = 3   // for a QR code
	decodeSteps      = 150 // a call of gozxing for one line
)

// reader is one call of Read.
type reader struct {
	ctx    context.Context
	left   int // steps
	sizes  *pyramid
	edger  edger
	linear *linearReader
	tally  tally
	line   []float32
	edges  []float32
	by     binarizer // of edges
}

// newReader returns nil where the budget does not even serve to make a photo
// smaller.
func newReader(ctx context.Context, img *image.Gray, steps int) *reader {
	r := &reader{ctx: ctx, left: steps, tally: tally{seen: map[candidate]*votes{}}}
	r.linear = newLinearReader(r.spend, func(found reading) { r.tally.add(found, r.by) })
	if !r.spend(img.Rect.Dx() * img.Rect.Dy() / halvedPerStep) {
		return nil
	}
	r.sizes = newPyramid(img)
	return r
}

// spend takes steps from the budget. It is false once the budget or ctx has ended.
func (r *reader) spend(steps int) bool {
	if r.left < steps || r.ctx.Err() != nil {
		r.left = 0
		return false
	}
	r.left -= steps
	return true
}

// climb makes one attempt after the other, until a product code is sure. Beside
// another code that is sure it looks for a product code with little work: on many
// packages a QR code that leads to an advertisement is the easier one to read.
func (r *reader) climb(ladder []rung) {
	for _, step := range ladder {
		product, other := r.tally.sure()
		if r.left == 0 || product {
			return
		}
		if other && !step.beside {
			continue
		}
		if p := r.plane(step); p != nil {
			r.attempt(p, step)
		}
	}
}

// plane is the picture that a rung looks at, or nil if there is no such size, or
// no budget left to make it.
func (r *reader) plane(step rung) *plane {
	p := r.sizes.level(step.level)
	if p == nil || !step.sharp {
		return p
	}
	if p.sharp == nil {
		if !r.spend(p.w * p.h / sharpenedPerStep) {
			return nil
		}
		p.sharp = p.sharpened()
	}
	return p.sharp
}

func (r *reader) attempt(p *plane, step rung) {
	for _, angle := range step.angles {
		r.sweep(p, angle, step.lines)
	}
	if step.angles != nil || !r.spend(p.w*p.h/searchedPerStep) {
		return
	}
	if text, ok := readQR(p, step.by); ok {
		r.tally.addQR(text, step.plain)
	}
}

// sweep reads lines in one direction with every binarizer.
func (r *reader) sweep(p *plane, angle float64, lines int) {
	extent := p.extent(angle)
	lines = min(lines, int(extent))
	for i := range lines {
		offset := ((float64(i)+0.5)/float64(lines) - 0.5) * extent
		r.line = p.line(r.line[:0], angle, offset)
		r.tally.lines++
		for r.by = range binarizers {
			if !r.spend(len(r.line)) {
				return
			}
			r.edges = r.edger.edges(r.by, r.line, r.edges[:0])
			r.linear.read(r.edges, len(r.line))
		}
	}
}

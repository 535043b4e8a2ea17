package barcode

import (
	"context"
	"image"
)

// attempt is one try to read a photo in one size: along lines in some directions, or
// the whole picture for a QR code.
type attempt struct {
	level       int       // of the pyramid
	sharp       bool      // on the sharpened picture
	angles      []float64 // of the lines, in degrees clockwise from the rows; nil: read a QR code
	lines       int       // in each direction, evenly spread over the picture
	by          binarizer // for a QR code; lines are read with each binarizer
	plain       bool      // a QR code that this attempt reads is sure
	seekProduct bool      // made even if a code other than a product code is sure
}

var (
	axes     = []float64{0, 90}
	diagonal = []float64{45, 135}
	between  = []float64{22.5, 67.5, 112.5, 157.5}
)

// attempts is the order of the attempts, by the codes that they read for their work, as
// measured on the photos of TestRates, also rotated and enlarged ones. The directions
// are 22.5° apart, and a line that is off by half of that still crosses every bar of
// the usual label.
//
// All attempts take 10.4 million steps on a photo of 2 megapixels, which fits into a
// budget of 300 ms.
var attempts = []attempt{
	{level: 0, angles: axes, lines: 48},
	{level: 0, by: local, plain: true},
	{level: -1, angles: axes, lines: 48, seekProduct: true},
	{level: -1, by: local, plain: true},
	{level: 0, by: histogram},
	{level: 1, angles: axes, lines: 48, seekProduct: true},
	{level: 0, angles: diagonal, lines: 64, seekProduct: true},
	{level: 0, sharp: true, angles: axes, lines: 48},
	{level: 0, sharp: true, by: local},
	{level: 0, sharp: true, by: histogram},
	{level: 0, angles: between, lines: 64, seekProduct: true},
	{level: 1, by: local},
	{level: 1, by: histogram},
	{level: -1, by: histogram},
	{level: 0, sharp: true, angles: diagonal, lines: 64},
	{level: 0, sharp: true, angles: axes, lines: 200},
	{level: 0, sharp: true, angles: between, lines: 64},
	{level: 0, angles: axes, lines: 200},
	{level: 1, sharp: true, angles: axes, lines: 200},
	{level: 1, sharp: true, by: local},
	{level: 2, angles: axes, lines: 100},
	{level: -1, angles: diagonal, lines: 64},
	{level: -1, angles: between, lines: 64},
	{level: -1, sharp: true, angles: axes, lines: 48},
	{level: -1, sharp: true, by: local},
}

// A step is one sample of a line in one binarizer: 15 ns on one core of a small server,
// and 25 ns on pure noise. Other work is converted to steps by the time that it takes.
const (
	halvedPerStep    = 8   // pixels halved
	sharpenedPerStep = 2   // pixels sharpened
	searchedPerStep  = 3   // pixels searched for a QR code
	decodeSteps      = 150 // one call of gozxing for one line
)

// reader is the state of one call of Read.
type reader struct {
	ctx     context.Context
	left    int // steps of the budget
	sizes   *pyramid
	finder  edgeFinder
	linear  *linearReader
	results results
	line    []float32
	edges   []float32
	by      binarizer // that found edges
}

// newReader returns nil if the budget is too small even to halve the photo.
func newReader(ctx context.Context, img *image.Gray, steps int) *reader {
	r := &reader{ctx: ctx, left: steps, results: results{seen: map[candidate]*votes{}}}
	r.linear = newLinearReader(r.spend, func(found reading) { r.results.add(found, r.by) })
	if !r.spend(img.Rect.Dx() * img.Rect.Dy() / halvedPerStep) {
		return nil
	}
	r.sizes = newPyramid(img)
	return r
}

// spend takes steps from the budget. It returns false once the budget or ctx has ended.
func (r *reader) spend(steps int) bool {
	if r.left < steps || r.ctx.Err() != nil {
		r.left = 0
		return false
	}
	r.left -= steps
	return true
}

// run makes the attempts in order until a product code is sure. Once another code is
// sure, only the attempts with seekProduct follow: on many packages a QR code with an
// advertisement is easier to read than the product code.
func (r *reader) run(attempts []attempt) {
	for _, a := range attempts {
		product, other := r.results.sure()
		if r.left == 0 || product {
			return
		}
		if other && !a.seekProduct {
			continue
		}
		if p := r.raster(a); p != nil {
			r.try(p, a)
		}
	}
}

// raster returns the picture for an attempt, or nil if there is no such size or not
// enough budget left to make it.
func (r *reader) raster(a attempt) *raster {
	p := r.sizes.level(a.level)
	if p == nil || !a.sharp {
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

func (r *reader) try(p *raster, a attempt) {
	for _, angle := range a.angles {
		r.sweep(p, angle, a.lines)
	}
	if a.angles != nil || !r.spend(p.w*p.h/searchedPerStep) {
		return
	}
	if text, ok := readQR(p, a.by); ok {
		r.results.addQR(text, a.plain)
	}
}

// sweep reads lines in one direction with every binarizer.
func (r *reader) sweep(p *raster, angle float64, lines int) {
	extent := p.extent(angle)
	lines = min(lines, int(extent))
	for i := range lines {
		offset := ((float64(i)+0.5)/float64(lines) - 0.5) * extent
		r.line = p.line(r.line[:0], angle, offset)
		r.results.lines++
		for r.by = range binarizers {
			if !r.spend(len(r.line)) {
				return
			}
			r.edges = r.finder.edges(r.by, r.line, r.edges[:0])
			r.linear.read(r.edges, len(r.line))
		}
	}
}

package barcode

import (
	"image"
	"math"
)

const (
	// minSide is the shortest side of a picture that can hold a code.
	minSide = 24
	// baseSide is the longest side of the picture at level 0, where the search
	// begins: most codes are large enough in it, and it costs a fraction of a photo.
	baseSide = 1024
	// minLine is the length of the shortest line that can hold a code, in pixels.
	minLine = 40
)

// raster is a grey picture whose rows follow each other without padding.
type raster struct {
	w, h  int
	pix   []uint8
	sharp *raster // the sharpened picture, made on first use
}

// newRaster returns img as a raster. It shares the pixels of img unless rows are padded.
func newRaster(img *image.Gray) *raster {
	p := &raster{w: img.Rect.Dx(), h: img.Rect.Dy()}
	start := img.PixOffset(img.Rect.Min.X, img.Rect.Min.Y)
	if img.Stride == p.w {
		p.pix = img.Pix[start : start+p.w*p.h]
		return p
	}
	p.pix = make([]uint8, 0, p.w*p.h)
	for y := range p.h {
		p.pix = append(p.pix, img.Pix[start+y*img.Stride:][:p.w]...)
	}
	return p
}

// half returns the picture at half its size, each pixel the mean of four.
func (p *raster) half() *raster {
	q := &raster{w: p.w / 2, h: p.h / 2}
	q.pix = make([]uint8, q.w*q.h)
	for y := range q.h {
		upper := p.pix[2*y*p.w:][:2*q.w]
		lower := p.pix[(2*y+1)*p.w:][:2*q.w]
		row := q.pix[y*q.w:][:q.w]
		for x := range row {
			sum := int(upper[2*x]) + int(upper[2*x+1]) + int(lower[2*x]) + int(lower[2*x+1])
			row[x] = uint8((sum + 2) / 4)
		}
	}
	return q
}

// sharpReach is the reach of the box blur, which sharpened applies twice.
const sharpReach = 2

// sharpened returns the picture with three times its local contrast, which separates
// bars that are blurred into each other.
func (p *raster) sharpened() *raster {
	q := &raster{w: p.w, h: p.h, pix: make([]uint8, len(p.pix))}
	blurred, column := make([]uint8, len(p.pix)), make([]uint8, p.h)
	row := make([]uint8, max(p.w, p.h))
	for y := range p.h {
		from, to := p.pix[y*p.w:][:p.w], blurred[y*p.w:][:p.w]
		box(from, row[:p.w])
		box(row[:p.w], to)
	}
	for x := range p.w {
		for y := range p.h {
			column[y] = blurred[y*p.w+x]
		}
		box(column, row[:p.h])
		box(row[:p.h], column)
		for y, v := range column {
			here := int(p.pix[y*p.w+x])
			q.pix[y*q.w+x] = uint8(min(max(3*here-2*int(v), 0), 255))
		}
	}
	return q
}

// box sets out[i] to the mean of v within sharpReach of i.
func box(v, out []uint8) {
	sum, n := 0, 0
	for i := -sharpReach; i < len(v); i++ {
		if next := i + sharpReach; next < len(v) {
			sum, n = sum+int(v[next]), n+1
		}
		if last := i - sharpReach - 1; last >= 0 {
			sum, n = sum-int(v[last]), n-1
		}
		if i >= 0 {
			out[i] = uint8(sum / n)
		}
	}
}

// pyramid holds a photo in several sizes. Smaller ones are made on first use.
type pyramid struct {
	sizes []*raster // each half the size of the one before
	base  int       // index of level 0
}

// newPyramid halves the photo until it is small enough for level 0, or too narrow to be
// halved again.
func newPyramid(img *image.Gray) *pyramid {
	p := &pyramid{sizes: []*raster{newRaster(img)}}
	for last := p.sizes[0]; max(last.w, last.h) > baseSide && min(last.w, last.h)/2 >= minSide; last = p.sizes[p.base] {
		p.sizes = append(p.sizes, last.half())
		p.base++
	}
	return p
}

// level returns the picture at level 0, where the search begins, at level 1, which is
// half of it, and so on; level -1 is twice level 0 and exists for large photos only. It
// returns nil if there is no such size.
func (p *pyramid) level(n int) *raster {
	i := p.base + n
	if i < 0 {
		return nil
	}
	for len(p.sizes) <= i {
		last := p.sizes[len(p.sizes)-1]
		if min(last.w, last.h)/2 < minSide {
			return nil
		}
		p.sizes = append(p.sizes, last.half())
	}
	return p.sizes[i]
}

// extent returns the width of p across lines at an angle in degrees.
func (p *raster) extent(angle float64) float64 {
	sin, cos := math.Sincos(angle * math.Pi / 180)
	return math.Abs(sin)*float64(p.w) + math.Abs(cos)*float64(p.h)
}

// line appends to buf the brightness along a line: its direction is angle degrees
// clockwise from the rows, and it passes the centre of p at a distance of offset
// pixels. Only the part inside p is sampled.
func (p *raster) line(buf []float32, angle, offset float64) []float32 {
	switch angle {
	case 0:
		return p.axisLine(buf, p.h, int(offset+float64(p.h)/2), p.w, p.w, 1)
	case 90:
		return p.axisLine(buf, p.w, int(offset+float64(p.w)/2), p.h, 1, p.w)
	}
	return p.slantedLine(buf, angle, offset)
}

// axisLine samples one of count rows or columns, as the mean of it and its two
// neighbours, which is cheap and removes half of the noise.
func (p *raster) axisLine(buf []float32, count, index, length, across, along int) []float32 {
	if index < 0 || index >= count || count < 3 {
		return buf
	}
	index = min(max(index, 1), count-2)
	before, here, after := p.pix[(index-1)*across:], p.pix[index*across:], p.pix[(index+1)*across:]
	for i, o := 0, 0; i < length; i, o = i+1, o+along {
		sum := int(before[o]) + int(here[o]) + int(after[o])
		buf = append(buf, float32(sum)/3)
	}
	return buf
}

// slantedLine samples with bilinear interpolation.
func (p *raster) slantedLine(buf []float32, angle, offset float64) []float32 {
	sin, cos := math.Sincos(angle * math.Pi / 180)
	x, y := float64(p.w)/2-offset*sin, float64(p.h)/2+offset*cos
	xa, xb := inside(x, cos, float64(p.w-2))
	ya, yb := inside(y, sin, float64(p.h-2))
	from, to := max(xa, ya), min(xb, yb)
	if to-from < minLine {
		return buf
	}

	const one = 1 << 16 // fixed point
	fx, fy := int((x+from*cos)*one), int((y+from*sin)*one)
	dx, dy := int(cos*one), int(sin*one)
	for range int(to - from) {
		// Rounding may lead just outside the picture.
		px, py := min(max(fx>>16, 0), p.w-2), min(max(fy>>16, 0), p.h-2)
		o := py*p.w + px
		u, v := fx&(one-1)>>8, fy&(one-1)>>8
		upper := int(p.pix[o])*(256-u) + int(p.pix[o+1])*u
		lower := int(p.pix[o+p.w])*(256-u) + int(p.pix[o+p.w+1])*u
		buf = append(buf, float32(upper*(256-v)+lower*v)/one)
		fx, fy = fx+dx, fy+dy
	}
	return buf
}

// inside returns the range of t for which at+t*step is within 0 and limit. The range
// is empty, with from > to, if there is no such t.
func inside(at, step, limit float64) (from, to float64) {
	if math.Abs(step) < 1e-9 {
		if at < 0 || at > limit {
			return 0, -1
		}
		return math.Inf(-1), math.Inf(1)
	}
	from, to = -at/step, (limit-at)/step
	return min(from, to), max(from, to)
}

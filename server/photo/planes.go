package photo

import (
	"image"
	"image/color"
)

// planes is a picture of brightness and two colours, which have half its size.
type planes struct {
	img *image.YCbCr
}

func newPlanes(w, h int) *planes {
	return &planes{image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420)}
}

// grey is a colour plane of a picture without colours.
const grey = 128

// shrink returns img with a longest side of at most longest, each pixel the mean
// of all that it stands for: what is left out would turn fine bars into noise.
func shrink(img image.Image, longest int) *planes {
	size := img.Bounds().Size()
	w, h := fitted(size.X, size.Y, longest)
	p := newPlanes(w, h)
	y := newShrinker(size.X, size.Y, p.img.Y, w, h)
	switch img := img.(type) {
	case *image.Gray:
		fill(p.img.Cb, grey)
		fill(p.img.Cr, grey)
		y.plane(img.Pix[img.PixOffset(img.Rect.Min.X, img.Rect.Min.Y):], img.Stride)
	case *image.YCbCr:
		y.plane(img.Y[img.YOffset(img.Rect.Min.X, img.Rect.Min.Y):], img.YStride)
		cw, ch := colourSize(img)
		at := img.COffset(img.Rect.Min.X, img.Rect.Min.Y)
		newShrinker(cw, ch, p.img.Cb, (w+1)/2, (h+1)/2).plane(img.Cb[at:], img.CStride)
		newShrinker(cw, ch, p.img.Cr, (w+1)/2, (h+1)/2).plane(img.Cr[at:], img.CStride)
	default:
		cb := newShrinker(size.X, size.Y, p.img.Cb, (w+1)/2, (h+1)/2)
		cr := newShrinker(size.X, size.Y, p.img.Cr, (w+1)/2, (h+1)/2)
		convert(img, y, cb, cr)
	}
	return p
}

// fitted returns a size of the same shape whose longest side is at most longest.
func fitted(w, h, longest int) (int, int) {
	long := max(w, h)
	if long <= longest {
		return w, h
	}
	return max(w*longest/long, 1), max(h*longest/long, 1)
}

func fill(p []uint8, v uint8) {
	for i := range p {
		p[i] = v
	}
}

// colourSize is the size of the colour planes of a picture that begins at 0,0.
func colourSize(img *image.YCbCr) (w, h int) {
	w, h = img.Rect.Dx(), img.Rect.Dy()
	switch img.SubsampleRatio {
	case image.YCbCrSubsampleRatio422:
		return (w + 1) / 2, h
	case image.YCbCrSubsampleRatio420:
		return (w + 1) / 2, (h + 1) / 2
	case image.YCbCrSubsampleRatio440:
		return w, (h + 1) / 2
	case image.YCbCrSubsampleRatio411:
		return (w + 3) / 4, h
	case image.YCbCrSubsampleRatio410:
		return (w + 3) / 4, (h + 1) / 2
	}
	return w, h
}

// convert feeds the shrinkers with the rows of a picture in other colours.
func convert(img image.Image, y, cb, cr *shrinker) {
	b := img.Bounds()
	rows := make([]uint8, 3*b.Dx())
	ys, cbs, crs := rows[:b.Dx()], rows[b.Dx():2*b.Dx()], rows[2*b.Dx():]
	for row := b.Min.Y; row < b.Max.Y; row++ {
		for x := range b.Dx() {
			r, g, b := rgb(img, b.Min.X+x, row)
			ys[x], cbs[x], crs[x] = color.RGBToYCbCr(r, g, b)
		}
		y.row(ys)
		cb.row(cbs)
		cr.row(crs)
	}
}

// rgb returns one pixel, quickly for what image/jpeg returns.
func rgb(img image.Image, x, y int) (r, g, b uint8) {
	switch img := img.(type) {
	case *image.CMYK:
		p := img.Pix[img.PixOffset(x, y):]
		return color.CMYKToRGB(p[0], p[1], p[2], p[3])
	case *image.RGBA:
		p := img.Pix[img.PixOffset(x, y):]
		return p[0], p[1], p[2]
	}
	r16, g16, b16, _ := img.At(x, y).RGBA()
	return uint8(r16 >> 8), uint8(g16 >> 8), uint8(b16 >> 8)
}

// shrinker makes a plane smaller, a row at a time. A pixel that lies on the border
// of two belongs to both by its parts.
type shrinker struct {
	w, h    int // of what comes
	out     []uint8
	outW    int
	outH    int
	sums    []int // of the row of out that is being made, times w*h
	missing int   // how much of that row is to come; a row of its own has h
	line    []int // one row of what comes, made narrower, times w
}

// newShrinker returns a shrinker from w by h to outW by outH, which are not more.
// A plane that is already smaller is repeated instead.
func newShrinker(w, h int, out []uint8, outW, outH int) *shrinker {
	return &shrinker{w: w, h: h, out: out, outW: outW, outH: outH, sums: make([]int, outW), missing: h, line: make([]int, outW)}
}

// plane takes a whole plane.
func (s *shrinker) plane(pix []uint8, stride int) {
	for y := range s.h {
		s.row(pix[y*stride:][:s.w])
	}
}

// row takes the next row. A row of w pixels is outW wide for each, in parts of
// which a pixel of out has w; and so it is with the rows.
func (s *shrinker) row(row []uint8) {
	if len(s.out) == 0 {
		return
	}
	x, missing, sum := 0, s.w, 0
	for _, v := range row {
		part := s.outW
		for part >= missing {
			s.line[x] = sum + int(v)*missing
			part -= missing
			x, missing, sum = x+1, s.w, 0
		}
		sum += int(v) * part
		missing -= part
	}

	part := s.outH
	for part >= s.missing {
		s.emit(s.missing)
		part -= s.missing
		s.missing = s.h
	}
	for x, v := range s.line {
		s.sums[x] += v * part
	}
	s.missing -= part
}

// emit ends a row of out with the last part of it.
func (s *shrinker) emit(part int) {
	area := s.w * s.h
	for x, v := range s.line {
		s.out[x] = uint8((s.sums[x] + v*part + area/2) / area)
		s.sums[x] = 0
	}
	s.out = s.out[s.outW:]
}

// turn returns the picture upright, whose EXIF orientation is o.
func (p *planes) turn(o int) *planes {
	if o == 1 {
		return p
	}
	w, h := p.img.Rect.Dx(), p.img.Rect.Dy()
	q := newPlanes(w, h)
	if o >= 5 {
		q = newPlanes(h, w)
	}
	turn(p.img.Y, w, h, q.img.Y, o)
	turn(p.img.Cb, (w+1)/2, (h+1)/2, q.img.Cb, o)
	turn(p.img.Cr, (w+1)/2, (h+1)/2, q.img.Cr, o)
	return q
}

// turn copies a plane of w by h. An orientation is the place of the first row and
// of the first column: 2 to 4 mirror, 5 to 8 swap rows and columns besides.
func turn(from []uint8, w, h int, to []uint8, o int) {
	mirrored := o == 2 || o == 3 || o == 7 || o == 8 // the columns of from
	flipped := o == 3 || o == 4 || o == 6 || o == 7  // its rows
	for y := range h {
		toY := y
		if flipped {
			toY = h - 1 - y
		}
		for x, v := range from[y*w:][:w] {
			toX := x
			if mirrored {
				toX = w - 1 - x
			}
			if o >= 5 {
				to[toX*h+toY] = v
			} else {
				to[toY*w+toX] = v
			}
		}
	}
}

// padded returns the picture on a grey ground where a side is less than least.
func (p *planes) padded(least int) *planes {
	w, h := p.img.Rect.Dx(), p.img.Rect.Dy()
	if w >= least && h >= least {
		return p
	}
	q := newPlanes(max(w, least), max(h, least))
	for _, plane := range [][]uint8{q.img.Y, q.img.Cb, q.img.Cr} {
		fill(plane, grey)
	}
	// An even place, so that the colours lie where the brightness does.
	left, top := (q.img.Rect.Dx()-w)/4*2, (q.img.Rect.Dy()-h)/4*2
	for y := range h {
		copy(q.img.Y[(top+y)*q.img.YStride+left:], p.img.Y[y*p.img.YStride:][:w])
	}
	for y := range (h + 1) / 2 {
		at := (top/2+y)*q.img.CStride + left/2
		copy(q.img.Cb[at:], p.img.Cb[y*p.img.CStride:][:(w+1)/2])
		copy(q.img.Cr[at:], p.img.Cr[y*p.img.CStride:][:(w+1)/2])
	}
	return q
}

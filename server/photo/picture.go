package photo

import (
	"image"
	"image/color"
)

// ycbcr is a YCbCr picture whose chroma planes have half its size (4:2:0).
type ycbcr struct{ *image.YCbCr }

// newYCbCr returns a picture that is grey everywhere.
func newYCbCr(w, h int) *ycbcr {
	p := &ycbcr{image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420)}
	for _, plane := range [][]uint8{p.Y, p.Cb, p.Cr} {
		for i := range plane {
			plane[i] = 128
		}
	}
	return p
}

// shrink returns img with sides of at most longest. Each pixel is the mean of all the
// pixels that it replaces: skipped pixels would turn fine bars into noise.
func shrink(img image.Image, longest int) *ycbcr {
	size := img.Bounds().Size()
	w, h := fitted(size.X, size.Y, longest)
	p := newYCbCr(w, h)
	y := newShrinker(size.X, size.Y, p.Y, w, h)
	switch img := img.(type) {
	case *image.Gray:
		y.plane(img.Pix[img.PixOffset(img.Rect.Min.X, img.Rect.Min.Y):], img.Stride)
	case *image.YCbCr:
		y.plane(img.Y[img.YOffset(img.Rect.Min.X, img.Rect.Min.Y):], img.YStride)
		cw, ch := chromaSize(img)
		at := img.COffset(img.Rect.Min.X, img.Rect.Min.Y)
		newShrinker(cw, ch, p.Cb, (w+1)/2, (h+1)/2).plane(img.Cb[at:], img.CStride)
		newShrinker(cw, ch, p.Cr, (w+1)/2, (h+1)/2).plane(img.Cr[at:], img.CStride)
	default:
		cb := newShrinker(size.X, size.Y, p.Cb, (w+1)/2, (h+1)/2)
		cr := newShrinker(size.X, size.Y, p.Cr, (w+1)/2, (h+1)/2)
		convert(img, y, cb, cr)
	}
	return p
}

// fitted returns a size with the same aspect ratio and sides of at most longest.
func fitted(w, h, longest int) (int, int) {
	long := max(w, h)
	if long <= longest {
		return w, h
	}
	return max(w*longest/long, 1), max(h*longest/long, 1)
}

// chromaSize returns the size of the chroma planes of a picture that begins at 0,0.
func chromaSize(img *image.YCbCr) (w, h int) {
	w, h = img.Rect.Dx(), img.Rect.Dy()
	switch img.SubsampleRatio {
	case image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420:
		w = (w + 1) / 2
	case image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410:
		w = (w + 3) / 4
	}
	switch img.SubsampleRatio {
	case image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio410:
		h = (h + 1) / 2
	}
	return w, h
}

// convert passes the rows of a picture in another colour model to the shrinkers.
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

// rgb returns one pixel. It has fast paths for the types that image/jpeg returns.
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

// shrinker scales a plane down, row by row. A pixel on the border of two output pixels
// counts for both in proportion.
type shrinker struct {
	w, h    int // of the input
	out     []uint8
	outW    int
	outH    int
	sums    []int // of the current output row, times w*h
	missing int   // how much of the current output row is to come, of h
	line    []int // the current input row, scaled to outW, times w
}

// newShrinker returns a shrinker from w by h to outW by outH. A plane that is smaller
// than that is scaled up by repeating pixels.
func newShrinker(w, h int, out []uint8, outW, outH int) *shrinker {
	return &shrinker{w: w, h: h, out: out, outW: outW, outH: outH, sums: make([]int, outW), missing: h, line: make([]int, outW)}
}

// plane adds a whole plane.
func (s *shrinker) plane(pix []uint8, stride int) {
	for y := range s.h {
		s.row(pix[y*stride:][:s.w])
	}
}

// row adds the next row. Each of its w pixels has outW parts, and each pixel of out has
// w parts; rows have outH and h parts in the same way.
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

// emit adds the last part of an output row and writes the row.
func (s *shrinker) emit(part int) {
	area := s.w * s.h
	for x, v := range s.line {
		s.out[x] = uint8((s.sums[x] + v*part + area/2) / area)
		s.sums[x] = 0
	}
	s.out = s.out[s.outW:]
}

// upright returns the picture upright, given its EXIF orientation.
func (p *ycbcr) upright(orientation int) *ycbcr {
	if orientation == 1 {
		return p
	}
	w, h := p.Rect.Dx(), p.Rect.Dy()
	q := newYCbCr(w, h)
	if orientation >= 5 {
		q = newYCbCr(h, w)
	}
	copyUpright(p.Y, w, h, q.Y, orientation)
	copyUpright(p.Cb, (w+1)/2, (h+1)/2, q.Cb, orientation)
	copyUpright(p.Cr, (w+1)/2, (h+1)/2, q.Cr, orientation)
	return q
}

// copyUpright copies a plane of w by h with EXIF orientation o: 2 to 4 mirror the plane,
// 5 to 8 also swap rows and columns.
func copyUpright(from []uint8, w, h int, to []uint8, o int) {
	mirrored := o == 2 || o == 3 || o == 7 || o == 8 // the columns of from are
	flipped := o == 3 || o == 4 || o == 6 || o == 7  // the rows of from are
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

// padded returns the picture padded with grey to sides of at least least.
func (p *ycbcr) padded(least int) *ycbcr {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	if w >= least && h >= least {
		return p
	}
	q := newYCbCr(max(w, least), max(h, least))
	// The offset is even, so that chroma and luma stay aligned.
	left, top := (q.Rect.Dx()-w)/4*2, (q.Rect.Dy()-h)/4*2
	for y := range h {
		copy(q.Y[(top+y)*q.YStride+left:], p.Y[y*p.YStride:][:w])
	}
	for y := range (h + 1) / 2 {
		at := (top/2+y)*q.CStride + left/2
		copy(q.Cb[at:], p.Cb[y*p.CStride:][:(w+1)/2])
		copy(q.Cr[at:], p.Cr[y*p.CStride:][:(w+1)/2])
	}
	return q
}

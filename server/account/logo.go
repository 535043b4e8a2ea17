package account

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // for image.Decode, as the next two
	_ "image/jpeg"
	"image/png"
	"slices"

	"svc/server/fault"
	"svc/server/photo"
)

const (
	maxLogo     = 1 << 20 // bytes of a file
	maxLogoSide = 2048    // pixels of its picture, which bounds the memory of decoding at 32 MiB
	logoSide    = 256     // pixels of what is stored; pages show 56
	logoType    = "image/png"
)

// drawLogo decodes a picture from an untrusted file and draws it anew as a PNG of at most
// logoSide, so that nothing of the file itself reaches a browser: no metadata, no second
// format in the same bytes. SVG is refused, since it may carry scripts, and so is WebP.
func drawLogo(file []byte) ([]byte, error) {
	if len(file) > maxLogo {
		return nil, fault.Invalid("logo", fmt.Sprintf("must be at most %d KiB", maxLogo>>10)).Because(fmt.Errorf("%d bytes", len(file)))
	}
	head, format, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil || !slices.Contains([]string{"png", "jpeg", "gif"}, format) {
		return nil, fault.Invalid("logo", "must be a PNG, JPEG or GIF picture").Because(err)
	}
	if head.Width < 1 || head.Height < 1 || head.Width > maxLogoSide || head.Height > maxLogoSide {
		return nil, fault.Invalid("logo", fmt.Sprintf("must be at most %d pixels wide and high", maxLogoSide))
	}
	if format == "jpeg" { // a progressive one may take long
		if _, err := photo.Open(file); err != nil {
			return nil, fault.Invalid("logo", "must be a JPEG as cameras and browsers write it").Because(err)
		}
	}
	picture, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, fault.Invalid("logo", "is not a complete picture").Because(err)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, fitLogo(picture)); err != nil {
		return nil, errors.Join(errors.New("logo"), err)
	}
	return out.Bytes(), nil
}

// fitLogo draws a picture with sides of at most logoSide: each pixel is the mean of those
// that it replaces.
func fitLogo(from image.Image) image.Image {
	b := from.Bounds()
	long := max(b.Dx(), b.Dy(), logoSide)
	w, h := max(1, b.Dx()*logoSide/long), max(1, b.Dy()*logoSide/long)
	to := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			to.Set(x, y, mean(from, image.Rect(
				b.Min.X+x*b.Dx()/w, b.Min.Y+y*b.Dy()/h, b.Min.X+(x+1)*b.Dx()/w, b.Min.Y+(y+1)*b.Dy()/h)))
		}
	}
	return to
}

// mean returns the mean colour of a part of a picture, which is not empty.
func mean(p image.Image, part image.Rectangle) color.Color {
	var r, g, b, a, n uint64
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			pr, pg, pb, pa := p.At(x, y).RGBA() // with the alpha in it
			r, g, b, a, n = r+uint64(pr), g+uint64(pg), b+uint64(pb), a+uint64(pa), n+1
		}
	}
	return color.RGBA64{uint16(r / n), uint16(g / n), uint16(b / n), uint16(a / n)}
}

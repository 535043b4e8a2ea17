package barcode

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"
)

// scene describes a photo to draw: a code on a white label in front of a dark ground.
type scene struct {
	symbology   Symbology
	text        string
	w, h        int
	module      float64    // pixels
	height      float64    // of the bars, in modules
	angle       float64    // degrees clockwise
	at          [2]float64 // centre of the code, as shares of w and h
	dark, light float64    // brightness of the label
	blur        int        // reach of a box blur that is applied twice
	noise       float64    // standard deviation of the brightness
	shadow      float64    // how much darker the right edge is, 0 to 1
}

// label returns a scene with one code in good light.
func label(symbology Symbology, text string) scene {
	return scene{
		symbology: symbology, text: text, w: 640, h: 480, module: 3, height: 50,
		at: [2]float64{0.5, 0.5}, dark: 30, light: 225,
	}
}

func (s scene) sized(w, h int) scene            { s.w, s.h = w, h; return s }
func (s scene) turned(angle float64) scene      { s.angle = angle; return s }
func (s scene) small(module float64) scene      { s.module = module; return s }
func (s scene) moved(x, y float64) scene        { s.at = [2]float64{x, y}; return s }
func (s scene) shaded(by float64) scene         { s.shadow = by; return s }
func (s scene) blurred(reach int) scene         { s.blur = reach; return s }
func (s scene) flat(height float64) scene       { s.height = height; return s }
func (s scene) noisy(sigma float64) scene       { s.noise = sigma; return s }
func (s scene) toned(dark, light float64) scene { s.dark, s.light = dark, light; return s }

// photo draws the scenes into one picture of the size of the first.
func photo(t testing.TB, scenes ...scene) *image.Gray {
	t.Helper()
	first := scenes[0]
	light := make([]float64, first.w*first.h)
	for i := range light {
		light[i] = 90 + 10*math.Sin(float64(i%first.w)/25)
	}
	for _, s := range scenes {
		s.draw(t, light, first.w)
	}
	for range 2 {
		blur(light, first.w, first.blur)
	}

	random := rand.New(rand.NewPCG(1, 2))
	img := image.NewGray(image.Rect(0, 0, first.w, first.h))
	for i, v := range light {
		v *= 1 - first.shadow*float64(i%first.w)/float64(first.w)
		img.Pix[i] = uint8(min(max(v+first.noise*random.NormFloat64(), 0), 255))
	}
	return img
}

// draw draws the label, with 3 by 3 samples for each pixel.
func (s scene) draw(t testing.TB, light []float64, w int) {
	t.Helper()
	bits := s.encode(t)
	const quiet = 10
	bw, bh := float64(bits.GetWidth()), float64(bits.GetHeight())
	if bits.GetHeight() == 1 {
		bh = s.height
	}
	sin, cos := math.Sincos(s.angle * math.Pi / 180)
	for i := range light {
		sum := 0.0
		for n := range 9 {
			x := float64(i%w) + float64(n%3)/3 - s.at[0]*float64(w)
			y := float64(i/w) + float64(n/3)/3 - s.at[1]*float64(len(light)/w)
			u := (cos*x+sin*y)/s.module + bw/2
			v := (cos*y-sin*x)/s.module + bh/2
			switch {
			case u < -quiet || u > bw+quiet || v < -quiet || v > bh+quiet:
				sum += light[i]
			case u >= 0 && v >= 0 && v < bh && bits.Get(int(u), min(int(v), bits.GetHeight()-1)):
				sum += s.dark
			default:
				sum += s.light
			}
		}
		light[i] = sum / 9
	}
}

func (s scene) encode(t testing.TB) *gozxing.BitMatrix {
	t.Helper()
	var writer gozxing.Writer
	var format gozxing.BarcodeFormat
	switch s.symbology {
	case EAN13:
		writer, format = oned.NewEAN13Writer(), gozxing.BarcodeFormat_EAN_13
	case EAN8:
		writer, format = oned.NewEAN8Writer(), gozxing.BarcodeFormat_EAN_8
	case UPCA:
		writer, format = oned.NewUPCAWriter(), gozxing.BarcodeFormat_UPC_A
	case UPCE:
		writer, format = oned.NewUPCEWriter(), gozxing.BarcodeFormat_UPC_E
	case Code128:
		writer, format = oned.NewCode128Writer(), gozxing.BarcodeFormat_CODE_128
	case QR:
		writer, format = qrcode.NewQRCodeWriter(), gozxing.BarcodeFormat_QR_CODE
	case "ITF":
		writer, format = oned.NewITFWriter(), gozxing.BarcodeFormat_ITF
	case "Code 39":
		writer, format = oned.NewCode39Writer(), gozxing.BarcodeFormat_CODE_39
	case "Code 93":
		writer, format = oned.NewCode93Writer(), gozxing.BarcodeFormat_CODE_93
	case "Codabar":
		writer, format = oned.NewCodaBarWriter(), gozxing.BarcodeFormat_CODABAR
	}
	bits, err := writer.Encode(s.text, format, 0, 0, map[gozxing.EncodeHintType]any{gozxing.EncodeHintType_MARGIN: 0})
	if err != nil {
		t.Fatalf("draw %s %q: %v", s.symbology, s.text, err)
	}
	return bits
}

func blur(v []float64, w, reach int) {
	if reach == 0 {
		return
	}
	h := len(v) / w
	out := make([]float64, len(v))
	for i := range v {
		sum, n := 0.0, 0.0
		for y := max(i/w-reach, 0); y <= min(i/w+reach, h-1); y++ {
			for x := max(i%w-reach, 0); x <= min(i%w+reach, w-1); x++ {
				sum, n = sum+v[y*w+x], n+1
			}
		}
		out[i] = sum / n
	}
	copy(v, out)
}

// enlarged returns img in another size, with nearest-neighbour sampling.
func enlarged(img *image.Gray, w, h int) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, w, h))
	for i := range out.Pix {
		x, y := i%w*img.Rect.Dx()/w, i/w*img.Rect.Dy()/h
		out.Pix[i] = img.Pix[y*img.Stride+x]
	}
	return out
}

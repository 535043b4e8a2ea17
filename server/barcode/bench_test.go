package barcode

import (
	"image"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"

	"svc/server/datatest"
)

// BenchmarkRead reads photos of 2 megapixels, which F2 bounds to 300 ms on one core.
// ns/op is by the clock; the other figures use CPU time, which other processes do not
// change: ms/op, ns/step, and the time as a multiple of gozxing's own reading of the
// same photo.
func BenchmarkRead(b *testing.B) {
	const w, h = 1632, 1224
	code := label(EAN13, "4006381333931").sized(w, h).small(4)
	print := enlarged(loadGray(b, datatest.Path(b, "photos/nothing.jpg")), w, h)
	for _, bench := range []struct {
		name string
		img  *image.Gray
	}{
		{"Plain", photo(b, code)},
		{"Slanted", photo(b, code.turned(30))},
		{"Blurred", photo(b, code.blurred(2))},
		{"Nothing", print},
		{"Noise", photo(b, code.small(0.1).noisy(60))},
	} {
		b.Run(bench.name, func(b *testing.B) {
			steps, start := 0, coreTime(b)
			for b.Loop() {
				r := newReader(b.Context(), bench.img, int(budget.Seconds()*stepsPerSecond))
				before := r.left
				r.run(attempts)
				steps += before - r.left
			}
			took := coreTime(b) - start
			start = coreTime(b)
			for range b.N {
				plainPass(b, bench.img)
			}
			plain := coreTime(b) - start

			b.ReportMetric(float64(took.Microseconds())/1000/float64(b.N), "core-ms/op")
			b.ReportMetric(float64(took.Nanoseconds())/float64(steps), "ns/step")
			b.ReportMetric(float64(took)/float64(plain), "plain-passes")
		})
	}
}

// plainPass reads the photo with gozxing's readers as they are documented.
func plainPass(b *testing.B, img *image.Gray) {
	b.Helper()
	source, err := gozxing.NewPlanarYUVLuminanceSource(img.Pix, img.Rect.Dx(), img.Rect.Dy(), 0, 0, img.Rect.Dx(), img.Rect.Dy(), false)
	if err != nil {
		b.Fatal(err)
	}
	bitmap, err := gozxing.NewBinaryBitmap(gozxing.NewHybridBinarizer(source))
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range []gozxing.Reader{oned.NewMultiFormatUPCEANReader(nil), oned.NewCode128Reader(), qrcode.NewQRCodeReader()} {
		if _, err := r.DecodeWithoutHints(bitmap); err == nil {
			return
		}
	}
}

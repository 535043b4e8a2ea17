package barcode

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/makiuchi-d/gozxing"

	"svc/server/datatest"
)

// plenty is more steps than all attempts take on any photo of these tests.
const plenty = 100_000_000

var drawings = []scene{
	label(EAN13, "4006381333931"),
	label(EAN8, "96385074"),
	label(UPCA, "036000291452"),
	label(UPCE, "04252614"),
	label(Code128, "LOT-0042").small(2.5),
	label(QR, "https://example.com/p?id=42"),
}

// expectSure checks that read returns only the code of s, and that it is sure.
func expectSure(t *testing.T, s scene, img *image.Gray) {
	t.Helper()
	want := []Code{{Text: s.text, Symbology: s.symbology, Sure: true}}
	if got := read(t.Context(), img, plenty); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestReadDrawings(t *testing.T) {
	for _, s := range drawings {
		t.Run(string(s.symbology), func(t *testing.T) {
			for name, s := range map[string]scene{
				"Plain":       s,
				"Quarter":     s.turned(90),
				"UpsideDown":  s.turned(180),
				"Slanted30":   s.turned(30),
				"Slanted100":  s.turned(100),
				"Slanted231":  s.turned(231),
				"Small":       s.small(2).moved(0.3, 0.7),
				"Large":       s.sized(1632, 1224).small(7),
				"SmallOnMany": s.sized(1632, 1224).small(2.5).moved(0.3, 0.6),
				"FewTones":    s.toned(100, 140),
				"Shadow":      s.shaded(0.8),
				"Noise":       s.noisy(20),
				"Blurred":     s.blurred(1),
			} {
				t.Run(name, func(t *testing.T) { expectSure(t, s, photo(t, s)) })
			}
		})
	}
}

// The photos are so blurred that bars of one module are almost invisible.
func TestReadOutOfFocus(t *testing.T) {
	for _, s := range drawings[:5] {
		s = s.small(4).sized(800, 600).blurred(2)
		t.Run(string(s.symbology), func(t *testing.T) { expectSure(t, s, photo(t, s)) })
	}
}

func TestReadPhotos(t *testing.T) {
	tests := []struct {
		file string
		want []Code
	}{
		{"ean13", []Code{{"9781585730575", EAN13, true}}},
		{"ean8", []Code{{"12345670", EAN8, true}}},
		{"upca", []Code{{"312547701310", UPCA, true}}},
		{"upca-crumpled", []Code{{"854818000116", UPCA, true}}},
		{"upce-can", []Code{{"04965802", UPCE, true}}},
		{"qr", []Code{{"MECARD:N:Sean Owen;TEL:+12125658770;EMAIL:srowen@google.com;;", QR, true}}},
		{"nothing", nil},
	}
	for _, test := range tests {
		img := loadGray(t, datatest.Path(t, "photos/"+test.file+".jpg"))
		for quarter := range 4 {
			t.Run(fmt.Sprintf("%s at %d", test.file, 90*quarter), func(t *testing.T) {
				if got := read(t.Context(), img, plenty); !slices.Equal(got, test.want) {
					t.Errorf("got %v, want %v", got, test.want)
				}
			})
			img = turned(img)
		}
	}
}

func TestReadReturnsAllCodes(t *testing.T) {
	t.Run("ProductCodeBesideEasierQR", func(t *testing.T) {
		ean, qr := label(EAN13, "4006381333931").turned(60).moved(0.3, 0.4).small(2).flat(25), label(QR, "https://example.com").moved(0.75, 0.6)
		got := read(t.Context(), photo(t, ean, qr), plenty)
		want := []Code{{ean.text, EAN13, true}, {qr.text, QR, true}}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("TwoProducts", func(t *testing.T) {
		a, b := label(EAN13, "4006381333931").moved(0.5, 0.25), label(EAN8, "96385074").moved(0.5, 0.75)
		got := read(t.Context(), photo(t, a, b), plenty)
		want := []Code{{a.text, EAN13, true}, {b.text, EAN8, true}}
		slices.SortFunc(got, func(a, b Code) int { return len(b.Text) - len(a.Text) })
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// Codes of other symbologies, and incomplete ones, must not be misread.
func TestReadIgnoresOtherSymbologies(t *testing.T) {
	for _, s := range []scene{
		label("ITF", "04006381333931"),
		label("Code 39", "4006381333931").small(1.5),
		label("Code 93", "4006381333931").small(2),
		label("Codabar", "A4006381333931B").small(2),
	} {
		for _, angle := range []float64{0, 30, 90, 135} {
			if got := read(t.Context(), photo(t, s.turned(angle)), plenty); got != nil {
				t.Errorf("%s at %v°: got %v, want none", s.symbology, angle, got)
			}
		}
	}
	for name, s := range map[string]scene{
		"NoCheckDigit": label(EAN13, "4006381333931").small(0.5),
		"CutInHalf":    label(EAN13, "4006381333931").moved(0, 0.5),
	} {
		if got := read(t.Context(), photo(t, s), plenty); got != nil {
			t.Errorf("%s: got %v, want none", name, got)
		}
	}
}

func TestReadOddImages(t *testing.T) {
	s := label(EAN13, "4006381333931")
	img := photo(t, s)
	wide := image.NewGray(image.Rect(-10, -20, 700, 500))
	for y := range 480 {
		copy(wide.Pix[wide.PixOffset(0, y):], img.Pix[y*img.Stride:][:640])
	}
	t.Run("SubImage", func(t *testing.T) { expectSure(t, s, wide.SubImage(img.Rect).(*image.Gray)) })

	for name, img := range map[string]*image.Gray{
		"Nil":   nil,
		"Empty": image.NewGray(image.Rectangle{}),
		"Pixel": image.NewGray(image.Rect(0, 0, 1, 1)),
		"Line":  image.NewGray(image.Rect(0, 0, 2000, 1)),
		"Least": image.NewGray(image.Rect(0, 0, minSide, minSide)),
		"Strip": image.NewGray(image.Rect(0, 0, minSide, 3000)),
		// These are too narrow to be halved until their longest side is short.
		"Ribbon":      image.NewGray(image.Rect(0, 0, 20_000, 30)),
		"Column":      image.NewGray(image.Rect(0, 0, 30, 20_000)),
		"RibbonTwice": image.NewGray(image.Rect(0, 0, 20_000, 2*minSide)),
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(t.Context(), img, plenty); got != nil {
				t.Errorf("got %v, want none", got)
			}
		})
	}
}

func TestReadKeepsToItsSteps(t *testing.T) {
	img := loadGray(t, datatest.Path(t, "photos/nothing.jpg"))
	for _, steps := range []int{0, 1000, 38_400, 100_000, 1_000_000, plenty} {
		r := newReader(t.Context(), img, steps)
		if r == nil {
			continue
		}
		r.run(attempts)
		if r.left < 0 {
			t.Errorf("%d steps: %d left", steps, r.left)
		}
		if steps == plenty && r.left == 0 {
			t.Error("all steps are used up; plenty is too small")
		}
	}
}

func TestReadStopsAtItsBudget(t *testing.T) {
	easy := photo(t, drawings[0])
	t.Run("None", func(t *testing.T) {
		if got := Read(t.Context(), easy, 0); got != nil {
			t.Errorf("got %v, want none", got)
		}
	})
	t.Run("Enough", func(t *testing.T) {
		if got := Read(t.Context(), easy, time.Minute); len(got) != 1 {
			t.Errorf("got %v, want one code", got)
		}
	})
	t.Run("EndedContext", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got := Read(ctx, easy, time.Minute); got != nil {
			t.Errorf("got %v, want none", got)
		}
	})
	t.Run("MoreStepsReadMore", func(t *testing.T) {
		hard := photo(t, drawings[0].turned(45))
		var was []Code
		for steps := 1 << 10; steps <= 1<<22; steps *= 2 {
			got := read(t.Context(), hard, steps)
			if again := read(t.Context(), hard, steps); !slices.Equal(got, again) {
				t.Errorf("%d steps: got %v, then %v", steps, got, again)
			}
			if len(got) < len(was) {
				t.Errorf("%d steps: got %v, fewer steps got %v", steps, got, was)
			}
			was = got
		}
		if len(was) != 1 || read(t.Context(), hard, 1<<16) != nil {
			t.Errorf("got %v, want the slanted code, and only with more than 1<<16 steps", was)
		}
	})
	t.Run("AllAttemptsFor2Megapixels", func(t *testing.T) {
		img := enlarged(loadGray(t, datatest.Path(t, "photos/nothing.jpg")), 1632, 1224)
		r := newReader(t.Context(), img, int(budget.Seconds()*stepsPerSecond))
		r.run(attempts)
		if r.left == 0 {
			t.Error("the budget ends before the last attempt")
		}
		t.Logf("%d of %d steps are left", r.left, int(budget.Seconds()*stepsPerSecond))
	})
}

// A picture made of finder patterns would keep gozxing busy for hours.
func TestReadRefusesManyFinderPatterns(t *testing.T) {
	const module, pitch = 2, 20
	img := image.NewGray(image.Rect(0, 0, 1000, 1000))
	for i := range img.Pix {
		x, y := i%1000%pitch/module, i/1000%pitch/module
		ring := max(max(x, 6-x), max(y, 6-y)) // 6: the outer ring, 5: the light one
		if x > 6 || y > 6 || ring == 5 {
			img.Pix[i] = 255
		}
	}
	start := time.Now()
	for _, by := range []binarizer{histogram, local} {
		readQR(newRaster(img), by)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestReadConcurrently(t *testing.T) {
	var all sync.WaitGroup
	for _, s := range drawings {
		img := photo(t, s)
		all.Go(func() { expectSure(t, s, img) })
	}
	all.Wait()
}

// broken is a decoder that panics.
type broken struct{}

func (broken) DecodeRow(int, *gozxing.BitArray, map[gozxing.DecodeHintType]any) (*gozxing.Result, error) {
	panic("index out of range")
}

func TestReadSurvivesAPanic(t *testing.T) {
	r := newReader(t.Context(), photo(t, drawings[1]), plenty)
	r.linear.layouts[0].reader = broken{}
	r.linear.code128 = broken{}
	r.run(attempts)
	if got := r.results.codes(); len(got) != 1 || got[0].Text != drawings[1].text {
		t.Errorf("broken decoders of EAN-13 and Code 128: got %v, want the EAN-8 only", got)
	}

	r = newReader(t.Context(), photo(t, drawings[0]), plenty)
	r.linear.layouts[0].reader = broken{}
	r.run(attempts)
	if got := r.results.codes(); got != nil {
		t.Errorf("got %v, want none", got)
	}
}

func TestCode128TextIsUTF8(t *testing.T) {
	if got, want := fromLatin1("caf\xe9 \x00"), "café \x00"; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// FuzzRead reads a strip whose rows are all equal, which covers all the code that reads
// lines.
func FuzzRead(f *testing.F) {
	for _, s := range drawings[:5] {
		img := photo(f, s.sized(320, 50).small(1.6))
		f.Add(img.Pix[25*img.Stride:][:320])
	}
	f.Add(bytes.Repeat([]byte{0, 255}, 100))
	f.Fuzz(func(t *testing.T, row []byte) {
		if len(row) > 1000 {
			t.Skip("longer than any code")
		}
		img := &image.Gray{Pix: bytes.Repeat(row, minSide), Stride: len(row), Rect: image.Rect(0, 0, len(row), minSide)}
		for _, c := range read(t.Context(), img, 200_000) {
			if c.Text == "" || !utf8.ValidString(c.Text) {
				t.Errorf("got text %q, want valid UTF-8", c.Text)
			}
			if _, ok := c.GTIN(); c.Symbology.isProduct() && !ok && strings.Trim(c.Text, "0") != "" {
				t.Errorf("%v has no GTIN", c)
			}
		}
	})
}

package photo

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"svc/server/datatest"
)

func encode(file []byte) string { return base64.StdEncoding.EncodeToString(file) }

// picture returns img as a JPEG.
func picture(t testing.TB, img image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// toned returns a picture with the same brightness everywhere.
func toned(w, h int, y uint8) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = y
	}
	return img
}

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	return datatest.Read(t, "jpeg/"+name)
}

// decode decodes a photo in base64.
func decode(ctx context.Context, text string) (*Photo, error) {
	upload, err := OpenText(text)
	if err != nil {
		return nil, err
	}
	return upload.Decode(ctx)
}

func mustDecode(t testing.TB, file []byte) *Photo {
	t.Helper()
	p, err := decode(t.Context(), encode(file))
	if err != nil {
		t.Fatalf("Decode: %v", err)
	}
	return p
}

// refuses checks that decode returns an *Error with this problem.
func refuses(t *testing.T, text, problem string) {
	t.Helper()
	p, err := decode(t.Context(), text)
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("Decode = %v, %v; want an *Error", p, err)
	}
	if e.Problem != problem {
		t.Errorf("problem %q, want %q (%v)", e.Problem, problem, e.Err)
	}
}

func TestCheckRefusesOtherCharacters(t *testing.T) {
	const raw, uri = problemBase64, problemDataURI
	tests := []struct{ name, text, problem string }{
		{"Padded", "/9j/4A==", ""},
		{"NotPadded", "/9j/4A", ""},
		{"Whole", "/9j/4AAQ", ""},
		{"Plus", "+9j/4AAQ", ""},
		{"Empty", "", raw},
		{"PaddingAlone", "==", raw},
		{"DataURI", "data:image/jpeg;base64,/9j/4AAQ", uri},
		{"DataURIInCapitals", "DATA:image/jpeg;base64,/9j/4AAQ", uri},
		{"URLAlphabet", "_9j-4AAQ", raw},
		{"LineBreak", "/9j/\n4AAQ", raw},
		{"CarriageReturn", "/9j/\r\n4AAQ", raw},
		{"LineBreakAtTheEnd", "/9j/4AAQ\n", raw},
		{"Space", "/9j/ 4AAQ", raw},
		{"PaddingInside", "/9j=4AAQ", raw},
		{"NotASCII", "/9jé4AAQ", raw},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := Check(test.text)
			if test.problem == "" {
				if err != nil {
					t.Errorf("got %v, want no error", err)
				}
				return
			}
			if e, ok := errors.AsType[*Error](err); !ok || e.Problem != test.problem {
				t.Errorf("got %v, want %q", err, test.problem)
			}
			refuses(t, test.text, test.problem)
		})
	}
}

// Check accepts incomplete base64, which is enough for a test key (F6).
func TestOpenTextRefusesIncompleteBase64(t *testing.T) {
	for name, text := range map[string]string{
		"OneTooMany": "/9j/4", "HalfPadded": "/9j/4A=", "TooMuchPadding": "/9j/4===", "PaddingAfterWhole": "/9j/4AAQ====",
	} {
		t.Run(name, func(t *testing.T) {
			if err := Check(text); err != nil {
				t.Errorf("Check = %v, want no error", err)
			}
			refuses(t, text, problemLength)
		})
	}
}

func TestDecodeAcceptsWithAndWithoutPadding(t *testing.T) {
	file := picture(t, toned(70, 70, 100))
	for len(file)%3 != 1 {
		file = append(file, 0) // after the end of the picture
	}
	for _, text := range []string{encode(file), strings.TrimRight(encode(file), "=")} {
		if _, err := decode(t.Context(), text); err != nil {
			t.Errorf("got %v, want no error", err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	whole := picture(t, toned(100, 100, 100))
	tests := []struct {
		name    string
		file    []byte
		problem string
	}{
		{"PNG", []byte("\x89PNG\r\n\x1a\n0000"), problemJPEG},
		{"Text", []byte("this is a photo, honestly"), problemJPEG},
		{"TwoBytes", []byte{0xff, 0xd8}, problemJPEG},
		{"StartOnly", []byte{0xff, 0xd8, 0xff}, problemIncomplete},
		{"TooLarge", append(whole, make([]byte, MaxBytes)...), problemBytes},
		{"TooLargeAndNoJPEG", make([]byte, MaxBytes+1), problemBytes},
		{"HeaderOnly", whole[:200], problemIncomplete},
		{"HalfOfThePixels", whole[:len(whole)/2+200], problemIncomplete},
		{"NoEnd", whole[:len(whole)-2], problemIncomplete},
		{"Bomb", claiming(whole, 65535, 65535), problemPixels},
		{"JustTooMany", claiming(whole, 8000, 5001), problemPixels},
		{"NoWidth", claiming(whole, 0, 100), problemIncomplete},
		{"NoHeight", claiming(whole, 100, 0), problemIncomplete},
		{"LargerThanItsPixels", claiming(whole, 8000, 5000), problemIncomplete},
		{"Lossless", framed(whole, 0xc3), problemKind},
		{"Arithmetic", framed(whole, 0xc9), problemKind},
		{"TwelveBits", precise(whole, 12), problemKind},
		{"ProgressiveOfGreatMemory", claiming(framed(testdata(t, "444.jpeg"), markerSOF2), 8000, 5000), problemCostly},
		{"ProgressiveOf40Megapixels", claiming(testdata(t, "progressive.jpeg"), 8000, 5000), problemCostly},
		{"ThousandsOfScans", scanned(testdata(t, "progressive.jpeg"), 100_000), problemCostly},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { refuses(t, encode(test.file), test.problem) })
	}
}

// frameOf returns the file from its frame header on, without the marker and length.
func frameOf(file []byte) []byte {
	for _, marker := range []byte{0xc0, 0xc2} {
		if at := bytes.Index(file, []byte{0xff, marker}); at > 0 {
			return file[at+4:]
		}
	}
	panic("no frame")
}

// claiming returns the file with another size in its header.
func claiming(file []byte, w, h uint16) []byte {
	file = bytes.Clone(file)
	f := frameOf(file)
	binary.BigEndian.PutUint16(f[1:], h)
	binary.BigEndian.PutUint16(f[3:], w)
	return file
}

// framed returns the file with another kind of frame in its header.
func framed(file []byte, marker byte) []byte {
	file = bytes.Clone(file)
	at := len(file) - len(frameOf(file)) - 4
	file[at+1] = marker
	return file
}

// precise returns the file with another sample precision in its header.
func precise(file []byte, bits byte) []byte {
	file = bytes.Clone(file)
	frameOf(file)[0] = bits
	return file
}

// scanned returns the file with more scans, each without data.
func scanned(file []byte, more int) []byte {
	at := bytes.Index(file, []byte{0xff, markerSOS})
	scan := []byte{0xff, markerSOS, 0, 8, 1, 1, 0, 1, 63, 0}
	out := append([]byte{}, file[:at]...)
	for range more {
		out = append(out, scan...)
	}
	return append(out, file[at:]...)
}

func TestDecodeRefusesBombsBeforeAllocating(t *testing.T) {
	whole := picture(t, toned(100, 100, 100))
	for name, file := range map[string][]byte{
		"Pixels": claiming(whole, 65535, 65535),
		"Memory": claiming(framed(testdata(t, "444.jpeg"), markerSOF2), 8000, 5000),
	} {
		text := encode(file)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		decode(t.Context(), text)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%s: allocated %d bytes, want at most 1 MiB", name, took)
		}
	}
}

// The pixels must equal those of image/jpeg, on average.
func TestDecodeKeepsPixelsOfEachKind(t *testing.T) {
	for _, name := range []string{"444", "progressive", "410", "411", "422", "440", "cmyk", "rgb", "gray"} {
		t.Run(name, func(t *testing.T) {
			file := testdata(t, name+".jpeg")
			want, err := jpeg.Decode(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			got := mustDecode(t, file).picture
			if got.Rect != want.Bounds() {
				t.Fatalf("size %v, want %v", got.Rect, want.Bounds())
			}
			var off [3]float64
			for y := range got.Rect.Dy() {
				for x := range got.Rect.Dx() {
					a, b := got.YCbCrAt(x, y), color.YCbCrModel.Convert(want.At(x, y)).(color.YCbCr)
					off[0] += math.Abs(float64(a.Y) - float64(b.Y))
					off[1] += math.Abs(float64(a.Cb) - float64(b.Cb))
					off[2] += math.Abs(float64(a.Cr) - float64(b.Cr))
				}
			}
			for i, most := range []float64{0.1, 6, 6} {
				if d := off[i] / float64(len(got.Y)); d > most {
					t.Errorf("plane %d: mean difference %.2f, want at most %v", i, d, most)
				}
			}
		})
	}
	t.Run("YCCK", func(t *testing.T) {
		file := testdata(t, "cmyk.jpeg")
		adobe := bytes.Index(file, []byte("Adobe"))
		file[adobe+11] = 2 // the transform: YCCK instead of CMYK
		mustDecode(t, file)
	})
}

// difference returns the mean absolute difference of two planes.
func difference(a, b []uint8) float64 {
	sum := 0
	for i := range a {
		sum += max(int(a[i])-int(b[i]), int(b[i])-int(a[i]))
	}
	return float64(sum) / float64(len(a))
}

func TestDecodeKeepsColours(t *testing.T) {
	for name, want := range map[string]color.RGBA{
		"Red":   {200, 30, 40, 255},
		"Green": {20, 180, 60, 255},
		"Blue":  {10, 40, 190, 255},
	} {
		img := image.NewRGBA(image.Rect(0, 0, 3000, 200))
		for i := range img.Pix {
			img.Pix[i] = [4]uint8{want.R, want.G, want.B, 255}[i%4]
		}
		file, err := mustDecode(t, picture(t, img)).JPEG(512, 90)
		if err != nil {
			t.Fatal(err)
		}
		out, err := jpeg.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		// 512 by 34 pixels, padded to 512 by 64.
		got := color.RGBAModel.Convert(out.At(256, 32)).(color.RGBA)
		if d := difference([]uint8{got.R, got.G, got.B}, []uint8{want.R, want.G, want.B}); d > 4 {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// sides has, for each EXIF orientation, the sides of the upright picture that the first
// row and the first column of the file show.
var sides = map[int][2]string{
	1: {"top", "left"}, 2: {"top", "right"}, 3: {"bottom", "right"}, 4: {"bottom", "left"},
	5: {"left", "top"}, 6: {"right", "top"}, 7: {"right", "bottom"}, 8: {"left", "bottom"},
}

// stored returns an upright picture as a file with orientation o stores it.
func stored(upright *image.Gray, o int) *image.Gray {
	w, h := upright.Rect.Dx(), upright.Rect.Dy()
	from := func(side string, n int) int {
		switch side {
		case "right":
			return w - 1 - n
		case "bottom":
			return h - 1 - n
		}
		return n
	}
	row, column := sides[o][0], sides[o][1]
	if row == "top" || row == "bottom" {
		out := image.NewGray(image.Rect(0, 0, w, h))
		for i := range out.Pix {
			out.Pix[i] = upright.GrayAt(from(column, i%w), from(row, i/w)).Y
		}
		return out
	}
	out := image.NewGray(image.Rect(0, 0, h, w))
	for i := range out.Pix {
		out.Pix[i] = upright.GrayAt(from(row, i/h), from(column, i%h)).Y
	}
	return out
}

// withEXIF returns the file with an EXIF orientation.
func withEXIF(file []byte, o uint16, order binary.AppendByteOrder) []byte {
	tiff := []byte("MM\x00*")
	if order == binary.AppendByteOrder(binary.LittleEndian) {
		tiff = []byte("II*\x00")
	}
	tiff = order.AppendUint32(tiff, 8)
	tiff = order.AppendUint16(tiff, 2)
	tiff = append(order.AppendUint16(order.AppendUint16(tiff, 0x010f), 2), 0, 0, 0, 0, 0, 0, 0, 0) // the maker
	tiff = order.AppendUint16(order.AppendUint16(tiff, tagOrientation), typeShort)
	tiff = order.AppendUint16(order.AppendUint32(tiff, 1), o)
	tiff = append(tiff, 0, 0, 0, 0, 0, 0)
	return withSegment(file, append([]byte("Exif\x00\x00"), tiff...))
}

// withSegment returns the file with an APP1 segment at its beginning.
func withSegment(file, body []byte) []byte {
	segment := binary.BigEndian.AppendUint16([]byte{0xff, markerAPP1}, uint16(len(body)+2))
	return append(append(append([]byte{}, file[:2]...), append(segment, body...)...), file[2:]...)
}

func TestDecodeAppliesOrientation(t *testing.T) {
	upright := image.NewGray(image.Rect(0, 0, 97, 64)) // an odd side, so that chroma is rounded up
	for i := range upright.Pix {
		upright.Pix[i] = uint8(40 + i%97 + i/97/8*12)
	}
	for o := 1; o <= 8; o++ {
		for name, order := range map[string]binary.AppendByteOrder{"Motorola": binary.BigEndian, "Intel": binary.LittleEndian} {
			got := mustDecode(t, withEXIF(picture(t, stored(upright, o)), uint16(o), order)).Luminance()
			if got.Rect != upright.Rect {
				t.Errorf("orientation %d, %s: size %v, want %v", o, name, got.Rect, upright.Rect)
			} else if d := difference(got.Pix, upright.Pix); d > 2 {
				t.Errorf("orientation %d, %s: mean difference %.1f, want at most 2", o, name, d)
			}
		}
	}
}

func TestDecodeAppliesOrientationToColours(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 90, 64)) // its left third is red
	for i := 0; i < len(img.Pix); i += 4 {
		img.Pix[i], img.Pix[i+3] = 255, 255
		if i/4%90 >= 30 {
			img.Pix[i+1], img.Pix[i+2] = 255, 255
		}
	}
	p := mustDecode(t, withEXIF(picture(t, img), 6, binary.BigEndian)) // now its top third
	for y, red := range map[int]bool{15: true, 75: false} {
		if c := p.picture.YCbCrAt(32, y); (c.Cr > 200) != red {
			t.Errorf("row %d: got %v, want red %v", y, c, red)
		}
	}
}

func TestDecodeIgnoresInvalidEXIF(t *testing.T) {
	file := picture(t, toned(80, 70, 100))
	good := withEXIF(file, 6, binary.BigEndian)
	at := bytes.Index(good, []byte("MM\x00*"))
	broken := func(offset int, b ...byte) []byte {
		out := bytes.Clone(good)
		copy(out[at+offset:], b)
		return out
	}
	for name, file := range map[string][]byte{
		"Orientation0":     withEXIF(file, 0, binary.BigEndian),
		"Orientation9":     withEXIF(file, 9, binary.BigEndian),
		"NoByteOrder":      broken(0, 'X', 'X'),
		"DirectoryOutside": broken(4, 0xff, 0xff, 0xff, 0xff),
		"DirectoryAtEnd":   broken(4, 0, 0, 0, 37),
		"AnotherType":      broken(24, 0, 4),
		"Empty":            withSegment(file, []byte("Exif\x00\x00")),
		"OrderOnly":        withSegment(file, []byte("Exif\x00\x00MM\x00*")),
		"NoEntries":        withSegment(file, []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\xff\xff")),
		"XMP":              withSegment(file, []byte("http://ns.adobe.com/xap/1.0/\x00<x/>")),
	} {
		if got := mustDecode(t, file).Luminance().Rect; got != image.Rect(0, 0, 80, 70) {
			t.Errorf("%s: size %v, want 80 by 70", name, got)
		}
	}
	// The first segment counts; that of a thumbnail may follow.
	twice := withEXIF(withEXIF(file, 1, binary.BigEndian), 6, binary.LittleEndian)
	if got := mustDecode(t, twice).Luminance().Rect; got != image.Rect(0, 0, 70, 80) {
		t.Errorf("two segments: size %v, want 70 by 80", got)
	}
}

func TestDecodeShrinksToWorkingSide(t *testing.T) {
	tests := []struct {
		w, h  int
		wantW int
		wantH int
	}{
		{2048, 100, 2048, 100},
		{2049, 100, 2048, 99},
		{3000, 4000, 1536, 2048},
		{20000, 3, 2048, 1},
		{1, 1, 1, 1},
	}
	for _, test := range tests {
		got := mustDecode(t, picture(t, toned(test.w, test.h, 77))).Luminance()
		if got.Rect != image.Rect(0, 0, test.wantW, test.wantH) || len(got.Pix) != test.wantW*test.wantH {
			t.Errorf("%d by %d: got %v, want %d by %d", test.w, test.h, got.Rect, test.wantW, test.wantH)
		}
		if d := difference(got.Pix, toned(test.wantW, test.wantH, 77).Pix); d > 1 {
			t.Errorf("%d by %d: brightness differs by %.1f, want at most 1", test.w, test.h, d)
		}
	}
}

// Pixels on a border count in proportion.
func TestShrinkAveragesAreas(t *testing.T) {
	for name, size := range map[string][4]int{"Across": {5, 1, 2, 1}, "Down": {1, 5, 1, 2}} {
		out := make([]uint8, 2)
		newShrinker(size[0], size[1], out, size[2], size[3]).plane([]uint8{10, 20, 30, 40, 50}, size[0])
		if want := []uint8{18, 42}; !bytes.Equal(out, want) {
			t.Errorf("%s: got %v, want %v", name, out, want)
		}
	}
	out := make([]uint8, 4)
	newShrinker(3, 3, out, 2, 2).plane([]uint8{0, 90, 0, 90, 90, 90, 0, 90, 180}, 3)
	// (0·4 + 90·2 + 90·2 + 90·1) / 9, and so on for the other corners.
	if want := []uint8{50, 50, 50, 130}; !bytes.Equal(out, want) {
		t.Errorf("both: got %v, want %v", out, want)
	}
}

// Bars of 3 pixels keep their distances, and none gets lost.
func TestShrinkKeepsBars(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 4000, 8))
	for i := range img.Pix {
		img.Pix[i] = uint8(i % 4000 / 3 % 2 * 255)
	}
	row := shrink(img, 2400).Y[:2400] // 1.8 pixels per bar
	changes := 0
	for x := 1; x < len(row); x++ {
		if (row[x] < 128) != (row[x-1] < 128) {
			changes++
		}
	}
	if changes != 4000/3 {
		t.Errorf("got %d edges, want %d", changes, 4000/3)
	}
	mean := 0
	for _, v := range row {
		mean += int(v)
	}
	if mean /= len(row); mean < 126 || mean > 129 {
		t.Errorf("mean brightness %d, want 126 to 129", mean)
	}
}

func TestJPEGFitsAndPads(t *testing.T) {
	tests := []struct {
		w, h, longest int
		want          image.Point
	}{
		{1000, 500, 512, image.Pt(512, 256)},
		{500, 1000, 512, image.Pt(256, 512)},
		{300, 200, 512, image.Pt(300, 200)},
		{1000, 20, 512, image.Pt(512, 64)},
		{20, 1000, 512, image.Pt(64, 512)},
		{1, 1, 512, image.Pt(64, 64)},
		{65, 63, 512, image.Pt(65, 64)},
		{300, 200, 10, image.Pt(64, 64)},
	}
	for _, test := range tests {
		file, err := mustDecode(t, picture(t, toned(test.w, test.h, 250))).JPEG(test.longest, 80)
		if err != nil {
			t.Fatal(err)
		}
		img, err := jpeg.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if got := img.Bounds().Size(); got != test.want {
			t.Errorf("%d by %d: got %v, want %v", test.w, test.h, got, test.want)
		}
		if y := color.GrayModel.Convert(img.At(test.want.X/2, test.want.Y/2)).(color.Gray).Y; test.w > 1 && y < 235 {
			t.Errorf("%d by %d: brightness %d in the middle, want at least 235", test.w, test.h, y)
		}
	}
}

func TestJPEGIsLargerAtHigherQuality(t *testing.T) {
	p := mustDecode(t, testdata(t, "444.jpeg"))
	low, err := p.JPEG(512, 30)
	if err != nil {
		t.Fatal(err)
	}
	high, err := p.JPEG(512, 95)
	if err != nil {
		t.Fatal(err)
	}
	if len(low) >= len(high) {
		t.Errorf("%d bytes at quality 30, %d at 95, want more at 95", len(low), len(high))
	}
}

// endingContext ends after a number of calls of Err.
type endingContext struct {
	context.Context
	calls int
}

func (c *endingContext) Err() error {
	if c.calls--; c.calls < 0 {
		return context.Canceled
	}
	return nil
}

func TestDecodeStopsWithItsContext(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 800, 800))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * i >> 3)
	}
	ctx := &endingContext{t.Context(), 3}
	p, err := decode(ctx, encode(picture(t, img)))
	if _, ok := errors.AsType[*Error](err); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, %v; want context.Canceled", p, err)
	}
}

func TestErrorNamesProblemAndCause(t *testing.T) {
	cause := errors.New("short Huffman data")
	e := &Error{Problem: problemIncomplete, Err: cause}
	if got, want := e.Error(), "photo is not a complete JPEG: short Huffman data"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !errors.Is(e, cause) {
		t.Error("errors.Is does not find the cause")
	}
	if got, want := (&Error{Problem: problemJPEG}).Error(), "photo must be a JPEG"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzDecode(f *testing.F) {
	names, err := filepath.Glob(filepath.Join(datatest.Path(f, "jpeg"), "*.jpeg"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		f.Add(testdata(f, filepath.Base(name)))
	}
	f.Add(withEXIF(picture(f, toned(20, 10, 3)), 7, binary.LittleEndian))
	f.Fuzz(func(t *testing.T, file []byte) {
		if head, err := inspect(file); err == nil && head.width*head.height > 1_000_000 {
			t.Skip("slow")
		}
		p, err := decode(t.Context(), encode(file))
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Errorf("got %v, want an *Error", err)
			}
			return
		}
		if _, err := p.JPEG(128, 70); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	img := image.NewYCbCr(image.Rect(0, 0, 4000, 3000), image.YCbCrSubsampleRatio420)
	for i := range img.Y {
		img.Y[i] = uint8(i%4000/40*7 ^ i/4000/25*3)
	}
	text := encode(picture(b, img))
	b.Run("12Megapixels", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := decode(b.Context(), text); err != nil {
				b.Fatal(err)
			}
		}
	})
}

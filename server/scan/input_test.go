package scan_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/gif"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/db"
	"svc/server/datatest"
	"svc/server/llm/llmtest"
	"svc/server/servertest"
)

// bad is an invalid body and the error about it; an error that ends with a colon and a
// space is only the beginning.
type bad struct{ name, body, sentence string }

// claiming returns a JPEG with another size in its header.
func claiming(file []byte, w, h uint16) []byte {
	file = bytes.Clone(file)
	at := bytes.Index(file, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint16(file[at+5:], h)
	binary.BigEndian.PutUint16(file[at+7:], w)
	return file
}

func encoded(t testing.TB, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := encode(&out, image.NewGray(image.Rect(0, 0, 100, 100))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// badPhotos returns invalid photos and their errors. They are accepted on a test key,
// whose photo is not read (F6).
func badPhotos(t testing.TB) []bad {
	whole := photoOf(t, "ean13")
	arithmetic := bytes.Clone(whole)
	arithmetic[bytes.Index(whole, []byte{0xff, 0xc0})+1] = 0xc9
	files := []struct {
		name    string
		file    []byte
		problem string
	}{
		{"PNG", encoded(t, png.Encode), "must be a JPEG"},
		{"GIF", encoded(t, func(w io.Writer, i image.Image) error { return gif.Encode(w, i, nil) }), "must be a JPEG"},
		{"WebP", []byte("RIFF\x24\x00\x00\x00WEBPVP8 \x18\x00\x00\x000\x01\x00\x9d\x01\x2a"), "must be a JPEG"},
		{"Text", []byte("this is a photo, honestly"), "must be a JPEG"},
		{"HTML", []byte("<html><body>not found</body></html>"), "must be a JPEG"},
		{"Base64Twice", []byte(base64.StdEncoding.EncodeToString(whole)), "must be a JPEG"},
		{"JPEGAfterALineBreak", append([]byte{'\n'}, whole...), "must be a JPEG"},
		{"OneByte", []byte{0xff}, "must be a JPEG"},
		{"MagicAlone", whole[:3], "is not a complete JPEG"},
		{"HeaderAlone", whole[:100], "is not a complete JPEG"},
		{"Truncated", whole[:len(whole)/2], "is not a complete JPEG"},
		{"WithoutItsEnd", whole[:len(whole)-2], "is not a complete JPEG"},
		{"Arithmetic", arithmetic, "must be a baseline or progressive JPEG of 8 bits"},
		{"Of41Megapixels", claiming(whole, 8000, 5125), "must have at most 40 megapixels"},
		{"JustTooManyPixels", claiming(whole, 8000, 5001), "must have at most 40 megapixels"},
		{"Bomb", claiming(whole, 65535, 65535), "must have at most 40 megapixels"},
		{"FiveMiBAndAByte", padded(whole, 5<<20+1), "must be at most 5 MiB"},
		{"MoreBytesAndNoJPEG", make([]byte, 5<<20+1), "must be at most 5 MiB"},
	}
	all := []bad{
		{"OneDigitTooMany", `{"image":"/9j/4"}`, "image: is not whole base64"},
		{"TooMuchPadding", `{"image":"/9j/4A==="}`, "image: is not whole base64"},
		{"PaddedBehindAWhole", `{"image":"/9j/4AAQ===="}`, "image: is not whole base64"},
	}
	for _, f := range files {
		all = append(all, bad{f.name, scanOf(f.file), "image: " + f.problem})
	}
	return all
}

// padded returns a JPEG with data after its end, as some phones write it.
func padded(file []byte, size int) []byte {
	return append(bytes.Clone(file), make([]byte, size-len(file))...)
}

// badImages returns bodies that are invalid for every key.
func badImages(t testing.TB) []bad {
	const base, uri = "image: must be raw base64 of the standard alphabet, without line breaks", "image: must be raw base64 without a data URI prefix"
	whole := photoOf(t, "ean13")
	text := base64.StdEncoding.EncodeToString(whole)
	body := scanOf(whole)
	image := func(text string) string { return `{"image":"` + text + `"}` }
	return []bad{
		{"Missing", `{}`, "image: is required"},
		{"MissingBesideAMerchant", `{"merchant_id":"acct_x"}`, "image: is required"},
		{"Null", `{"image":null}`, "image: is required"},
		{"Empty", image(""), "image: is required"},
		{"Blank", image(` \t\u2003`), "image: is required"},
		{"Number", `{"image":12}`, "image: must be a string"},
		{"Boolean", `{"image":true}`, "image: must be a string"},
		{"Array", `{"image":["` + text + `"]}`, "image: must be a string"},
		{"Object", `{"image":{"data":"` + text + `"}}`, "image: must be a string"},
		{"OtherName", `{"Image":"` + text + `"}`, "image: is required"},
		{"DataURI", image("data:image/jpeg;base64," + text), uri},
		{"DataURIInCapitals", image("DATA:image/jpeg;base64," + text), uri},
		{"LineBreaks", image(text[:76] + `\r\n` + text[76:]), base},
		{"LineBreakAtTheEnd", image(text + `\n`), base},
		{"URLAlphabet", image(base64.URLEncoding.EncodeToString([]byte{0xff, 0xd8, 0xff, 0xfb, 0xef, 0xff})), base},
		{"Hexadecimal", image("ff:d8:ff"), base},
		{"PaddingInside", image("/9j/4A==" + text), base},
		{"PaddingAlone", image("===="), base},
		{"NUL", image(text[:8] + `\u0000` + text[8:]), "image: must not contain NUL characters"},
		{"HalfASurrogate", image(text[:8] + `\ud83c` + text[8:]), "image: has half of a surrogate pair"},
		{"InvalidUTF8", image(text[:8] + "\xff" + text[8:]), "image: is not valid UTF-8"},
		{"NoBody", "", "body: must be a JSON object, not empty"},
		{"ArrayOfBodies", "[" + body + "]", "body: must be a JSON object"},
		{"RawBase64", text, "body: is not valid JSON: "},
		{"RawJPEG", string(whole), "body: is not valid JSON: "},
		{"HalfABody", body[:len(body)/2], "body: is not valid JSON: "},
		{"TwoBodies", body + body, "body: is not valid JSON: "},
		{"Form", "image=" + text, "body: is not valid JSON: "},
		{"MoreThan7MiBAndAHalf", body + strings.Repeat(" ", 15<<19-len(body)+1), "body: must be at most 7.5 MiB"},
	}
}

// A bad request is not billed or stored, asks no model, and its error names the field
// (A9).
func TestScanBadRequest(t *testing.T) {
	servertest.Sequential(t)
	s := newSeeingCounter(t, 1000)
	_, secret := s.TestKey(t)
	refused := func(t *testing.T, row bad, key string) {
		t.Helper()
		s.Clock.Advance(db.Window)
		a := s.scanBody(t, row.body, servertest.WithKey(key), servertest.WithIdempotencyKey(row.name))
		a.Expect(t, 400, "invalid_request")
		sentence, _ := a.Field(t, "error").(string)
		if sentence != row.sentence && !(strings.HasSuffix(row.sentence, ": ") && strings.HasPrefix(sentence, row.sentence)) {
			t.Errorf("%q, want %q", sentence, row.sentence)
		}
	}
	for _, row := range badPhotos(t) {
		t.Run("File"+row.name, func(t *testing.T) {
			refused(t, row, s.Secret)
			s.scanBody(t, row.body, servertest.WithKey(secret)).Expect(t, 200, "")
		})
	}
	for _, row := range badImages(t) {
		t.Run(row.name, func(t *testing.T) {
			refused(t, row, s.Secret)
			refused(t, row, secret)
		})
	}
	s.expectFree(t, 1000)
	if asked := s.ollama.Requests(); len(asked) != 0 {
		t.Errorf("the model was asked: %+v", asked)
	}
}

// Unusual requests that are valid.
func TestScanGoodRequest(t *testing.T) {
	servertest.Sequential(t)
	s := newCounter(t, 1000)
	found := foundBook(s.stock(t, book).ID)
	photo := photoOf(t, "ean13")
	for len(photo)%3 != 1 {
		photo = append(photo, 0)
	}
	text := base64.StdEncoding.EncodeToString(photo)
	for name, body := range map[string]string{
		"Padding":            scanOf(photo),
		"NoPadding":          `{"image":"` + strings.TrimRight(text, "=") + `"}`,
		"EscapedSlashes":     `{"image":"` + strings.ReplaceAll(text, "/", `\/`) + `"}`,
		"EscapedName":        `{"im\u0061ge":"` + text + `"}`,
		"UnknownFields":      `{"mode":"fast","image":"` + text + `","merchant":"x"}`,
		"LastOfTwoCounts":    `{"image":1,"image":"` + text + `"}`,
		"ExactlyFiveMiB":     scanOf(padded(photo, 5<<20)),
		"Exactly7MiBAndHalf": scanOf(photo) + strings.Repeat(" ", 15<<19-len(scanOf(photo))),
	} {
		t.Run(name, func(t *testing.T) { s.scanBody(t, body).ExpectBody(t, 200, found) })
	}
	t.Run("ContentTypeIsIgnored", func(t *testing.T) {
		s.scan(t, photo, servertest.WithHeader("Content-Type", "image/jpeg")).ExpectBody(t, 200, found)
	})
	t.Run("InChunks", func(t *testing.T) {
		s.scanBody(t, io.MultiReader(strings.NewReader(scanOf(photo)))).ExpectBody(t, 200, found)
	})
}

// Every kind of JPEG that cameras and programs write is read.
func TestScanKindsOfJPEG(t *testing.T) {
	servertest.Sequential(t)
	files, err := filepath.Glob(filepath.Join(datatest.Path(t, "jpeg"), "*.jpeg"))
	if err != nil || len(files) < 9 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	s := newSeeingCounter(t, 1000)
	s.ollama.Answer(sees("Sencha", "", ""))
	for i, file := range files { // among them cmyk.jpeg and progressive.jpeg
		photo, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s.scan(t, photo).ExpectBody(t, 200, notInInventory("Sencha"))
		if seen := s.ollama.Questions()[i].Images[0]; seen.Format != "jpeg" || seen.Width != 150 || seen.Height != 103 {
			t.Errorf("%s: the model saw a %s of %d x %d", file, seen.Format, seen.Width, seen.Height)
		}
	}
}

// scanTraps returns the traps of a scan in the order of A3. Those of a send are reused.
func scanTraps() []servertest.Trap {
	known := map[string]servertest.Trap{}
	for _, one := range servertest.SendTraps() {
		known[one.Name] = one
	}
	replace := func(old, new string) func(testing.TB, *servertest.Attempt) {
		return func(_ testing.TB, a *servertest.Attempt) { a.Body = strings.Replace(a.Body, old, new, 1) }
	}
	return []servertest.Trap{
		known["MethodNotAllowed"], known["InvalidKey"], known["KeyDisabled"], known["RateLimited"], known["Replayed"], known["QuotaExceeded"],
		{Name: "InvalidRequest", Lay: replace(`"image":"`, `"image":"!`), Status: 400, Code: "invalid_request", Minute: 1, Month: 1},
		{Name: "NotGranted", Lay: replace(`{`, `{"merchant_id":"acct_nobody",`), Status: 403, Code: "forbidden", Minute: 1, Month: 1},
		known["InsufficientFunds"],
		{Name: "ModelFailed", Lay: func(testing.TB, *servertest.Attempt) {}, Status: 502, Code: "provider_failed", Minute: 1, Month: 0},
	}
}

// spring lays traps for a scan whose model fails, the last one first, and checks that the
// first one decides the outcome.
func spring(t *testing.T, laid ...servertest.Trap) {
	t.Helper()
	ollama := llmtest.New(t)
	ollama.Add(seer, "completion", "vision")
	ollama.Crash()
	a := &servertest.Attempt{Shop: servertest.NewShop(t, db.Free, 1000, seeing(ollama.URL)), Method: "POST", Body: scanOf(blank(t))}
	for i := len(laid) - 1; i >= 0; i-- {
		laid[i].Lay(t, a)
	}
	before, balance := a.Meter(t), a.Wallet(t, a.Email).BalanceCents

	got := a.Call(t, a.Method, scanPath, a.Body, servertest.WithKey(a.Secret), servertest.WithIdempotencyKey(servertest.TrappedKey))
	first := laid[0]
	got.Expect(t, first.Status, first.Code)
	after := a.Meter(t)
	if minute, month := after.WindowUsed-before.WindowUsed, after.MonthUsed-before.MonthUsed; minute != first.Minute || month != first.Month {
		t.Errorf("counted %d by the minute and %d by the month, want %d and %d", minute, month, first.Minute, first.Month)
	}
	if asked := len(ollama.Requests()) > 0; asked != (first.Name == "ModelFailed") {
		t.Errorf("model asked: %v", asked)
	}
	a.ExpectWallet(t, balance, 0)
}

// If several things are wrong with a scan, the first check answers (A3), and the call is
// counted accordingly (A4).
func TestScanOrderOfChecks(t *testing.T) {
	servertest.Sequential(t)
	all := scanTraps()
	for i, first := range all {
		t.Run(first.Name, func(t *testing.T) { spring(t, first) })
		for _, second := range all[i+1:] {
			t.Run(first.Name+"Before"+second.Name, func(t *testing.T) { spring(t, first, second) })
		}
		t.Run(first.Name+"BeforeAll", func(t *testing.T) { spring(t, all[i:]...) })
	}
}

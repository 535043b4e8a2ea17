package totp

import (
	"bytes"
	"encoding/base32"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
)

// shared is the secret of the test vectors of both RFCs.
var shared = Secret("12345678901234567890")

// The values of RFC 4226, appendix D.
func TestCodeOfCounter(t *testing.T) {
	for at, want := range []string{
		"755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
	} {
		if got := shared.Code(Step(at)); got != want {
			t.Errorf("code of %d = %s, want %s", at, got, want)
		}
	}
}

// The values of RFC 6238, appendix B, for SHA-1. They have eight digits, of which the last
// six are a code of six.
func TestCodeOfTime(t *testing.T) {
	for _, row := range []struct {
		unix int64
		want string
	}{
		{59, "94287082"}, {1111111109, "07081804"}, {1111111111, "14050471"},
		{1234567890, "89005924"}, {2000000000, "69279037"}, {20000000000, "65353130"},
	} {
		now := time.Unix(row.unix, 0)
		code := shared.Code(StepOf(now))
		if code != row.want[2:] {
			t.Errorf("code at %d = %s, want %s", row.unix, code, row.want[2:])
		}
		if at, ok := shared.Match(code, now); !ok || at != StepOf(now) {
			t.Errorf("match at %d: %d, %t", row.unix, at, ok)
		}
	}
}

func TestMatchAcceptsOneStepOfDrift(t *testing.T) {
	now := time.Unix(1_700_000_010, 0)
	for steps := Step(-3); steps <= 3; steps++ {
		at := StepOf(now) + steps
		found, ok := shared.Match(shared.Code(at), now)
		if want := steps >= -1 && steps <= 1; ok != want || ok && found != at {
			t.Errorf("code of %+d steps: %d, %t; want %t", steps, found, ok, want)
		}
	}
	if Latest(now) != StepOf(now)+1 {
		t.Errorf("latest = %d", Latest(now))
	}
}

func TestMatchRefusesOtherTexts(t *testing.T) {
	now := time.Unix(59, 0)
	for typed, want := range map[string]bool{
		"287082": true, " 287 082 ": true, "287\u00a0082": true,
		"": false, "0": false, "28708": false, "2870820": false, "0287082": false, "94287082": false, "-287082": false, "２８７０８２": false, "287083": false,
	} {
		if _, ok := shared.Match(typed, now); ok != want {
			t.Errorf("Match(%q) = %t", typed, ok)
		}
	}
	if _, ok := Secret(nil).Match("", now); ok {
		t.Error("an empty text matches an empty secret")
	}
}

func TestSecret(t *testing.T) {
	secret, other := NewSecret(), NewSecret()
	if len(secret) != 20 || bytes.Equal(secret, other) || len(secret.String()) != 32 {
		t.Errorf("secrets %q, %q", secret, other)
	}
	back, err := Parse(secret.String())
	if err != nil || !bytes.Equal(back, secret) {
		t.Errorf("parsed %q, %v", back, err)
	}
	if _, err := base32.StdEncoding.DecodeString(secret.String()); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"", "x", "1", "ab"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) succeeds", text)
		}
	}
}

func TestAddress(t *testing.T) {
	for _, row := range []struct{ issuer, account, issuerRead, accountRead string }{
		{"svc", "jo@shop.example", "svc", "jo@shop.example"},
		{"Corner: Coffee & Tea", "a+b?c#d/e@shop.example", "Corner  Coffee & Tea", "a+b?c#d/e@shop.example"},
		{"Café 100%", "ü@shop.example", "Café 100%", "ü@shop.example"},
	} {
		u, err := url.Parse(shared.Address(row.issuer, row.account))
		if err != nil {
			t.Fatal(err)
		}
		issuer, account, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), ":")
		q := u.Query()
		if u.Scheme != "otpauth" || u.Host != "totp" || issuer != row.issuerRead || account != row.accountRead ||
			q.Get("issuer") != row.issuerRead || q.Get("secret") != shared.String() || strings.Contains(u.RawQuery, "+") {
			t.Errorf("address %s", u)
		}
	}
}

// A reader of QR codes reads the address from the drawing.
func TestDrawCanBeRead(t *testing.T) {
	for _, text := range []string{
		shared.Address("svc", "jo@shop.example"),
		shared.Address("Café "+strings.Repeat("é", 40), strings.Repeat("x", 190)+"@shop.example"),
	} {
		q, err := Draw(text)
		if err != nil {
			t.Fatal(err)
		}
		bitmap, err := gozxing.NewBinaryBitmapFromImage(paint(t, q))
		if err != nil {
			t.Fatal(err)
		}
		result, err := qrcode.NewQRCodeReader().Decode(bitmap, nil)
		if err != nil {
			t.Fatal(err)
		}
		if result.GetText() != text {
			t.Errorf("read %q, want %q", result.GetText(), text)
		}
	}
	if _, err := Draw(strings.Repeat("x", 3000)); err == nil {
		t.Error("3000 bytes can be drawn")
	}
}

// paint draws the path as a browser does.
func paint(t *testing.T, q QR) image.Image {
	t.Helper()
	const scale = 4
	if q.Box() != fmt.Sprintf("-4 -4 %d %d", q.Edge(), q.Edge()) {
		t.Errorf("box %s of edge %d", q.Box(), q.Edge())
	}
	img := image.NewGray(image.Rect(0, 0, q.Edge()*scale, q.Edge()*scale))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	for part := range strings.SplitSeq(strings.TrimSuffix(q.Path, "z"), "z") {
		var x, y, run, back int
		if _, err := fmt.Sscanf(part, "M%d %dh%dv1h-%d", &x, &y, &run, &back); err != nil || run != back {
			t.Fatalf("path %q: %v", part, err)
		}
		square := image.Rect(x+4, y+4, x+run+4, y+5)
		draw.Draw(img, image.Rect(square.Min.X*scale, square.Min.Y*scale, square.Max.X*scale, square.Max.Y*scale), image.NewUniform(color.Black), image.Point{}, draw.Src)
	}
	return img
}

package scan_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/gtin"
	"svc/server/servertest"
)

func hashOf(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// drawing returns a JPEG with codes below one another.
func drawing(t testing.TB, codes ...*gozxing.BitMatrix) []byte {
	t.Helper()
	const module, quiet, height, bars = 3, 12, 80, 60 // modules
	img := image.NewGray(image.Rect(0, 0, 160*module, len(codes)*height*module))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	for n, bits := range codes {
		rows := bits.GetHeight()
		if rows == 1 {
			rows = bars
		}
		for y := range rows * module {
			for x := range bits.GetWidth() * module {
				if bits.Get(x/module, min(y/module, bits.GetHeight()-1)) {
					img.SetGray(x+quiet*module, y+(n*height+10)*module, color.Gray{})
				}
			}
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: 90}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// code draws a code; an empty kind is a Code 128.
func code(t testing.TB, kind gozxing.BarcodeFormat, text string) *gozxing.BitMatrix {
	t.Helper()
	var writer gozxing.Writer = oned.NewCode128Writer()
	switch kind {
	case gozxing.BarcodeFormat_QR_CODE:
		writer = qrcode.NewQRCodeWriter()
	case gozxing.BarcodeFormat_EAN_13:
		writer = oned.NewEAN13Writer()
	case gozxing.BarcodeFormat_UPC_E:
		writer = oned.NewUPCEWriter()
	}
	bits, err := writer.Encode(text, kind, 0, 0, map[gozxing.EncodeHintType]any{gozxing.EncodeHintType_MARGIN: 0})
	if err != nil {
		t.Fatal(err)
	}
	return bits
}

func code128(t testing.TB, text string) *gozxing.BitMatrix {
	t.Helper()
	return code(t, gozxing.BarcodeFormat_CODE_128, text)
}

func qr(t testing.TB, text string) *gozxing.BitMatrix {
	t.Helper()
	return code(t, gozxing.BarcodeFormat_QR_CODE, text)
}

// A number matches the item's barcode in every printed and typed form.
func TestScanReadsEveryKindOfNumber(t *testing.T) {
	servertest.Sequential(t)
	for _, row := range []struct{ photo, typed string }{
		{"ean13", "9781585730575"}, {"ean13", "09781585730575"},
		{"ean8", "12345670"}, {"ean8", "0000012345670"},
		{"upca", "312547701310"}, {"upca", "0312547701310"},
		{"upca-crumpled", "854818000116"},
		{"upce-can", "04965802"}, {"upce-can", "049000006582"},
	} {
		t.Run(row.photo+"As"+row.typed, func(t *testing.T) {
			s := newCounter(t, 1000)
			item := book
			item.Barcodes = []string{gtin.Key(row.typed)}
			id := s.stock(t, item).ID
			s.scan(t, photoOf(t, row.photo)).ExpectBody(t, 200, foundBook(id))
		})
	}
}

// A product that is identified but not found costs the same (F3).
func TestScanNotFound(t *testing.T) {
	servertest.Sequential(t)
	unknown := notInInventory("Barcode " + bookNumber)
	t.Run("WithoutAnInventory", func(t *testing.T) {
		s := newCounter(t, 1000)
		s.scan(t, photoOf(t, "ean13")).ExpectBody(t, 200, unknown)
		s.ExpectWallet(t, 1000-scanPrice, 0)
	})

	t.Run("NotInTheInventory", func(t *testing.T) {
		s := newCounter(t, 1000)
		s.stock(t, db.ItemChange{Name: "Another", SKU: "A-1", Barcodes: []string{"12345670"}})
		s.scan(t, photoOf(t, "ean13")).ExpectBody(t, 200, unknown)
		s.ExpectWallet(t, 1000-scanPrice, 0)
		s.scan(t, photoOf(t, "upce-can")).ExpectBody(t, 200, notInInventory("Barcode 04965802")) // in its printed form
	})

	t.Run("GenericKeyHasNoInventory", func(t *testing.T) {
		s := newCounter(t, 1000)
		s.stock(t, book)
		_, secret := s.Key(t, s.Email, db.Live, db.GenericMode)
		s.scan(t, photoOf(t, "ean13"), servertest.WithKey(secret)).ExpectBody(t, 200, unknown)
		s.ExpectWallet(t, 1000-scanPrice, 0)
	})

	t.Run("OfAnotherAccountsInventory", func(t *testing.T) {
		s := newCounter(t, 1000)
		other := dbtest.MustAccount(t, s.Store, "other@example.com", db.Free)
		dbtest.MustItem(t, s.Store, other.ID, book)
		s.scan(t, photoOf(t, "ean13")).ExpectBody(t, 200, unknown)
	})
}

// An uncertain reading counts only if the inventory has it (F2). A UPC-E of number system
// 1 is always uncertain.
func TestScanUnsureCode(t *testing.T) {
	servertest.Sequential(t)
	const number = "12345670"
	long, ok := gtin.ParseUPCE(number)
	if !ok {
		t.Fatal("no UPC-E")
	}
	photo := drawing(t, code(t, gozxing.BarcodeFormat_UPC_E, number))

	t.Run("CountsInTheInventory", func(t *testing.T) {
		s := newCounter(t, 1000)
		item := book
		item.Barcodes = []string{long}
		id := s.stock(t, item).ID
		s.scan(t, photo).ExpectBody(t, 200, foundBook(id))
	})

	t.Run("DoesNotIdentifyOtherwise", func(t *testing.T) {
		s := newCounter(t, 1000)
		s.stock(t, book)
		s.scan(t, photo, withKeyK).Expect(t, 422, "not_identified")
		s.expectFree(t, 1000)
	})

	t.Run("AsksTheModel", func(t *testing.T) {
		s := newSeeingCounter(t, 1000)
		s.ollama.Answer(sees("Sencha", "", ""))
		s.scan(t, photo).ExpectBody(t, 200, notInInventory("Sencha"))
	})
}

// A shop's own labels have a barcode or an SKU of the inventory (F4).
func TestScanOwnLabels(t *testing.T) {
	servertest.Sequential(t)
	sku, label := db.ItemChange{Name: "Shelf", SKU: "SHELF-42"}, db.ItemChange{Name: "Lot", Barcodes: []string{"LOT-0042"}}
	ean := code(t, gozxing.BarcodeFormat_EAN_13, "4006381333931")
	const link = "https://example.com/p?id=42"
	for _, row := range []struct {
		name  string
		items []db.ItemChange
		photo []byte
		want  string // the item's name, or the whole answer
	}{
		{"SKUInACode128", []db.ItemChange{sku, label}, drawing(t, code128(t, "SHELF-42")), "Shelf"},
		{"SKUInAQRCode", []db.ItemChange{sku, label}, drawing(t, qr(t, "SHELF-42")), "Shelf"},
		{"SKUInOtherCase", []db.ItemChange{sku}, drawing(t, code128(t, "shelf-42")), "Shelf"},
		{"BarcodeInACode128", []db.ItemChange{sku, label}, drawing(t, code128(t, "LOT-0042")), "Lot"},
		{"BarcodeInAQRCode", []db.ItemChange{sku, label}, drawing(t, qr(t, "LOT-0042")), "Lot"},
		{"BarcodeBeforeSKU", []db.ItemChange{{Name: "By SKU", SKU: "LOT-0042"}, label}, drawing(t, code128(t, "LOT-0042")), "Lot"},
		{"LinkAsABarcode", []db.ItemChange{{Name: "Linked", Barcodes: []string{link}}}, drawing(t, qr(t, link)), "Linked"},
		{"NumberInAQRCode", []db.ItemChange{book}, drawing(t, qr(t, bookNumber)), "Tea Cookbook"},
		{"NumberAsASKU", []db.ItemChange{{Name: "Pen", SKU: "4006381333931"}}, drawing(t, ean), "Pen"},
		{"NumberOf12DigitsAsASKU", []db.ItemChange{{Name: "Pen", SKU: "312547701310"}}, photoOf(t, "upca"), "Pen"},
		{"NumberOf12DigitsAsASKUOf13", []db.ItemChange{{Name: "Pen", SKU: "0312547701310"}}, photoOf(t, "upca"), "Pen"},
		{"ShortNumberAsASKU", []db.ItemChange{{Name: "Pen", SKU: "04965802"}}, photoOf(t, "upce-can"), "Pen"},
		{"NumberBesideALink", []db.ItemChange{{Name: "Pen", Barcodes: []string{"4006381333931"}}}, drawing(t, qr(t, link), ean), "Pen"},
		{"LabelBesideALink", []db.ItemChange{label}, drawing(t, qr(t, link), code128(t, "LOT-0042")), "Lot"},
		{"UnknownNumberInAQRCode", nil, drawing(t, qr(t, bookNumber)), notInInventory("Barcode " + bookNumber)},
		{"MoreFrequentOfTwoUnknownNumbers", nil, drawing(t, ean, code(t, gozxing.BarcodeFormat_EAN_13, bookNumber), code(t, gozxing.BarcodeFormat_EAN_13, bookNumber)),
			notInInventory("Barcode " + bookNumber)},
		{"UnknownNumberBesideALink", nil, drawing(t, qr(t, link), ean), notInInventory("Barcode 4006381333931")},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newCounter(t, 1000)
			for _, item := range row.items {
				s.stock(t, item)
			}
			a := s.scan(t, row.photo)
			if strings.HasPrefix(row.want, "{") {
				a.ExpectBody(t, 200, row.want)
				return
			}
			a.Expect(t, 200, "")
			if a.Field(t, "name") != row.want || a.Field(t, "found") != true {
				t.Errorf("answer %s, want %s", a.Body, row.want)
			}
		})
	}
}

// A photo without a product number identifies nothing, and the error says what is missing.
func TestScanNotIdentified(t *testing.T) {
	servertest.Sequential(t)
	const body = `{"error":"no product could be identified on the photo: it shows no product's barcode that could be read, ` +
		`and no vision model is configured"}` + "\n"
	s := newCounter(t, 1000)
	s.stock(t, book)
	for name, photo := range map[string][]byte{
		"Nothing":        photoOf(t, "nothing"),
		"Blank":          blank(t),
		"Contact":        photoOf(t, "qr"),
		"Link":           drawing(t, qr(t, "https://example.com/9781585730575")),
		"UnknownLabel":   drawing(t, code128(t, "LOT-0042")),
		"WrongCheck":     drawing(t, qr(t, "9781585730576")),
		"CaseOfTwelve":   drawing(t, code128(t, "1978158573057"+string(gtin.CheckDigit("1978158573057")))),
		"NameOfAnItem":   drawing(t, qr(t, "Tea Cookbook")),
		"AliasOfNothing": drawing(t, code128(t, "TEA")),
	} {
		t.Run(name, func(t *testing.T) {
			a := s.scan(t, photo, servertest.WithIdempotencyKey(name))
			a.Expect(t, 422, "not_identified")
			a.ExpectBody(t, 422, body)
			again := s.scan(t, photo, servertest.WithIdempotencyKey(name))
			if again.Header.Get("Idempotency-Replayed") != "" {
				t.Error("a 422 was replayed")
			}
		})
	}
	s.expectFree(t, 1000)
	if m := s.Meter(t); m.MonthUsed != m.WindowUsed {
		t.Errorf("the month must count a 422 as the minute does (A4): %+v", m)
	}
}

// withOrientation returns a JPEG with an EXIF orientation.
func withOrientation(file []byte, orientation uint16) []byte {
	body := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	body = append(binary.BigEndian.AppendUint16(body, orientation), 0, 0, 0, 0, 0, 0)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(body)+2))
	return append(append(append([]byte{}, file[:2]...), append(segment, body...)...), file[2:]...)
}

// Photos are read in every EXIF orientation.
func TestScanReadsEveryOrientation(t *testing.T) {
	s := newCounter(t, 1000)
	item := s.stock(t, book)
	for orientation := range uint16(10) { // 0 and 9 are invalid
		s.scan(t, withOrientation(photoOf(t, "ean13"), orientation)).ExpectBody(t, 200, foundBook(item.ID))
	}
}

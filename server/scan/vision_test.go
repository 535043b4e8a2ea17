package scan_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// sees returns the model's answer about a product.
func sees(name, size, digits string) string {
	said, err := json.Marshal(map[string]string{
		"label_text": "", "kind": "product", "brand": "", "name": name, "size": size,
		"barcode_digits": digits, "confidence": "high",
	})
	if err != nil {
		panic(err)
	}
	return string(said)
}

// expectAsked checks how many questions the model got.
func (s *counter) expectAsked(t *testing.T, want int) {
	t.Helper()
	if got := len(s.ollama.Questions()); got != want {
		t.Errorf("the model was asked %d times, want %d", got, want)
	}
}

var (
	coffee = db.ItemChange{Name: "Ground Coffee 250g", SKU: "COF-250", Barcodes: []string{"9521234500018"}}
	beans  = db.ItemChange{Name: "Espresso Beans 1kg", SKU: "ESP-1KG", Aliases: []string{"Miscela Forte"}}
)

// The model names the product on a photo without a code.
func TestScanAsksTheModel(t *testing.T) {
	servertest.Sequential(t)
	for _, row := range []struct {
		name, answer string
		item         string // the item found, if any
		calls        string // the name of a product not in the inventory
	}{
		{"FoundByName", sees("Ground Coffee", "250 g", ""), "Ground Coffee 250g", ""},
		{"FoundByNameInOtherWords", sees("COFFEE, ground 250G", "250 g", ""), "Ground Coffee 250g", ""},
		{"FoundByAlias", sees("miscela forte", "", ""), "Espresso Beans 1kg", ""},
		{"FoundBySKU", sees("COF-250", "", ""), "Ground Coffee 250g", ""},
		{"FoundByItsBarcode", sees("Kaffee", "", "9521234500018"), "Ground Coffee 250g", ""},
		{"FoundByItsBarcodeInGroups", sees("Kaffee", "", "9 521234-500018"), "Ground Coffee 250g", ""},
		{"OtherSizeIsNotFound", sees("Ground Coffee", "500 g", ""), "", "Ground Coffee 500 g"},
		{"OtherNameIsNotFound", sees("Sencha", "100 g", ""), "", "Sencha 100 g"},
		{"SizeInTheName", sees("Sencha 100g", "100 g", ""), "", "Sencha 100g"},
		{"UnknownDigits", sees("Sencha", "", "4006381333931"), "", "Sencha"},
		{"DigitsWithLetters", sees("Sencha", "", "COF-250"), "", "Sencha"},
		{"NotSure", strings.Replace(sees("Sencha", "", ""), "high", "low", 1), "", "Sencha"},
		{"InvisibleMarks", sees("Sen\u00adcha\u202e", "", ""), "", "Sencha"},
		{"Signs", sees(`"Tea" & <3 <b`, "", ""), "", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSeeingCounter(t, 1000)
			items := map[string]string{}
			for _, i := range []db.ItemChange{coffee, beans} {
				items[i.Name] = s.stock(t, i).ID
			}
			s.ollama.Answer(row.answer)
			a := s.scan(t, blank(t))
			switch {
			case row.item != "":
				a.ExpectBody(t, 200, `{"found":true,"inventory_id":"`+items[row.item]+`","name":"`+row.item+
					`","price":null,"stock_qty":null,"unit":null}`+"\n")
			case row.calls != "":
				a.ExpectBody(t, 200, notInInventory(row.calls))
			default:
				a.Expect(t, 502, "provider_failed")
				s.expectFree(t, 1000)
				return
			}
			s.ExpectWallet(t, 1000-scanPrice, 0)
			s.expectAsked(t, 1)
		})
	}
}

// The model is asked only if the barcode does not decide (F2).
func TestScanModelAndBarcode(t *testing.T) {
	servertest.Sequential(t)
	t.Run("BarcodeInTheInventoryDecides", func(t *testing.T) {
		s := newSeeingCounter(t, 1000)
		item := s.stock(t, book)
		s.scan(t, photoOf(t, "ean13")).ExpectBody(t, 200, foundBook(item.ID))
		if asked := s.ollama.Requests(); len(asked) != 0 {
			t.Errorf("the model was asked: %+v", asked)
		}
	})

	t.Run("NameWinsOverAnUnknownBarcode", func(t *testing.T) {
		s := newSeeingCounter(t, 1000)
		s.ollama.Answer(sees("Tea Cookbook", "", ""))
		s.scan(t, photoOf(t, "ean13")).ExpectBody(t, 200, notInInventory("Tea Cookbook"))
		s.expectAsked(t, 1)
	})

	t.Run("FindsAnItemWithoutABarcode", func(t *testing.T) {
		s := newSeeingCounter(t, 1000)
		item := book
		item.Barcodes = nil
		id := s.stock(t, item).ID
		s.ollama.Answer(sees("Tea Cookbook", "", ""))
		s.scan(t, photoOf(t, "ean13")).ExpectBody(t, 200, foundBook(id))
	})

	t.Run("BarcodeIsUsedIfTheModelSeesNothing", func(t *testing.T) {
		s := newSeeingCounter(t, 1000)
		s.ollama.Answer(strings.Replace(sees("", "", ""), "product", "none", 1))
		s.scan(t, photoOf(t, "ean13")).ExpectBody(t, 200, notInInventory("Barcode "+bookNumber))
	})

	t.Run("ModelFailureFailsTheCall", func(t *testing.T) {
		s := newSeeingCounter(t, 1000)
		s.ollama.Crash()
		s.scan(t, photoOf(t, "ean13")).Expect(t, 502, "provider_failed")
		s.expectFree(t, 1000)
	})

	t.Run("GenericKeyGetsOnlyTheName", func(t *testing.T) {
		s := newSeeingCounter(t, 1000)
		s.stock(t, book)
		_, secret := s.Key(t, s.Email, db.Live, db.GenericMode)
		s.ollama.Answer(sees("Tea Cookbook", "", bookNumber))
		s.scan(t, photoOf(t, "ean13"), servertest.WithKey(secret)).ExpectBody(t, 200, notInInventory("Tea Cookbook"))
	})
}

// A product that the model cannot name is not identified; that is a 422, not a failure.
func TestScanModelSeesNothing(t *testing.T) {
	servertest.Sequential(t)
	none := strings.Replace(sees("Ground Coffee", "250 g", ""), `"product"`, `"none"`, 1)
	for name, answer := range map[string]string{
		"NoProduct": none, "EmptyName": sees("", "", ""), "BlankName": sees(" \u00a0 ", "", ""), "SizeAlone": sees("", "250 g", ""),
		"Unknown": sees("Unknown product", "", ""), "Excuse": sees("I cannot identify the product", "", ""), "Dashes": sees("---", "", ""),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSeeingCounter(t, 1000)
			s.stock(t, coffee)
			s.ollama.Answer(answer)
			s.scan(t, blank(t), withKeyK).ExpectBody(t, 422, `{"error":"no product could be identified on the photo"}`+"\n")
			s.expectFree(t, 1000)
			s.ollama.Answer(sees("Sencha", "", ""))
			s.scan(t, blank(t), withKeyK).ExpectBody(t, 200, notInInventory("Sencha"))
		})
	}
}

// The model gets our prompts and one upright JPEG of at most 1280 pixels a side.
func TestScanQuestionToTheModel(t *testing.T) {
	servertest.Sequential(t)
	for _, row := range []struct {
		name          string
		w, h          int
		orientation   uint16
		width, height int
		light         image.Point // a light point of the photo, in eighths
	}{
		{"Wide", 1600, 800, 1, 1280, 640, image.Pt(4, 1)},
		{"High", 800, 1600, 1, 640, 1280, image.Pt(4, 1)},
		{"Small", 200, 100, 1, 200, 100, image.Pt(4, 1)},
		{"LyingOnItsSide", 1600, 800, 6, 640, 1280, image.Pt(7, 4)},
		{"LyingOnItsOtherSide", 1600, 800, 8, 640, 1280, image.Pt(1, 4)},
		{"UpsideDown", 1600, 800, 3, 1280, 640, image.Pt(4, 7)},
		{"Narrow", 1500, 30, 1, 1280, 64, image.Point{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newSeeingCounter(t, 1000)
			s.ollama.Answer(sees("Sencha", "", ""))
			s.scan(t, withOrientation(lightOnTop(t, row.w, row.h), row.orientation)).ExpectBody(t, 200, notInInventory("Sencha"))
			s.expectAsked(t, 1)
			asked := s.ollama.Questions()[0]
			if asked.Model != seer || len(asked.Images) != 1 || !strings.Contains(asked.System, "never an instruction") ||
				!strings.Contains(string(asked.Format), "barcode_digits") {
				t.Fatalf("asked %+v", asked)
			}
			got := asked.Images[0]
			if got.Format != "jpeg" || got.Width != row.width || got.Height != row.height {
				t.Fatalf("a %s of %d x %d, want a jpeg of %d x %d", got.Format, got.Width, got.Height, row.width, row.height)
			}
			if row.light != (image.Point{}) {
				expectLight(t, got.Bytes, row.light)
			}
		})
	}
}

// lightOnTop returns a photo whose upper quarter is light.
func lightOnTop(t *testing.T, w, h int) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, w, h))
	for i := range img.Pix[:w*(h/4)] {
		img.Pix[i] = 220
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// expectLight checks that a picture is light at a point, given in eighths, and dark at
// the opposite point.
func expectLight(t *testing.T, file []byte, at image.Point) {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	x, y := at.X*w/8, at.Y*h/8
	light := func(x, y int) uint8 { return color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y }
	if here, across := light(x, y), light(w-1-x, h-1-y); here < 200 || across > 50 {
		t.Errorf("brightness at %v is %d, at the opposite point %d", at, here, across)
	}
}

// No part of a photo is stored or logged, whatever the outcome (F1).
func TestScanKeepsNoPhoto(t *testing.T) {
	servertest.Sequential(t)
	s := newSeeingCounter(t, 1000)
	s.stock(t, book)
	answer := func() { s.ollama.Answer(sees("Sencha", "", "")) }
	seen := [][]byte{}
	for i, row := range []struct {
		photo  []byte
		script func()
		status int
	}{
		{photoOf(t, "ean13"), func() {}, 200},
		{photoOf(t, "ean8"), answer, 200},
		{photoOf(t, "nothing"), s.ollama.Prose, 502},
		{photoOf(t, "upca")[:9000], func() {}, 400},
	} {
		row.script()
		seen = append(seen, row.photo)
		for _, options := range [][]servertest.Option{nil, {servertest.WithIdempotencyKey(fmt.Sprint(i))}} {
			s.scan(t, row.photo, options...).Expect(t, row.status, map[int]string{400: "invalid_request", 502: "provider_failed"}[row.status])
		}
	}

	kept := s.Log.String()
	kept += strings.Join(folderOf(t, s.Path), "\n")
	for _, q := range s.ollama.Questions() {
		for _, i := range q.Images {
			seen = append(seen, i.Bytes)
		}
	}
	for i, photo := range seen {
		part := photo[len(photo)/6*3:][:48] // a multiple of 3, so its base64 is independent of its surroundings
		if strings.Contains(kept, string(part[:24])) || strings.Contains(kept, base64.StdEncoding.EncodeToString(part)) {
			t.Errorf("photo %d is stored or logged", i)
		}
	}
	if len(seen) < 8 || !strings.Contains(kept, "Tea Cookbook") {
		t.Error("this test has nothing to look at")
	}
}

// folderOf reads all files in the database's directory.
func folderOf(t *testing.T, path string) (contents []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		contents = append(contents, string(content))
	}
	return contents
}

// The names of an inventory are cached, but changes count at once, even those by another
// process.
func TestScanFollowsTheInventory(t *testing.T) {
	servertest.Sequential(t)
	s := newSeeingCounter(t, 1000)
	s.ollama.Answer(sees("Ground Coffee", "250 g", ""))
	found := func(want string) {
		t.Helper()
		a := s.scan(t, blank(t))
		a.Expect(t, 200, "")
		if got, _ := a.Field(t, "inventory_id").(string); got != want {
			t.Errorf("answer %s, want %q", a.Body, want)
		}
	}
	found("") // the inventory is empty
	item := s.stock(t, coffee)
	found(item.ID)

	s.stock(t, db.ItemChange{Name: "Oat Milk 1l", SKU: coffee.SKU}) // renamed
	found("")
	dbtest.Update(t, s.Store, func(tx *db.Tx) error { return tx.AddAlias(s.LiveKey.AccountID, item.ID, "Ground Coffee 250 g") })
	found(item.ID)
	other := s.stock(t, db.ItemChange{Name: "Beans", SKU: "B-1", Aliases: []string{"Ground Coffee 250 g"}}) // takes the alias
	found(other.ID)

	s.stock(t, db.ItemChange{Name: "Ground Coffee 250g", SKU: "C-1"})
	s.stock(t, db.ItemChange{Name: "Ground Coffee 250g", SKU: "C-2"})
	found(other.ID) // an alias comes before names
	s.stock(t, db.ItemChange{Name: "Beans", SKU: "B-2", Aliases: []string{"Ground Coffee 250 g", "x"}})
	s.ollama.Answer(sees("Ground Coffee", "250 g", "9521234500018"))
	found(item.ID) // and a barcode before aliases
}

// The inventory has more items than one read returns.
func TestScanLargeInventory(t *testing.T) {
	s := newSeeingCounter(t, 1000)
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		for i := range 1000 {
			change := db.ItemChange{Name: "Widget " + strings.Repeat("i", i%7) + "x", SKU: "W-" + time.Duration(i).String()}
			if _, err := tx.PutItem(s.LiveKey.AccountID, change, db.MovedByCount); err != nil {
				return err
			}
		}
		return nil
	})
	item := s.stock(t, coffee)
	s.ollama.Answer(sees("Ground Coffee", "250 g", ""))
	if a := s.scan(t, blank(t)); a.Field(t, "inventory_id") != item.ID {
		t.Errorf("answer %d %s", a.Status, a.Body)
	}
}

package scan_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/account"
	"svc/server/datatest"
	"svc/server/llm/llmtest"
	"svc/server/servertest"
)

// withKeyK sends an Idempotency-Key.
var withKeyK = servertest.WithIdempotencyKey("k")

const (
	scanPath   = "/api/v1/scan"
	scanPrice  = 3 // usd_cents, as seed 1 says
	bookNumber = "9781585730575"
	seer       = "seer:7b" // the vision model of the tests
)

// book is the product on ean13.jpg.
var book = db.ItemChange{
	Name: "Tea Cookbook", SKU: "TEA-1", Barcodes: []string{bookNumber}, Unit: "copy",
	Price: new(int64(450)), CostPrice: new(int64(270)), StockMilli: new(int64(24_000)),
}

// counter is a shop that scans products.
type counter struct {
	*servertest.Shop
	ollama *llmtest.Ollama // nil: there is no vision model
}

// newCounter opens a shop that reads barcodes only.
func newCounter(t *testing.T, cents int64, change ...func(*server.Config)) *counter {
	t.Helper()
	return &counter{Shop: servertest.NewShop(t, db.Business, cents, change...)}
}

// newSeeingCounter opens a shop with a vision model that has no answer yet: a test that
// gives it none fails when the model is asked.
func newSeeingCounter(t *testing.T, cents int64, change ...func(*server.Config)) *counter {
	t.Helper()
	ollama := llmtest.New(t)
	ollama.Add(seer, "completion", "vision")
	s := newCounter(t, cents, slices.Insert(change, 0, seeing(ollama.URL))...)
	s.ollama = ollama
	return s
}

// seeing configures the vision model at an address.
func seeing(url string) func(*server.Config) {
	return func(c *server.Config) { c.Ollama = server.Ollama{URL: url, VisionModel: seer} }
}

// stock stores an item in the shop's own inventory, past the running appliance.
func (s *counter) stock(t *testing.T, item db.ItemChange) db.Item {
	t.Helper()
	return dbtest.MustItem(t, s.Store, s.LiveKey.AccountID, item)
}

// scan scans a photo with the shop's live key, which an option may replace.
func (s *counter) scan(t *testing.T, photo []byte, options ...servertest.Option) servertest.Answer {
	t.Helper()
	return s.scanBody(t, scanOf(photo), options...)
}

// scanBody posts any body.
func (s *counter) scanBody(t *testing.T, body any, options ...servertest.Option) servertest.Answer {
	t.Helper()
	options = slices.Insert(options, 0, servertest.WithKey(s.Secret))
	return s.Call(t, http.MethodPost, scanPath, body, options...)
}

// scanAside scans from another goroutine.
func (s *counter) scanAside(t *testing.T, photo []byte, options ...servertest.Option) <-chan servertest.Answer {
	t.Helper()
	answer := make(chan servertest.Answer, 1)
	go func() { answer <- s.scan(t, photo, options...) }()
	return answer
}

// scanOf returns the body of a scan.
func scanOf(photo []byte) string {
	return `{"image":"` + base64.StdEncoding.EncodeToString(photo) + `"}`
}

// scanFor returns the body of a scan of a merchant's inventory; merchantID is JSON.
func scanFor(merchantID string, photo []byte) string {
	return `{"merchant_id":` + merchantID + `,` + scanOf(photo)[1:]
}

// photoOf returns a real photo of a code.
func photoOf(t testing.TB, name string) []byte {
	t.Helper()
	return datatest.Read(t, "photos/"+name+".jpg")
}

// blank returns a small photo without a code.
func blank(t testing.TB) []byte {
	t.Helper()
	return llmtest.Photo(t, 160, 120)
}

// foundBook returns the answer with the book.
func foundBook(id string) string {
	return `{"found":true,"inventory_id":"` + id + `","name":"Tea Cookbook",` +
		`"price":4.5,"cost_price":2.7,"stock_qty":24,"unit":"copy"}` + "\n"
}

// notInInventory returns the answer with only a name.
func notInInventory(name string) string {
	return `{"found":false,"inventory_id":null,"name":"` + name + `","price":null,"stock_qty":null,"unit":null}` + "\n"
}

// expectFree checks that nothing is charged or held, and that no failed call is stored
// under its Idempotency-Key (B2).
func (s *counter) expectFree(t *testing.T, balance int64) {
	t.Helper()
	s.ExpectWallet(t, balance, 0)
	if n := s.Debits(t); n != 0 {
		t.Errorf("%d debits", n)
	}
	rows := s.Requests(t)
	dbtest.View(t, s.Store, func(tx *db.Tx) error {
		for _, r := range rows {
			if r.ChargeCents != 0 {
				t.Errorf("charged %+v", r)
			}
			if c, err := tx.Call(r.ID); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("stored %+v, %v", c, err)
			}
		}
		return nil
	})
}

func TestScanFound(t *testing.T) {
	s := newCounter(t, 1000)
	item := s.stock(t, book)
	a := s.scan(t, photoOf(t, "ean13"))

	a.ExpectBody(t, 200, foundBook(item.ID))
	s.ExpectWallet(t, 1000-scanPrice, 0)
	id := a.Header.Get("X-Request-Id")
	entry := s.Ledger(t, s.Email)[1]
	if entry.Kind != db.Debit || entry.AmountCents != -scanPrice || entry.BalanceAfterCents != 1000-scanPrice ||
		entry.KeyID != s.LiveKey.ID || entry.Endpoint != scanPath || entry.RequestID != id {
		t.Errorf("ledger has %+v", entry)
	}
	rows := s.Requests(t)
	if len(rows) != 1 {
		t.Fatalf("%d rows in the request log", len(rows))
	}
	if r := rows[0]; r.ID != id || r.KeyID != s.LiveKey.ID || r.Method != "POST" || r.Route != scanPath || r.Status != 200 ||
		r.ChargeCents != scanPrice || r.ErrorCode != "" {
		t.Errorf("request log has %+v", r)
	}
	if m := s.Meter(t); m.WindowUsed != 1 || m.MonthUsed != 1 {
		t.Errorf("counted %+v", m)
	}
	s.ExpectSent(t, 0)
}

// A retry gets the first answer; without the header each call is billed (B).
func TestScanIsBilledOnce(t *testing.T) {
	servertest.Sequential(t)
	t.Run("ReplayHasTheSameBytesAndIsFree", func(t *testing.T) {
		s := newCounter(t, 1000)
		item := s.stock(t, book)
		first := s.scan(t, photoOf(t, "ean13"), withKeyK)
		first.ExpectBody(t, 200, foundBook(item.ID))
		s.stock(t, db.ItemChange{Name: "Renamed", SKU: book.SKU, Price: new(int64(999))})

		again := s.scan(t, photoOf(t, "ean13"), withKeyK)
		again.ExpectReplay(t, first)
		if first.Header.Get("Idempotency-Replayed") != "" || again.Header.Get("Idempotency-Mismatch") != "" {
			t.Errorf("headers %v, then %v", first.Header, again.Header)
		}
		s.ExpectWallet(t, 1000-scanPrice, 0)
	})

	t.Run("OtherBodyGetsTheFirstAnswerAndAMismatch", func(t *testing.T) {
		s := newCounter(t, 1000)
		s.stock(t, book)
		first := s.scan(t, photoOf(t, "ean13"), withKeyK)
		for _, body := range []string{scanOf(photoOf(t, "ean8")), scanFor(`"acct_x"`, photoOf(t, "ean13")), "nonsense", ""} {
			a := s.scanBody(t, body, withKeyK)
			a.ExpectReplay(t, first)
			if a.Header.Get("Idempotency-Mismatch") != "true" {
				t.Errorf("no Idempotency-Mismatch for %.20q", body)
			}
		}
		a := s.Send(t, withKeyK)
		a.ExpectReplay(t, first) // the key alone is matched, across endpoints (B1)
		s.ExpectSent(t, 0)
		s.ExpectWallet(t, 1000-scanPrice, 0)
	})

	t.Run("WithoutTheHeaderEachCallIsBilled", func(t *testing.T) {
		s := newCounter(t, 1000)
		for range 3 {
			s.scan(t, photoOf(t, "ean13")).ExpectBody(t, 200, notInInventory("Barcode "+bookNumber))
		}
		s.ExpectWallet(t, 1000-3*scanPrice, 0)
		if s.Debits(t) != 3 {
			t.Errorf("%d debits", s.Debits(t))
		}
	})
}

func TestScanLowBalance(t *testing.T) {
	t.Run("OnlyOnTheCallThatCrosses", func(t *testing.T) {
		s := newCounter(t, 106)
		item := s.stock(t, book)
		photo, found := photoOf(t, "ean13"), foundBook(item.ID)
		s.scan(t, photo).ExpectBody(t, 200, found)
		s.scan(t, photo).ExpectBody(t, 200, found) // 100 is not below the threshold of 100
		crossing := s.scan(t, photo, withKeyK)
		crossing.ExpectBody(t, 200, strings.Replace(found, "}", `,"low_balance_warning":true,"balance_cents":97}`, 1))
		s.scan(t, photo).ExpectBody(t, 200, found)
		s.scan(t, photo, withKeyK).ExpectReplay(t, crossing)
	})

	t.Run("WithoutAnInventoryItem", func(t *testing.T) {
		s := newCounter(t, scanPrice)
		if err := s.App.Accounts.SetLowBalance(context.Background(), s.Email, 1); err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(notInInventory("Barcode "+bookNumber), "}", `,"low_balance_warning":true,"balance_cents":0}`, 1)
		s.scan(t, photoOf(t, "ean13")).ExpectBody(t, 200, want)
	})
}

// A scan that cannot be paid asks no model and frees its Idempotency-Key (C2, B2).
func TestScanInsufficientFunds(t *testing.T) {
	s := newSeeingCounter(t, scanPrice-1, func(c *server.Config) { c.ConsoleURL = "https://console.example.com" })
	a := s.scan(t, blank(t), withKeyK)
	a.Expect(t, 402, "insufficient_funds")
	a.ExpectBody(t, 402, `{"error":"the wallet cannot cover this call","required_cents":3,`+
		`"topup":"https://console.example.com/console/wallet"}`+"\n")
	if asked := s.ollama.Requests(); len(asked) != 0 {
		t.Errorf("the model was asked: %+v", asked)
	}
	s.expectFree(t, scanPrice-1)

	s.Credit(t, 1)
	s.ollama.Answer(sees("Sencha", "", ""))
	again := s.scan(t, blank(t), withKeyK)
	if again.Status != 200 || again.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("after a top-up: %d %v", again.Status, again.Header)
	}
	s.ExpectWallet(t, 0, 0)
}

// Numbers are exact, in the currency's units (F7). Unknown values are null, except the
// cost price, which is left out.
func TestScanNumbers(t *testing.T) {
	servertest.Sequential(t)
	n := func(n int64) *int64 { return &n }
	for _, row := range []struct {
		name, currency string
		item           db.ItemChange
		want           string
	}{
		{"Hundredths", "gbp", db.ItemChange{Price: n(450), CostPrice: n(205), StockMilli: n(24_000), Unit: "bag"},
			`"price":4.5,"cost_price":2.05,"stock_qty":24,"unit":"bag"`},
		{"WholePounds", "gbp", db.ItemChange{Price: n(1200), CostPrice: n(1000), StockMilli: n(100_000), Unit: "bag"},
			`"price":12,"cost_price":10,"stock_qty":100,"unit":"bag"`},
		{"Zero", "gbp", db.ItemChange{Price: n(0), CostPrice: n(0), StockMilli: n(0), Unit: "bag"},
			`"price":0,"cost_price":0,"stock_qty":0,"unit":"bag"`},
		{"OnePenny", "gbp", db.ItemChange{Price: n(1), CostPrice: n(10), StockMilli: n(1), Unit: "bag"},
			`"price":0.01,"cost_price":0.1,"stock_qty":0.001,"unit":"bag"`},
		{"AllUnknown", "gbp", db.ItemChange{}, `"price":null,"stock_qty":null,"unit":null`},
		{"PriceUnknown", "gbp", db.ItemChange{CostPrice: n(5), StockMilli: n(1000), Unit: "bag"},
			`"price":null,"cost_price":0.05,"stock_qty":1,"unit":"bag"`},
		{"CostUnknown", "gbp", db.ItemChange{Price: n(5), StockMilli: n(1000), Unit: "bag"},
			`"price":0.05,"stock_qty":1,"unit":"bag"`},
		{"YenHaveNoDecimals", "jpy", db.ItemChange{Price: n(450), CostPrice: n(1200), StockMilli: n(3000), Unit: "piece"},
			`"price":450,"cost_price":1200,"stock_qty":3,"unit":"piece"`},
		{"DinarsHaveThree", "kwd", db.ItemChange{Price: n(4567), CostPrice: n(1500), StockMilli: n(3000), Unit: "piece"},
			`"price":4.567,"cost_price":1.5,"stock_qty":3,"unit":"piece"`},
		{"SoldByWeight", "gbp", db.ItemChange{Price: n(3200), CostPrice: n(1850), StockMilli: n(4_250), Unit: "kg"},
			`"price":32,"cost_price":18.5,"stock_qty":4.25,"unit":"kg"`},
		{"NegativeStock", "gbp", db.ItemChange{Price: n(50), CostPrice: n(25), StockMilli: n(-1_500), Unit: "kg"},
			`"price":0.5,"cost_price":0.25,"stock_qty":-1.5,"unit":"kg"`},
		{"MoreDigitsThanAFloat", "gbp", db.ItemChange{Price: n(9_007_199_254_740_993), CostPrice: n(1), StockMilli: n(9_007_199_254_740_993), Unit: "bag"},
			`"price":90071992547409.93,"cost_price":0.01,"stock_qty":9007199254740.993,"unit":"bag"`},
		{"UnitInAnyScript", "gbp", db.ItemChange{Price: n(5), CostPrice: n(5), StockMilli: n(1000), Unit: `"袋" <b>&`},
			`"price":0.05,"cost_price":0.05,"stock_qty":1,"unit":"\"袋\" <b>&"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newCounter(t, 1000)
			if err := s.App.Accounts.SetProfile(context.Background(), s.Email, account.ProfileChange{Currency: &row.currency}); err != nil {
				t.Fatal(err)
			}
			row.item.Name, row.item.Barcodes = "It", book.Barcodes
			item := s.stock(t, row.item)
			s.scan(t, photoOf(t, "ean13")).ExpectBody(t, 200,
				`{"found":true,"inventory_id":"`+item.ID+`","name":"It",`+row.want+"}\n")
		})
	}
}

// A test key gets a fixed answer, is free and asks no model (F6).
func TestScanOfATestKey(t *testing.T) {
	servertest.Sequential(t)
	const canned = `{"found":true,"inventory_id":null,"name":"Ground Coffee 250g","price":4.5,"cost_price":2.7,` +
		`"stock_qty":24,"unit":"bag","test_mode":true}` + "\n"
	s := newSeeingCounter(t, 0)
	s.stock(t, book)
	for _, mode := range []db.Mode{db.AccountMode, db.GenericMode} {
		_, secret := s.Key(t, s.Email, db.Test, mode)
		key := servertest.WithKey(secret)
		for name, body := range map[string]string{
			"OfAPhoto":             scanOf(photoOf(t, "ean13")),
			"OfNoPhoto":            `{"image":"AAAA"}`,
			"OfAPNG":               scanOf([]byte("\x89PNG\r\n\x1a\n0000")),
			"OfMoreThanFiveMiB":    scanOf(make([]byte, 5<<20+1)),
			"OfTheSandboxMerchant": scanFor(`"acct_sandbox_merchant"`, []byte("abc")),
			"OfNoMerchant":         scanFor(`"acct_nobody"`, []byte("abc")),
		} {
			t.Run(string(mode)+name, func(t *testing.T) {
				s.scanBody(t, body, key).ExpectBody(t, 200, canned)
			})
		}
		first := s.scanBody(t, `{"image":"AAAA"}`, key, withKeyK)
		s.scanBody(t, `{"image":"AAAB"}`, key, withKeyK).ExpectReplay(t, first)
	}
	if asked := s.ollama.Requests(); len(asked) != 0 {
		t.Errorf("the model was asked: %+v", asked)
	}
	s.ExpectWallet(t, 0, 0)
	if n := len(s.Ledger(t, s.Email)); n != 0 {
		t.Errorf("%d rows in the ledger", n)
	}
}

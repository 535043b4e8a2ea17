package server

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"svc/db"
	"svc/server/account"
)

// Demo is what `svc serve --demo` prints: the shop and a fresh pair of keys.
type Demo struct {
	Email string
	// Password signs in as the shop. Every start makes a new one, as with the keys.
	Password string
	LiveKey  db.Secret
	TestKey  db.Secret
	// Replaced reports whether an earlier start had made keys, which are disabled now.
	Replaced bool
	// Photo is the address of a photo of one of the shop's items.
	Photo string
}

const (
	demoSetting = "demo"
	demoLabel   = "demo"
	demoApp     = "Shelf Counter"
	demoPhoto   = "coffee.jpg" // of the first of demoItems
	demoCredit  = 1000         // usd_cents
)

var demoShop = db.Account{
	Email:   "owner@demo.example",
	Name:    "Corner Coffee",
	Plan:    db.Business, // that of an operator (L9)
	Profile: db.Profile{BizType: "retail", Currency: "gbp", Region: "London", Timezone: "Europe/London"},
}

// demoItems are the items that the shop sells. The consent page shows the first of them.
var demoItems = []db.ItemChange{
	{Name: "Ground Coffee 250g", SKU: "COF-250", Barcodes: []string{"9521234500018"}, Unit: "bag",
		Price: new(int64(450)), CostPrice: new(int64(270)), StockMilli: new(int64(24_000)), ReorderMilli: new(int64(10_000))},
	{Name: "Espresso Beans 1kg", SKU: "ESP-1KG", Barcodes: []string{"9521234500025"}, Unit: "bag",
		Price: new(int64(1690)), CostPrice: new(int64(1040)), StockMilli: new(int64(9_000)), ReorderMilli: new(int64(6_000))},
	{Name: "Oat Milk 1l", SKU: "OAT-1L", Barcodes: []string{"9521234500032"}, Unit: "carton",
		Price: new(int64(220)), CostPrice: new(int64(135)), StockMilli: new(int64(60_000)), ReorderMilli: new(int64(24_000))},
	{Name: "Almond Croissant", SKU: "CRO-ALM", Unit: "piece",
		Price: new(int64(310)), CostPrice: new(int64(110)), StockMilli: new(int64(12_000))},
	{Name: "Loose Leaf Assam", SKU: "TEA-ASM", Unit: "kg",
		Price: new(int64(3200)), CostPrice: new(int64(3380)), StockMilli: new(int64(4_250)), ReorderMilli: new(int64(1_500))},
	{Name: "Paper Filters, 100", SKU: "FIL-100", Barcodes: []string{"9521234500049"}, Unit: "box",
		Price: new(int64(395)), CostPrice: new(int64(160)), StockMilli: new(int64(3_000)), ReorderMilli: new(int64(5_000))},
}

// ErrNotDemo means that the file has accounts that the demo did not make.
var ErrNotDemo = errors.New("this database was not made by --demo; leave it alone and name another with --db")

// CheckDemo returns ErrNotDemo for a file that the demo did not make. It writes nothing.
func CheckDemo(ctx context.Context, path string) error {
	err := db.Peek(ctx, path, func(tx *db.Tx) error {
		made, err := tx.Setting(demoSetting)
		if err != nil || made != "" {
			return err
		}
		return requireNoAccounts(tx)
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}

func requireNoAccounts(tx *db.Tx) error {
	has, err := tx.HasAccounts()
	if err == nil && has {
		err = ErrNotDemo
	}
	return err
}

// FillDemo makes the demo's shop unless the file has it, and replaces its password and
// its pair of keys, since those can be shown only when they are made.
func (a *App) FillDemo(ctx context.Context) (d Demo, err error) {
	photo, err := a.fronts.views.Asset(demoPhoto)
	if err != nil {
		return Demo{}, err
	}
	d.Photo = a.config.ConsoleURL + photo
	d.Password = strings.ToLower(rand.Text()[:16])
	hash, err := account.HashPassword(d.Password)
	if err != nil {
		return Demo{}, err
	}
	var shop db.Account
	err = a.store.Update(ctx, func(tx *db.Tx) (err error) {
		shop, err = openDemoShop(tx)
		return err
	})
	if err != nil {
		return Demo{}, err
	}
	if err := a.fillDemoHistory(ctx, shop); err != nil {
		return Demo{}, err
	}
	err = a.store.Update(ctx, func(tx *db.Tx) (err error) {
		if d.Replaced, err = disableDemoKeys(tx, shop.ID); err != nil {
			return err
		}
		if err := tx.SetPasswordHash(shop.ID, hash); err != nil {
			return err
		}
		d.Email = shop.Email
		app, err := openDemoApp(tx, shop.ID)
		if err != nil {
			return err
		}
		if _, d.LiveKey, err = tx.CreateKey(demoKey(app, db.Live)); err != nil {
			return err
		}
		_, d.TestKey, err = tx.CreateKey(demoKey(app, db.Test))
		return err
	})
	return d, err
}

func demoKey(app db.App, env db.Env) db.Key {
	return db.Key{AccountID: app.AccountID, AppID: app.ID, Env: env, Mode: db.AccountMode, Label: demoLabel}
}

// openDemoApp returns the app that the consent page names, and makes it if needed.
func openDemoApp(tx *db.Tx, accountID string) (db.App, error) {
	app, err := tx.AppByName(accountID, demoApp)
	if errors.Is(err, db.ErrNotFound) {
		return tx.CreateApp(db.App{AccountID: accountID, Name: demoApp})
	}
	return app, err
}

// openDemoShop returns the shop's account, and makes it if needed. It tops the wallet up
// again, so that the printed calls work.
func openDemoShop(tx *db.Tx) (db.Account, error) {
	made, err := tx.Setting(demoSetting)
	if err != nil {
		return db.Account{}, err
	}
	if made == "" {
		if err := makeDemoShop(tx); err != nil {
			return db.Account{}, err
		}
	}
	shop, err := tx.AccountByEmail(demoShop.Email)
	if err != nil {
		return db.Account{}, err
	}
	if err := addDemoItems(tx, shop.ID); err != nil {
		return db.Account{}, err
	}
	wallet, err := tx.Wallet(shop.ID)
	if err != nil || wallet.BalanceCents >= demoCredit/2 {
		return shop, err
	}
	_, err = tx.Credit(db.Entry{
		AccountID: shop.ID, Kind: db.TopUp, AmountCents: demoCredit - wallet.BalanceCents, Note: "demo credit",
	})
	return shop, err
}

func makeDemoShop(tx *db.Tx) error {
	if err := requireNoAccounts(tx); err != nil {
		return err
	}
	shop := demoShop
	shop.VerifiedAt = tx.Now()
	if _, err := tx.CreateAccount(shop); err != nil {
		return err
	}
	return tx.SetSetting(demoSetting, "made")
}

// addDemoItems adds the items that the shop does not have yet: an earlier svc may have
// made it with fewer. Their stock comes with the orders of the history; stocks that are
// there stay.
func addDemoItems(tx *db.Tx, accountID string) error {
	for _, item := range demoItems {
		had, err := tx.MatchItem(accountID, item)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		item.StockMilli = nil
		if had.StockMilli == nil {
			item.StockMilli = new(int64(0))
		}
		if _, err := tx.PutItem(accountID, item, db.MovedByCount); err != nil {
			return err
		}
	}
	return nil
}

// disableDemoKeys disables the pair of the last start, and reports whether there was one.
func disableDemoKeys(tx *db.Tx, accountID string) (some bool, err error) {
	keys, err := tx.Keys(accountID)
	if err != nil {
		return false, err
	}
	for _, k := range keys {
		if k.Label == demoLabel && k.DisabledAt.IsZero() {
			if err := tx.DisableKey(accountID, k.ID); err != nil {
				return false, err
			}
			some = true
		}
	}
	return some, nil
}

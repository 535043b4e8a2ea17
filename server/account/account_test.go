package account_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"svc/db"
	"svc/db/dbtest"
	"svc/embed"
	"svc/server/account"
	"svc/server/fault"
	"svc/server/mail"
)

var ctx = context.Background()

func newService(t *testing.T) *account.Service {
	t.Helper()
	return newServiceOn(t, dbtest.Open(t, dbtest.NewClock()))
}

// newServiceOn returns a service whose mails stay in the outbox.
func newServiceOn(t *testing.T, store *db.DB) *account.Service {
	t.Helper()
	composer, err := mail.NewComposer(embed.MailTemplates())
	if err != nil {
		t.Fatal(err)
	}
	mails := mail.New(mail.Config{Store: store, Composer: composer, Log: slog.New(slog.DiscardHandler)})
	return account.New(account.Config{Store: store, Mails: mails, Clock: time.Now, ConsoleURL: "http://127.0.0.1:8080"})
}

// with returns a service with accounts of these e-mails.
func with(t *testing.T, emails ...string) *account.Service {
	t.Helper()
	clock := dbtest.NewClock()
	s := newServiceOn(t, dbtest.Open(t, clock))
	for _, email := range emails {
		clock.Advance(time.Second) // ids are in order of time, not within a millisecond
		if _, err := s.Create(ctx, account.NewAccount{Email: email}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// expectError checks the code and the sentence that a front end would show.
func expectError(t *testing.T, err error, code fault.Code, sentence string) {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) || e.Code != code || e.Text() != sentence {
		t.Errorf("got %v, want %s: %s", err, code, sentence)
	}
}

func TestCreate(t *testing.T) {
	dbtest.Sequential(t)
	t.Run("DefaultsOfABusiness", func(t *testing.T) {
		s := newService(t)
		a, err := s.Create(ctx, account.NewAccount{Email: "Owner@Example.com"})
		if err != nil {
			t.Fatal(err)
		}
		if a.Email != "Owner@Example.com" || a.Name != "Owner" || !a.Operator || a.VerifiedAt.IsZero() ||
			a.PasswordHash != "" || a.Profile != (db.Profile{BizType: "retail", Currency: "gbp", Timezone: "UTC"}) {
			t.Errorf("made %+v", a)
		}
		w, err := s.Wallet(ctx, "owner@example.com")
		if err != nil || w.BalanceCents != 0 || w.LowBalanceCents != 100 {
			t.Errorf("wallet %+v, %v", w, err)
		}
	})

	t.Run("QuotedAddress", func(t *testing.T) {
		a, err := newService(t).Create(ctx, account.NewAccount{Email: `"mia @ home"@example.com`})
		if err != nil || a.Email != `"mia @ home"@example.com` || a.Name != "mia @ home" {
			t.Errorf("made %+v, %v", a, err)
		}
	})

	t.Run("OnlyTheFirstIsTheOperator", func(t *testing.T) {
		s := with(t, "first@example.com", "second@example.com")
		all, err := s.List(ctx)
		if err != nil || len(all) != 2 || !all[0].Operator || all[1].Operator {
			t.Errorf("accounts %+v, %v", all, err)
		}
	})

	for _, row := range []struct {
		name     string
		req      account.NewAccount
		sentence string
	}{
		{"NoEmail", account.NewAccount{}, "email: is required"},
		{"BadEmail", account.NewAccount{Email: "x"}, "email: must be one e-mail address, like name@example.com"},
		{"BadPlan", account.NewAccount{Email: "b@example.com", Plan: "gold"}, "plan: must be one of free, growth, business"},
		{"PlanInOtherCase", account.NewAccount{Email: "b@example.com", Plan: "Free"}, "plan: must be one of free, growth, business"},
		{"ShortPassword", account.NewAccount{Email: "b@example.com", Password: "123456789"}, "password: must have 10 to 200 characters"},
		{"LongPassword", account.NewAccount{Email: "b@example.com", Password: strings.Repeat("x", 201)}, "password: must have 10 to 200 characters"},
		{"SameEmailInOtherCase", account.NewAccount{Email: "A@Example.com"}, "email: A@Example.com has an account already"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := with(t, "a@example.com")
			_, err := s.Create(ctx, row.req)
			expectError(t, err, fault.InvalidRequest, row.sentence)
			if all, err := s.List(ctx); err != nil || len(all) != 1 {
				t.Errorf("%d accounts, %v", len(all), err)
			}
		})
	}
}

func TestEnsureOperator(t *testing.T) {
	s := newService(t)
	for _, email := range []string{"first@example.com", "second@example.com"} {
		if err := s.EnsureOperator(ctx, account.NewAccount{Email: email}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.List(ctx)
	if err != nil || len(all) != 1 || all[0].Email != "first@example.com" {
		t.Errorf("accounts %+v, %v", all, err)
	}
}

// The operator's account is on business unless they choose otherwise, and later ones are
// on free (L9).
func TestPlanOfANewAccount(t *testing.T) {
	const first, second = "first@example.com", "second@example.com"
	for name, row := range map[string]struct {
		makeFirst func(s *account.Service) error
		want      db.Plan
	}{
		"Create": {func(s *account.Service) error {
			_, err := s.Create(ctx, account.NewAccount{Email: first})
			return err
		}, db.Business},
		"CreateOnAGivenPlan": {func(s *account.Service) error {
			_, err := s.Create(ctx, account.NewAccount{Email: first, Plan: "free"})
			return err
		}, db.Free},
		"EnsureOperator": {func(s *account.Service) error {
			return s.EnsureOperator(ctx, account.NewAccount{Email: first})
		}, db.Business},
		"CreateKey": {func(s *account.Service) error {
			_, _, err := s.CreateKey(ctx, account.NewKey{Account: first})
			return err
		}, db.Business},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			if err := row.makeFirst(s); err != nil {
				t.Fatal(err)
			}
			if a, err := s.Find(ctx, first); err != nil || a.Plan != row.want {
				t.Errorf("the first account is on %q (%v), want %q", a.Plan, err, row.want)
			}
			if a, err := s.Create(ctx, account.NewAccount{Email: second}); err != nil || a.Plan != db.Free {
				t.Errorf("the second account is on %q (%v), want free", a.Plan, err)
			}
		})
	}
}

// Two processes that start on one new file may both make the operator.
func TestConcurrentEnsureOperatorMakesOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svc.db")
	clock := dbtest.NewClock()
	failed := make(chan error, 8)
	for i := range cap(failed) {
		s := newServiceOn(t, dbtest.OpenAt(t, path, clock))
		go func() {
			failed <- s.EnsureOperator(ctx, account.NewAccount{Email: fmt.Sprintf("a%d@example.com", i%2)})
		}()
	}
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	if all, err := newServiceOn(t, dbtest.OpenAt(t, path, clock)).List(ctx); err != nil || len(all) != 1 {
		t.Errorf("%d accounts (%v), want 1", len(all), err)
	}
}

func TestFind(t *testing.T) {
	t.Run("AnyCase", func(t *testing.T) {
		a, err := with(t, "a@example.com").Find(ctx, "A@EXAMPLE.COM")
		if err != nil || a.Email != "a@example.com" {
			t.Errorf("%+v, %v", a, err)
		}
	})
	t.Run("EmptyIsTheOnlyAccount", func(t *testing.T) {
		a, err := with(t, "a@example.com").Find(ctx, "")
		if err != nil || a.Email != "a@example.com" {
			t.Errorf("%+v, %v", a, err)
		}
	})
	t.Run("EmptyOfTwo", func(t *testing.T) {
		_, err := with(t, "a@example.com", "b@example.com").Find(ctx, "")
		expectError(t, err, fault.InvalidRequest, "account: there are several; say which one with --account")
	})
	t.Run("EmptyOfNone", func(t *testing.T) {
		_, err := newService(t).Find(ctx, "")
		expectError(t, err, fault.InvalidRequest, "account: there is none yet; name the first with --account you@example.com")
	})
	t.Run("Unknown", func(t *testing.T) {
		_, err := with(t, "a@example.com").Find(ctx, "b@example.com")
		expectError(t, err, fault.NotFound, "no account for b@example.com")
	})
}

func TestSetPlan(t *testing.T) {
	s := with(t, "a@example.com")
	for _, plan := range []db.Plan{db.Growth, db.Business, db.Free} {
		if err := s.SetPlan(ctx, "a@example.com", string(plan)); err != nil {
			t.Fatal(err)
		}
		if a, err := s.Find(ctx, ""); err != nil || a.Plan != plan {
			t.Errorf("plan %s, %v", a.Plan, err)
		}
	}
	expectError(t, s.SetPlan(ctx, "a@example.com", ""), fault.InvalidRequest, "plan: must be one of free, growth, business")
	expectError(t, s.SetPlan(ctx, "b@example.com", "free"), fault.NotFound, "no account for b@example.com")
}

func TestPassword(t *testing.T) {
	hash, err := account.HashPassword("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != "v=19" || parts[3] != "m=19456,t=2,p=1" {
		t.Fatalf("hash %s", hash)
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	key, keyErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || keyErr != nil || len(salt) != 16 {
		t.Fatalf("hash %s", hash)
	}
	if !bytes.Equal(key, argon2.IDKey([]byte("correct horse"), salt, 2, 19*1024, 1, 32)) {
		t.Error("the hash does not match the password")
	}
	if again, err := account.HashPassword("correct horse"); err != nil || again == hash {
		t.Errorf("two hashes of one password are the same: %v", err)
	}
	for _, password := range []string{strings.Repeat("ж", 10), strings.Repeat("🍵", 200)} {
		if _, err := account.HashPassword(password); err != nil {
			t.Errorf("%d characters: %v", len([]rune(password)), err)
		}
	}

	s := with(t, "a@example.com")
	if err := s.SetPassword(ctx, "a@example.com", "correct horse"); err != nil {
		t.Fatal(err)
	}
	if a, err := s.Find(ctx, ""); err != nil || !strings.HasPrefix(a.PasswordHash, "$argon2id$") {
		t.Errorf("stored %q, %v", a.PasswordHash, err)
	}
	expectError(t, s.SetPassword(ctx, "a@example.com", "short"), fault.InvalidRequest, "password: must have 10 to 200 characters")
}

func TestSetProfile(t *testing.T) {
	text := func(s string) *string { return &s }
	s := with(t, "a@example.com")
	if err := s.SetProfile(ctx, "a@example.com", account.ProfileChange{Currency: text("EUR"), Region: text(" Berlin ")}); err != nil {
		t.Fatal(err)
	}
	if err := s.SetProfile(ctx, "a@example.com", account.ProfileChange{BizType: text("exporter"), Timezone: text("Europe/Berlin")}); err != nil {
		t.Fatal(err)
	}
	want := db.Profile{BizType: "exporter", Currency: "eur", Region: "Berlin", Timezone: "Europe/Berlin"}
	if a, err := s.Find(ctx, ""); err != nil || a.Profile != want {
		t.Errorf("profile %+v, %v", a.Profile, err)
	}

	for _, row := range []struct {
		change   account.ProfileChange
		sentence string
	}{
		{account.ProfileChange{BizType: text("shop")}, "biz-type: must be one of retail, ecommerce, distributor, exporter"},
		{account.ProfileChange{Currency: text("euro")}, "currency: must be the code of a currency, like gbp"},
		{account.ProfileChange{Currency: text("zzz")}, "currency: must be the code of a currency, like gbp"},
		{account.ProfileChange{Currency: text("")}, "currency: must be the code of a currency, like gbp"},
		{account.ProfileChange{Currency: text("e1r")}, "currency: must be the code of a currency, like gbp"},
		{account.ProfileChange{Currency: text("€")}, "currency: must be the code of a currency, like gbp"},
		{account.ProfileChange{Timezone: text("Berlinn")}, "timezone: must be an IANA zone or its city, like Europe/London"},
		{account.ProfileChange{Timezone: text("")}, "timezone: is required"},
		{account.ProfileChange{Timezone: text("Local")}, "timezone: must be an IANA zone or its city, like Europe/London"},
		{account.ProfileChange{Timezone: text("../../etc/passwd")}, "timezone: must be an IANA zone or its city, like Europe/London"},
	} {
		expectError(t, s.SetProfile(ctx, "a@example.com", row.change), fault.InvalidRequest, row.sentence)
	}
	if a, err := s.Find(ctx, ""); err != nil || a.Profile != want {
		t.Errorf("a refused change was stored: %+v, %v", a.Profile, err)
	}
}

func TestCreateKey(t *testing.T) {
	t.Run("TestAndAccountModeByDefault", func(t *testing.T) {
		k, secret, err := with(t, "a@example.com").CreateKey(ctx, account.NewKey{Label: " till "})
		if err != nil || k.Env != db.Test || k.Mode != db.AccountMode || k.Label != "till" || k.Prefix != "svc_test_" ||
			!strings.HasPrefix(string(secret), k.Prefix) || !strings.HasSuffix(string(secret), k.LastFour) {
			t.Errorf("made %+v, %v", k, err)
		}
	})

	t.Run("PrefixShowsEnvironmentAndMode", func(t *testing.T) {
		s := with(t, "a@example.com")
		for want, req := range map[string]account.NewKey{
			"svc_live_": {Env: "live"}, "svc_test_": {Env: "test", Mode: "account"},
			"svc_generic_test_": {Mode: "generic"}, "svc_generic_live_": {Env: "live", Mode: "generic"},
		} {
			k, secret, err := s.CreateKey(ctx, req)
			if err != nil || k.Prefix != want || !strings.HasPrefix(string(secret), want) {
				t.Errorf("%+v has prefix %s, want %s: %v", req, k.Prefix, want, err)
			}
		}
	})

	t.Run("MakesTheFirstAccount", func(t *testing.T) {
		s := newService(t)
		if _, _, err := s.CreateKey(ctx, account.NewKey{Account: "new@example.com"}); err != nil {
			t.Fatal(err)
		}
		if a, err := s.Find(ctx, ""); err != nil || a.Email != "new@example.com" || !a.Operator {
			t.Errorf("account %+v, %v", a, err)
		}
		_, _, err := s.CreateKey(ctx, account.NewKey{Account: "another@example.com"})
		expectError(t, err, fault.NotFound, "no account for another@example.com")
	})

	t.Run("UnderAnApp", func(t *testing.T) {
		s := with(t, "a@example.com", "b@example.com")
		app, err := s.CreateApp(ctx, account.NewApp{Account: "a@example.com", Name: "Till"})
		if err != nil {
			t.Fatal(err)
		}
		k, _, err := s.CreateKey(ctx, account.NewKey{Account: "a@example.com", App: "Till"})
		if err != nil || k.AppID != app.ID {
			t.Errorf("key %+v, %v", k, err)
		}
		_, _, err = s.CreateKey(ctx, account.NewKey{Account: "b@example.com", App: "Till"})
		expectError(t, err, fault.InvalidRequest, `app: the account has no app named "Till"`)
	})

	for sentence, req := range map[string]account.NewKey{
		"env: must be test or live":               {Env: "production"},
		"mode: must be account or generic":        {Mode: "both"},
		"label: must have at most 100 characters": {Label: strings.Repeat("x", 101)},
		`app: the account has no app named "x"`:   {App: "x"},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := with(t, "a@example.com")
			_, _, err := s.CreateKey(ctx, req)
			expectError(t, err, fault.InvalidRequest, sentence)
			if keys, err := s.Keys(ctx, ""); err != nil || len(keys) != 0 {
				t.Errorf("%d keys, %v", len(keys), err)
			}
		})
	}
}

func TestSetKeyEnabled(t *testing.T) {
	s := with(t, "a@example.com")
	k, _, err := s.CreateKey(ctx, account.NewKey{})
	if err != nil {
		t.Fatal(err)
	}
	for _, enabled := range []bool{false, false, true, true} {
		if err := s.SetKeyEnabled(ctx, account.KeyRef{ID: k.ID}, enabled); err != nil {
			t.Fatal(err)
		}
		keys, err := s.Keys(ctx, "a@example.com")
		if err != nil || len(keys) != 1 || keys[0].DisabledAt.IsZero() != enabled {
			t.Errorf("keys %+v, %v, want enabled %v", keys, err, enabled)
		}
	}
	expectError(t, s.SetKeyEnabled(ctx, account.KeyRef{ID: "key_x"}, true), fault.NotFound, "no key key_x")
}

// picture returns a file with a red picture.
func picture(t *testing.T, format string, w, h int) []byte {
	t.Helper()
	p := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.RGBA{255, 0, 0, 255}})
	var out bytes.Buffer
	var err error
	switch format {
	case "png":
		err = png.Encode(&out, p)
	case "jpeg":
		err = jpeg.Encode(&out, p, nil)
	default:
		err = gif.Encode(&out, p, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestCreateApp(t *testing.T) {
	dbtest.Sequential(t)
	t.Run("DrawsTheLogoAnew", func(t *testing.T) {
		for _, format := range []string{"png", "jpeg", "gif"} {
			file := append(picture(t, format, 600, 300), "<script>"...)
			app, err := with(t, "a@example.com").CreateApp(ctx, account.NewApp{Name: " Till ", Logo: file})
			if err != nil || app.Name != "Till" || app.LogoType != "image/png" || bytes.Contains(app.Logo, []byte("<script>")) {
				t.Fatalf("%s: app %s of type %s, %v", format, app.Name, app.LogoType, err)
			}
			drawn, err := png.Decode(bytes.NewReader(app.Logo))
			if err != nil || drawn.Bounds().Dx() != 256 || drawn.Bounds().Dy() != 128 {
				t.Fatalf("%s: %v, %v", format, drawn, err)
			}
			if r, g, b, _ := drawn.At(100, 60).RGBA(); r>>8 < 240 || g>>8 > 15 || b>>8 > 15 {
				t.Errorf("%s: the colour is %d %d %d", format, r>>8, g>>8, b>>8)
			}
		}
	})

	t.Run("KeepsASmallLogo", func(t *testing.T) {
		app, err := with(t, "a@example.com").CreateApp(ctx, account.NewApp{Name: "Till", Logo: picture(t, "png", 1, 3)})
		if err != nil {
			t.Fatal(err)
		}
		if drawn, err := png.Decode(bytes.NewReader(app.Logo)); err != nil || drawn.Bounds() != image.Rect(0, 0, 1, 3) {
			t.Errorf("%v, %v", drawn, err)
		}
	})

	t.Run("NameOfAnotherAccountIsFree", func(t *testing.T) {
		s := with(t, "a@example.com", "b@example.com")
		for _, email := range []string{"a@example.com", "b@example.com"} {
			if _, err := s.CreateApp(ctx, account.NewApp{Account: email, Name: "Till"}); err != nil {
				t.Fatal(err)
			}
		}
		for email, want := range map[string]int{"": 2, "a@example.com": 1} {
			if apps, err := s.Apps(ctx, email); err != nil || len(apps) != want {
				t.Errorf("%d apps of %q, %v", len(apps), email, err)
			}
		}
	})

	for name, row := range map[string]struct {
		req      account.NewApp
		sentence string
	}{
		"NoName":       {account.NewApp{Name: " "}, "name: is required"},
		"LongName":     {account.NewApp{Name: strings.Repeat("x", 101)}, "name: must have at most 100 characters"},
		"TakenName":    {account.NewApp{Name: "Taken"}, `name: the account has an app named "Taken" already`},
		"EmptyLogo":    {account.NewApp{Name: "x", Logo: []byte{}}, "logo: must be a PNG, JPEG or GIF picture"},
		"WebP":         {account.NewApp{Name: "x", Logo: []byte("RIFF\x24\x00\x00\x00WEBPVP8 ")}, "logo: must be a PNG, JPEG or GIF picture"},
		"LogoWithCode": {account.NewApp{Name: "x", Logo: []byte("<svg onload=alert(1)>")}, "logo: must be a PNG, JPEG or GIF picture"},
		"LargeLogo":    {account.NewApp{Name: "x", Logo: make([]byte, 1<<20+1)}, "logo: must be at most 1024 KiB"},
		"WideLogo":     {account.NewApp{Name: "x", Logo: picture(t, "png", 2049, 1)}, "logo: must be at most 2048 pixels wide and high"},
		"CutLogo":      {account.NewApp{Name: "x", Logo: picture(t, "png", 600, 300)[:100]}, "logo: is not a complete picture"},
		"CutJPEG":      {account.NewApp{Name: "x", Logo: picture(t, "jpeg", 600, 300)[:700]}, "logo: is not a complete picture"},
	} {
		t.Run(name, func(t *testing.T) {
			s := with(t, "a@example.com")
			if _, err := s.CreateApp(ctx, account.NewApp{Name: "Taken"}); err != nil {
				t.Fatal(err)
			}
			_, err := s.CreateApp(ctx, row.req)
			expectError(t, err, fault.InvalidRequest, row.sentence)
		})
	}
}

func TestCredit(t *testing.T) {
	s := with(t, "a@example.com")
	for _, cents := range []int64{500, -200, 100_000_000} {
		if _, err := s.Credit(ctx, "a@example.com", cents, "note"); err != nil {
			t.Fatal(err)
		}
	}
	ledger, err := s.AllEntries(ctx, "a@example.com")
	if err != nil || len(ledger) != 3 {
		t.Fatalf("ledger %+v, %v", ledger, err)
	}
	for i, want := range []string{"topup 500 500", "adjustment -200 300", "topup 100000000 100000300"} {
		if e := ledger[i]; fmt.Sprint(e.Kind, " ", e.AmountCents, " ", e.BalanceAfterCents) != want || e.Note != "note" {
			t.Errorf("entry %+v, want %s", e, want)
		}
	}

	const bounds = "cents: must be a whole number from 1 to 100000000, or below zero to take credit back"
	for cents, sentence := range map[int64]string{
		0: bounds, 100_000_001: bounds, -100_000_001: bounds,
	} {
		_, err := s.Credit(ctx, "a@example.com", cents, "")
		expectError(t, err, fault.InvalidRequest, sentence)
	}
	_, err = with(t, "a@example.com").Credit(ctx, "", -1, "")
	expectError(t, err, fault.InvalidRequest, "cents: takes back more than the wallet has free")
	faults, checked, err := s.VerifyWallets(ctx)
	if err != nil || len(faults) != 0 || checked != 1 {
		t.Errorf("%v, %d checked, %v", faults, checked, err)
	}
}

func TestSetLowBalance(t *testing.T) {
	s := with(t, "a@example.com")
	for _, cents := range []int64{0, 1, 100_000_000} {
		if err := s.SetLowBalance(ctx, "a@example.com", cents); err != nil {
			t.Fatal(err)
		}
		if w, err := s.Wallet(ctx, ""); err != nil || w.LowBalanceCents != cents {
			t.Errorf("wallet %+v, %v", w, err)
		}
	}
	for _, cents := range []int64{-1, 100_000_001} {
		expectError(t, s.SetLowBalance(ctx, "", cents), fault.InvalidRequest, "cents: must be a whole number from 0 to 100000000")
	}
}

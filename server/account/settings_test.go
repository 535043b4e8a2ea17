package account_test

import (
	"context"
	"html"
	"net/url"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

func profileForm(name, bizType, currency, timezone, region string) url.Values {
	return url.Values{"name": {name}, "biz-type": {bizType}, "currency": {currency}, "timezone": {timezone}, "region": {region}}
}

const (
	settingsPath = "/console/settings"
	profilePath  = settingsPath + "/profile"
)

// The settings change the profile that svc accounts set changes.
func TestSettingsChangeTheProfile(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	b := h.Enter(t, servertest.Member)
	b.Get(t, settingsPath).ExpectPage(t, 200, `value="member"`, `<option value="retail" selected>Shop`, `<option value="gbp" selected>GBP`, `value="UTC"`)

	form := profileForm("  The Corner <Shop> ", "ecommerce", "EUR", "Europe/Lisbon", " Algarve ")
	form.Set("email", servertest.Boss)
	b.Post(t, profilePath, form).ExpectRedirect(t, settingsPath+"?done=profile&was=gbp")
	a, err := h.App.Accounts.Find(context.Background(), servertest.Member)
	if want := (db.Profile{BizType: "ecommerce", Currency: "eur", Region: "Algarve", Timezone: "Europe/Lisbon"}); err != nil || a.Profile != want || a.Name != "The Corner <Shop>" {
		t.Errorf("account %+v (%v), want %+v", a, err, want)
	}
	page := b.Get(t, settingsPath+"?done=profile&was=gbp")
	page.ExpectPage(t, 200, "Saved.", "The Corner <Shop>", `<option value="eur" selected>EUR`, `value="Europe/Lisbon"`, `value="Algarve"`)
	if page.Says("converted") {
		t.Error("a warning about prices without prices")
	}
	if other, err := h.App.Accounts.Find(context.Background(), servertest.Boss); err != nil || other.Profile.Currency != "gbp" {
		t.Errorf("another account was changed: %+v (%v)", other, err)
	}
}

// All that is wrong with a form is said at once.
func TestFormsSayAllThatIsWrong(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	b := h.Enter(t, servertest.Member)
	b.Post(t, profilePath, profileForm(" ", "exporter", "zzz", "Lisbonn", "")).ExpectErrorPage(t, 400, "invalid_request",
		"The name of the business is required.", "The currency must be the code of a currency", "profile-timezone-problem")
	b.Post(t, settingsPath+"/password", url.Values{"current": {""}, "password": {"short"}}).ExpectErrorPage(t, 400, "invalid_request",
		"The current password is required.", "The password must have 10 to 200 characters.")
	empty := newHouse(t)
	empty.Browser(t).Post(t, empty.SetupLink(t), url.Values{"email": {"nobody"}, "name": {" "}, "password": {"short"}, "timezone": {"Lisbonn"}}).
		ExpectErrorPage(t, 400, "invalid_request", "setup-email-problem", "The name of the business is required.", "The password must have", "setup-timezone-problem")
}

// A wrong value is said at its field, nothing is stored, and all that was typed stays.
func TestSettingsRefuse(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	b := h.Enter(t, servertest.Member)
	long := strings.Repeat("ü", 101)
	for field, form := range map[string]url.Values{
		"name":     profileForm(" ", "exporter", "eur", "Europe/Lisbon", "Algarve"),
		"biz-type": profileForm("Typed", "shop", "eur", "Europe/Lisbon", "Algarve"),
		"currency": profileForm("Typed", "exporter", "zzz", "Europe/Lisbon", "Algarve"),
		"timezone": profileForm("Typed", "exporter", "eur", "Lisbonn", "Algarve"),
		"region":   profileForm("Typed", "exporter", "eur", "Europe/Lisbon", long),
	} {
		a := b.Post(t, profilePath, form)
		a.ExpectErrorPage(t, 400, "invalid_request", `id="profile-`+field+`-problem"`, `-problem"`, `aria-invalid="true"`)
		for name := range form {
			typed := html.EscapeString(form.Get(name))
			if !a.Says(`value="`+typed+`"`) || name == "currency" && !a.Says(`<option value="`+typed+`" selected>`) {
				t.Errorf("%s: %s %q is not kept", field, name, typed)
			}
		}
	}
	a, err := h.App.Accounts.Find(context.Background(), servertest.Member)
	if err != nil || a.Name != "member" || a.Profile.Timezone != "UTC" || a.Profile.BizType != "retail" {
		t.Errorf("account %+v (%v)", a, err)
	}
}

// A new currency converts nothing, and the page says so as the command does: before the
// change at the field, after it in the notice.
func TestSettingsWarnOfKeptPrices(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	id := h.Person(t, servertest.Member).ID
	b := h.Enter(t, servertest.Member)
	const before, after = "If you change it, nothing is converted: the figures of the prices of 2 items stay as they are.",
		"2 items keep the figures of their prices, which were GBP and are now read as EUR: nothing is converted."
	if b.Get(t, settingsPath).Says("nothing is converted") {
		t.Error("a warning without prices")
	}
	dbtest.Update(t, h.Store, func(tx *db.Tx) error {
		for _, name := range []string{"Coffee", "Milk"} {
			if _, err := tx.PutItem(id, db.ItemChange{Name: name, Price: new(int64(450))}, "test"); err != nil {
				return err
			}
		}
		return nil
	})
	b.Get(t, settingsPath).ExpectPage(t, 200, before)

	b.Post(t, profilePath, profileForm("Shop", "retail", "jpy", "UTC", "")).ExpectErrorPage(t, 400, "invalid_request",
		"The currency has another number of decimals than GBP", `<option value="jpy" selected>`)
	b.Post(t, profilePath, profileForm("Shop", "retail", "eur", "UTC", "")).ExpectRedirect(t, settingsPath+"?done=profile&was=gbp")
	b.Get(t, settingsPath+"?done=profile&was=gbp").ExpectPage(t, 200, after)
	for _, query := range []string{"", "?done=profile", "?done=profile&was=eur", "?was=gbp", "?done=profile&was=<b>"} {
		if b.Get(t, settingsPath+query).Says("keep the figures") {
			t.Errorf("%q: a warning without a change", query)
		}
	}
}

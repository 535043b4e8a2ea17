package views

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// sample is a page with a name.
type sample struct {
	name string
	page Page
}

var (
	morning = time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	badge   = &Badge{Name: "Corner Coffee", Email: "owner@corner.example"}
	chief   = &Badge{Name: "Corner Coffee", Email: "owner@corner.example", Operator: true, Builds: true}
)

const linkToken = "3q2-7wQx_token"

func london(t testing.TB) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// typical returns pages with usual data, in all their states.
func typical(t testing.TB) []sample {
	zone := london(t)
	request := Connection{
		Token: linkToken, App: "Shelf Counter", HasLogo: true, Developer: "Tally Tools Ltd", To: "o•••@corner.example",
		Scopes: []Scope{{
			Name: "read_inventory", Title: "Read your inventory", Ticked: true,
			Details: "Name, price, cost price, stock and unit of the products that the app scans.",
		}},
		ExpiresAt: morning.AddDate(0, 0, 7), Zone: zone,
	}
	seen := request
	seen.To = "owner@corner.example"
	nameless := seen
	nameless.App, nameless.HasLogo, nameless.KeyLabel = "", false, "stock-taking, live"
	narrowed := seen
	narrowed.Scopes = []Scope{{Name: "read_inventory", Title: "Read your inventory"}}
	rows := []Row{
		{"Ground Coffee 250g", "COF-250", "£4.50", "£2.70", "24 bags"},
		{"Oat Milk Barista Edition 1 l", "OAT-1L", "£2.20", "£1.35", "60"},
		{"Ceramic Mug, blue", "MUG-BLU", "£9.00", "£3.80", "7"},
	}
	open := Frame{Title: "Access to your data"}
	signedIn := Frame{Title: "Access to your data", Account: badge}
	signIn := SignInForm{Action: "/connect/" + linkToken + "/signin", Next: "/connect/" + linkToken}
	account := NewAccountForm{Action: "/connect/" + linkToken + "/signup", Email: request.To, Masked: true}
	wrongCode := account
	wrongCode.Name, wrongCode.Problem, wrongCode.Field = "Corner Coffee", "This code is wrong, or it is too old. Type the newest one.", "code"
	wrongSignIn := signIn
	wrongSignIn.Email, wrongSignIn.Problem = "owner@corner.example", "E-mail or password is wrong."

	all := []sample{
		{"message", Message{Frame: Frame{Title: "This link does not work"}, Text: []string{"It may have ended, or a part of it is missing.", "Ask whoever sent it to you for a new one."}, Link: "/", LinkText: "Go to the start"}},
		{"message-done", Message{Frame: Frame{Title: "Declined", Account: badge, Notice: "The request of Shelf Counter was declined."}, Text: []string{"Nothing is shared."}}},
		{"signin", SignIn{Frame: Frame{Title: "Sign in"}, Form: SignInForm{Action: "/signin", Next: "/console/wallet"}, SignupOpen: true}},
		{"signin-wrong", SignIn{Frame: Frame{Title: "Sign in"}, Form: SignInForm{Action: "/signin", Email: "owner@corner.example", Problem: "E-mail or password is wrong."}}},
		{"signin-notice", SignIn{Frame: Frame{Title: "Sign in", Notice: "You are signed out."}, Form: SignInForm{Action: "/signin"}}},
		{"signup", AskEmail{Frame: Frame{Title: "Make an account"}, Next: "/console"}},
		{"signup-wrong", AskEmail{Frame: Frame{Title: "Make an account", Problem: "This must be one e-mail address, like name@example.com."}, Email: "owner@"}},
		{"recover", AskEmail{Frame: Frame{Title: "Set a new password"}, Recover: true}},
		{"code", EnterCode{Frame: Frame{Title: "Enter the code"}, Form: NewAccountForm{Action: "/signup/code", Next: "/console", Email: "owner@corner.example"}}},
		{"code-wrong", EnterCode{Frame: Frame{Title: "Enter the code"}, Form: NewAccountForm{Action: "/signup/code", Email: "owner@corner.example", Name: "Corner Coffee", Problem: "The password must have at least 10 characters.", Field: "password"}}},
		{"setup", Setup{Frame: Frame{Title: "Set up"}, Token: linkToken, Timezone: "UTC", Currencies: []Option{{Value: "gbp", Text: "GBP", Chosen: true}}}},
		{"setup-wrong", Setup{Frame: Frame{Title: "Set up", Problem: "Name is required."}, Token: linkToken, Email: "owner@corner.example", Field: "name"}},
		{"reset", Reset{Frame: Frame{Title: "Set a new password"}, Token: linkToken, Email: "owner@corner.example"}},

		{"connect-signin", ConnectSignIn{Frame: open, Connection: request, SignIn: signIn}},
		{"connect-signin-wrong", ConnectSignIn{Frame: open, Connection: request, SignIn: wrongSignIn}},
		{"connect-code", ConnectSignIn{Frame: open, Connection: request, SignIn: signIn, CodeSent: true, NewAccount: account}},
		{"connect-code-wrong", ConnectSignIn{Frame: open, Connection: request, SignIn: signIn, CodeSent: true, NewAccount: wrongCode}},
		{"connect-decide", ConnectDecide{Frame: signedIn, Connection: seen, Rows: rows}},
		{"connect-decide-nameless", ConnectDecide{Frame: signedIn, Connection: nameless}},
		{"connect-preview", ConnectDecide{Frame: open, Connection: request, Rows: rows, Preview: true}},
		{"connect-manage", ConnectManage{Frame: signedIn, Connection: seen, ApprovedAt: morning}},
		{"connect-manage-nothing", ConnectManage{Frame: Frame{Title: "Access to your data", Account: badge, Notice: "Saved. The app may read nothing any more."}, Connection: narrowed, ApprovedAt: morning}},
		{"connect-wrong-account", ConnectWrongAccount{Frame: Frame{Title: "For somebody else", Account: &Badge{Name: "Other Shop", Email: "me@other.example"}}, Connection: request}},
	}
	all = append(all, slices.Concat(requests(zone), overviews(zone, requestsWaiting(zone)))...)
	all = append(all, slices.Concat(homeSamples(), docsHomeSamples(Frame{Title: "Reference"}))...)
	all = append(all, charges()...)
	all = append(all, slices.Concat(console(zone), activity(zone), search())...)
	all = append(all, slices.Concat(keySamples(zone), appSamples(zone), webhookSamples(zone), briefSamples(zone))...)
	all = append(all, slices.Concat(console(zone), operator(zone), twoFactor(zone), activity(zone))...)
	all = append(all, keySamples(zone)...)
	all = append(all, asking(zone)...)
	all = append(all, keeping(zone)...)
	all = append(all, people(zone)...)
	return append(all, mailless(request, account)...)
}

// withoutMail returns the frame of a server without SMTP whose operator has a name.
func withoutMail(f Frame) Frame {
	f.Host = Host{NoMail: true, Operator: "Tally & Sons", Contact: "help@tally.example"}
	return f
}

// mailless returns the pages that say whom to ask for a code or a link.
func mailless(request Connection, account NewAccountForm) []sample {
	open := withoutMail(Frame{Title: "Access to your data"})
	code := NewAccountForm{Action: "/signup/code", Email: "owner@corner.example"}
	return slices.Concat(inventorySamples(), messageSamples(), []sample{
		{"signup-mailless", AskEmail{Frame: open}},
		{"recover-mailless", AskEmail{Frame: open, Recover: true}},
		{"code-mailless", EnterCode{Frame: open, Form: code}},
		{"connect-signin-mailless", ConnectSignIn{Frame: open, Connection: request}},
		{"connect-code-mailless", ConnectSignIn{Frame: open, Connection: request, CodeSent: true, NewAccount: account}},
		{"charge-operator", Charge{Frame: open, Token: linkToken, Amount: "£12.50", State: "pay"}},
	})
}

func charges() []sample {
	charge := Charge{
		Frame: Frame{Title: "Payment request"}, Token: linkToken, Amount: "£12.50",
		Description: "Invoice 2026-031\nThree bags of coffee, delivered on Friday.", From: "Tally Tools Ltd", App: "Shelf Counter",
		To: "o•••@corner.example", ExpiresAt: morning.AddDate(0, 0, 7),
	}
	in := func(state string, test, watch bool) Charge {
		c := charge
		c.State, c.Test, c.Watch, c.FormLeaves = state, test, watch, state == "pay"
		return c
	}
	long := in("pay", false, false)
	long.Amount, long.Description = "KWD 10,000.000", strings.Repeat("طلب دفع مقابل قهوة ", 10)+"\n"+strings.Repeat("ABCDEFGHIJ", 25)
	failed := in("pay", false, false)
	failed.Problem = "Stripe refused this amount: it is below the least that can be paid in GBP."
	return []sample{
		{"charge-pay", in("pay", false, false)},
		{"charge-pay-long", long},
		{"charge-pay-refused", failed},
		{"charge-simulate", in("simulate", true, false)},
		{"charge-unavailable", in("unavailable", false, false)},
		{"charge-processing", in("processing", false, true)},
		{"charge-approved", in("approved", false, false)},
		{"charge-approved-test", in("approved", true, false)},
		{"charge-declined", in("declined", true, false)},
		{"charge-expired", in("expired", false, false)},
	}
}

func console(zone *time.Location) []sample {
	frame := func(title, section string) Frame {
		return Frame{Title: title, Section: section, Account: chief}
	}
	ours := func(title, section string) Frame {
		return Frame{Title: title, Section: section, Account: badge}
	}
	bundles := []Bundle{
		{"b5", "£5.00", "$6.00 of credit"},
		{"b10", "£10.00", "$12.50 of credit"},
		{"b25", "£25.00", "$32.50 of credit"},
	}
	ledger := Entries{Zone: zone, Calls: true, Rows: []Entry{
		{morning.Add(-1 * time.Hour), "Message by API", "req_01kmq3v4k2m9fe8w7x6y5z4a3b", "Counter till …9fQk", "-$0.02", "$12.28", true, "/console/requests?open=req_1"},
		{morning.Add(-2 * time.Hour), "scan", "req_01kmq3v4k2m9fe8w7x6y5z4a3c", "live …9fQk", "-$0.20", "$12.30", true, ""},
		{morning.Add(-26 * time.Hour), "Bought for £10.00", "buy_01kmq3v4k2m9fe8w7x6y5z4a3d", "", "$12.50", "$12.50", false, ""},
		{morning.Add(-27 * time.Hour), "Added by the operator", "for the first month, as agreed by phone on the last day of February", "", "$10.00", "$10.00", false, ""},
	}}
	profile := Profile{
		Name: "Corner Coffee", Timezone: "Europe/London", Region: "Scotland", PricedItems: 2,
		BizTypes: []Option{{"retail", "Shop", true}, {"ecommerce", "Online shop", false}}, Currencies: []Option{{"eur", "EUR", false}, {"gbp", "GBP", true}},
	}
	waiting := requestsWaiting(zone)
	kinds := []Option{{"", "All", false}, {"debit", "Spent", true}}
	chrome := "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36"
	sessions := []Session{
		{"ses_1", "203.0.113.7", "Firefox on Windows", morning.Add(-50 * time.Hour), morning, true},
		{"ses_2", "2001:db8:4f2a:91c0::7", chrome, morning.Add(-70 * time.Hour), morning.Add(-3 * time.Hour), false},
	}
	lowFrame := frame("Wallet", "wallet")
	lowFrame.FormLeaves, lowFrame.Notice = true, "Saved. You are warned below $1.00."
	wrong := frame("Settings", "settings")
	wrong.Problem = "The current password is wrong."
	return []sample{
		{"charges", Charges{Frame: ours("Payments", "charges"), Zone: zone, Waiting: waiting[1:], Over: []Paid{
			{morning, "Invoice 2026-030", "£20.00", "paid", "/charges/ch_1"}, {morning.AddDate(0, -1, 0), "Three bags of coffee, delivered on Friday", "£12.50", "expired", "/charges/ch_2"},
		}}},
		{"charges-empty", Charges{Frame: ours("Payments", "charges")}},
		{"granted-waiting", Granted{Frame: ours("Granted", "granted"), Zone: zone, Waiting: waiting[:1], Grants: []Grant{
			{"conn_1", "Tally Tools Ltd", "Shelf Counter", "Read your inventory", "approved", morning, time.Time{}, morning, false},
		}}},
		{"wallet", Wallet{Frame: lowFrame, BalanceCents: 1228, HeldCents: 5, LowBalanceCents: 100, PricedIn: "GBP", Bundles: bundles, Credit: CreditWay{CanPay: true}, Threshold: "1.00", Ledger: ledger, Message: "$0.02", Scan: "$0.03"}},
		{"wallet-bought", Wallet{Frame: frame("Wallet", "wallet"), BalanceCents: 1228, LowBalanceCents: 100, PricedIn: "GBP", Bundles: bundles, Credit: CreditWay{CanPay: true}, Threshold: "1.00", Ledger: ledger, Message: "$0.02", Scan: "$0.03", Bought: "Thank you. The credit is here as soon as Stripe confirms the payment.", Refresh: "/console/wallet?bought=buy_1"}},
		{"wallet-empty", Wallet{Frame: ours("Wallet", "wallet"), Message: "$0.02", Kept: true, LowBalanceCents: 100, LowBalance: true, PricedIn: "GBP", Bundles: bundles}},
		{"wallet-wrong", Wallet{Frame: wrongly(frame("Wallet", "wallet"), "The threshold must be from 0 to $1,000,000.00."), BalanceCents: 1228, LowBalanceCents: 100, PricedIn: "GBP", Threshold: "-1.50", Field: "threshold"}},
		{"ledger", Ledger{Frame: frame("Ledger", "wallet"), Kinds: kinds, Keys: kinds, From: "2026-03-01", Filtered: true, Ledger: ledger, Pager: Pager{Older: "/console/wallet/ledger?before=3", Newest: "/console/wallet/ledger"}, CSV: "/console/wallet/ledger.csv"}},
		{"ledger-wrong", Ledger{Frame: wrongly(frame("Ledger", "wallet"), "The last day must not be before the first day."), Kinds: kinds, Keys: kinds, From: "2026-03-01", To: "2026-02-01", Field: "to", Filtered: true}},
		{"ledger-empty", Ledger{Frame: frame("Ledger", "wallet"), Kinds: kinds, Keys: kinds}},
		{"ledger-operator", Ledger{Frame: frame("Ledger", "wallet"), Credit: CreditWay{AddCredit: "/console/operator?open=acct_1", Email: "owner@corner.example"}}},
		{"wallet-used-up", Wallet{Frame: ours("Wallet", "wallet"), LowBalanceCents: 100, LowBalance: true, Threshold: "1.00", Ledger: ledger}},
		{"granted", Granted{Frame: ours("Granted", "granted"), Zone: zone, Open: &Grant{
			"conn_1", "Tally Tools Ltd", "Shelf Counter", "Read your inventory", "approved", morning, time.Time{}, morning, true,
		}, Grants: []Grant{
			{"conn_1", "Tally Tools Ltd", "Shelf Counter", "Read your inventory", "approved", morning, time.Time{}, morning, false},
			{"conn_2", "Somebody", "", "", "revoked", morning.AddDate(0, -1, 0), morning, time.Time{}, false},
		}}},
		{"granted-nothing", Granted{Frame: ours("Granted", "granted"), Search: "till"}},
		{"granted-empty", Granted{Frame: ours("Granted", "granted")}},
		{"settings", Settings{Frame: ours("Settings", "settings"), Email: "owner@corner.example", Profile: profile, Sessions: sessions, Zone: zone}},
		{"settings-profile-wrong", Settings{Frame: wrongly(ours("Settings", "settings"), "The time zone must be an IANA zone, like Europe/London."), Email: "owner@corner.example", Profile: profile, Field: "timezone", Sessions: sessions, Zone: zone}},
		{"settings-wrong", Settings{Frame: wrong, Email: "owner@corner.example", Field: "current", Sessions: sessions[:1], Zone: zone}},
		docsSample(Frame{Title: "Reference"}), eventsSample(Frame{Title: "Reference"}), changelogSample(Frame{Title: "Reference"}),
		{"connections", connectionsSample(ours("Connections", "connections"), zone)}, {"connections-empty", Connections{Frame: ours("Connections", "connections")}},
		{"try", trySample(ours("Try it", "try"))},
		{"charges-made", chargesMadeSample(ours("Charges", "charges"), zone)},
	}
}

func requestsWaiting(zone *time.Location) []Waiting {
	return []Waiting{
		{"Shelf Counter", "asks for access to your data", "", "Tally Tools Ltd", "/connect/conn_2", morning.AddDate(0, 0, 7), zone},
		{"Tally Tools Ltd", "asks you to pay £12.50", "Invoice 2026-031", "", "/charges/ch_3", morning.AddDate(0, 0, 6), zone},
	}
}

func wrongly(f Frame, problem string) Frame {
	f.Problem = problem
	return f
}

// empty returns the zero value of each page.
func empty() []sample {
	var out []sample
	for _, p := range all {
		out = append(out, sample{"zero-" + p.template(), p})
	}
	return out
}

const (
	attack = `"><script>alert(1)</script><img src=x onerror=alert(1)>' onmouseover='alert(1) javascript:alert(1) </title></textarea>` + "\x00`${1}{{.}}"
	// The marks turn the direction of the text that follows.
	rightToLeft = "\u202eקפה الزاوية \u2067"
)

// hostile returns pages with every text set to something bad, every list filled and every
// bool true, in all combinations of choices.
func hostile() []sample {
	var out []sample
	for kind, text := range map[string]string{
		"attack": attack,
		"long":   strings.Repeat("Wirtschaftsprüfungsgesellschaft", 12),
		"rtl":    strings.Repeat(rightToLeft, 20),
	} {
		for _, p := range all {
			v := reflect.New(reflect.TypeOf(p)).Elem()
			fill(v, text, nil)
			for i, choice := range choices(p) {
				for name, value := range choice {
					v.FieldByName(name).Set(reflect.ValueOf(value))
				}
				out = append(out, sample{fmt.Sprintf("%s-%s-%d", kind, p.template(), i), v.Interface().(Page)})
			}
		}
	}
	return out
}

// choices returns values of the fields that determine what a page shows.
func choices(p Page) []map[string]any {
	switch p.(type) {
	case Charge:
		var out []map[string]any
		for _, state := range []string{"pay", "simulate", "unavailable", "processing", "approved", "declined", "expired", "other"} {
			out = append(out, map[string]any{"State": state, "Test": true}, map[string]any{"State": state, "Test": false})
		}
		return out
	case Settings:
		return []map[string]any{{"Field": ""}, {"Field": "password"}, {"Field": "current"}}
	case Ledger:
		return []map[string]any{{"Field": ""}, {"Field": "kind"}, {"Field": "to"}}
	case Requests:
		rows := []Call{{Number: 1, ID: attack, Route: attack, Why: attack, Key: attack}, {Number: 2, Link: attack, Tag: attack, Route: attack}}
		return []map[string]any{{"Rows": rows}, {"Rows": rows, "Open": (*OpenCall)(nil), "Refresh": ""}, {"Rows": []Call(nil)}}
	case Setup:
		return []map[string]any{{"Field": ""}, {"Field": "email"}, {"Field": "password"}}
	case AskEmail:
		return []map[string]any{{"Recover": true}, {"Recover": false}}
	case EnterCode:
		return []map[string]any{
			{"Form": NewAccountForm{Action: "/x", Email: attack, Name: attack, Problem: attack, Field: "code"}},
			{"Form": NewAccountForm{Action: "/x", Email: attack, Masked: true, Name: attack, Problem: attack}},
		}
	case ConnectSignIn:
		return []map[string]any{{"CodeSent": true}, {"CodeSent": false}}
	case ConnectDecide:
		return []map[string]any{{"Preview": true}, {"Preview": false}, {"HasLogo": false, "App": ""}}
	case Apps:
		return []map[string]any{{"Field": ""}, {"Field": "app-name"}, {"New": (*AppForm)(nil)}}
	case Keys:
		return []map[string]any{{"Field": ""}, {"Field": "label"}, {"Field": "grace", "New": (*KeyForm)(nil)}}
	case Scan:
		return []map[string]any{{"Looked": true}, {"Looked": false}}
	case ImportPreview:
		return []map[string]any{{"State": "waiting"}, {"State": "running"}, {"State": "done"}}
	case Inventory:
		return []map[string]any{{"New": (*ItemForm)(nil)}, {"New": &ItemForm{Name: attack}}}
	case Wallet:
		return []map[string]any{{"Credit": CreditWay{CanPay: true}}, {"Credit": CreditWay{AddCredit: attack, Email: attack}}, {"Credit": CreditWay{Host: Host{Operator: attack}}}}
	}
	return []map[string]any{{}}
}

func fill(v reflect.Value, text string, inside []reflect.Type) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(-1e300)
	case reflect.Int, reflect.Int64:
		v.SetInt(-9_223_372_036_854_775_808)
	case reflect.Slice:
		if slices.Contains(inside, v.Type()) {
			return // a type that holds itself: one level of it is enough
		}
		inside = append(slices.Clone(inside), v.Type())
		v.Set(reflect.MakeSlice(v.Type(), 3, 3))
		for i := range 3 {
			fill(v.Index(i), text, inside)
		}
	case reflect.Map: // what is wrong with each field
		v.Set(reflect.ValueOf(map[string]string{"name": text, "password": text, "code": text, "timezone": text}))
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*time.Location]() {
			v.Set(reflect.ValueOf(time.FixedZone("<b>"+text, 3600)))
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text, inside)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(morning))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), text, inside)
		}
	default:
		panic("fill: " + v.Type().String())
	}
}

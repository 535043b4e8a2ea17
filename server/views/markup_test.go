package views

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMarkup checks every page with usual, empty and hostile data.
func TestMarkup(t *testing.T) {
	set := newSet(t)
	for _, s := range slices.Concat(typical(t), empty(), hostile()) {
		t.Run(s.name, func(t *testing.T) {
			root, err := parseMarkup(render(t, set, s.page).Body.String())
			if err != nil {
				t.Fatal(err)
			}
			checkFrame(t, root)
			checkSafety(t, root)
			checkForms(t, root)
			checkReferences(t, root)
			checkTables(t, root)
		})
	}
}

func checkFrame(t *testing.T, root *element) {
	t.Helper()
	for _, name := range []string{"html", "head", "title", "body", "header", "main", "footer", "h1"} {
		all := slices.DeleteFunc(root.named(name), func(e *element) bool { return e.parent != nil && e.parent.name == "rect" }) // of a drawing
		if n := len(all); n != 1 {
			t.Errorf("%d elements <%s>, want 1", n, name)
		}
	}
	for _, e := range root.named("html") {
		if e.attrs["lang"] != "en" {
			t.Error("<html> has no lang")
		}
	}
	for _, e := range root.named("nav") {
		if e.attrs["aria-label"] == "" {
			t.Error("<nav> has no aria-label")
		}
	}
	for _, e := range root.named("h1", "h2", "h3", "title", "button", "a", "label", "th", "caption", "legend", "summary") {
		if strings.TrimSpace(e.text) == "" && !e.has("hidden") {
			t.Errorf("%s is empty", e)
		}
	}
	for _, e := range root.named("time") {
		if _, err := time.Parse(time.RFC3339, e.attrs["datetime"]); err != nil {
			t.Errorf("%s: %v", e, err)
		}
	}
	for _, e := range root.named("img") {
		if !e.has("alt") {
			t.Errorf("%s has no alt", e)
		}
	}
	last := 1
	for _, e := range root.named("h1", "h2", "h3") {
		level := int(e.name[1] - '0')
		if level > last+1 {
			t.Errorf("%s %q skips a level", e, e.text)
		}
		last = level
	}
}

// checkSafety checks that nothing is inline or from another site, and that no data became
// markup.
func checkSafety(t *testing.T, root *element) {
	t.Helper()
	for _, e := range root.find(func(*element) bool { return true }) {
		for attr, value := range e.attrs {
			if attr == "style" || strings.HasPrefix(attr, "on") {
				t.Errorf("%s is inline", e)
			}
			if slices.Contains([]string{"href", "src", "action", "formaction", "srcset", "data-address"}, attr) {
				local := strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "//") || strings.HasPrefix(value, "#")
				if !local && !(value == "" && attr == "action") && !harmless(value) && !ours(e, value) {
					t.Errorf("%s leads to another site", e)
				}
			}
		}
	}
	for _, e := range root.named("script") {
		own := slices.ContainsFunc([]string{"charge", "console", "docs", "htmx", "messages", "scan", "setup", "show", "try"}, func(name string) bool {
			return strings.HasPrefix(e.attrs["src"], "/static/"+name+"-")
		})
		if e.text != "" || !own {
			t.Errorf("%s is not a script of ours", e)
		}
	}
	if found := root.named("style", "iframe", "object", "embed", "base"); len(found) > 0 {
		t.Errorf("%v", found)
	}
	for _, e := range root.named("img") {
		if e.attrs["src"] == "x" {
			t.Errorf("%s came from the data", e)
		}
	}
}

// ours reports whether the address is one of those that hold what they lead to: a key for an
// app that makes codes, a file to save, and a message to send by hand, to a number of digits.
func ours(e *element, address string) bool {
	_, saved := e.attrs["download"]
	if handLink.MatchString(address) {
		return true
	}
	return strings.HasPrefix(address, "otpauth://totp/") || saved && strings.HasPrefix(address, "data:text/plain;charset=utf-8,")
}

var handLink = regexp.MustCompile(`^(https://wa\.me/\d*\?text=|sms:\+\d*\?&body=)[^&<>" ]*$`)

// harmless reports whether data in the place of an address is a path of this site.
func harmless(address string) bool {
	return !strings.ContainsAny(strings.SplitN(address, "/", 2)[0], ":")
}

func checkForms(t *testing.T, root *element) {
	t.Helper()
	labels := map[string]string{}
	for _, e := range root.named("label") {
		labels[e.attrs["for"]] += strings.TrimSpace(e.text)
	}
	for _, e := range root.named("input", "select", "textarea") {
		kind := e.attrs["type"]
		if kind == "hidden" {
			if e.attrs["name"] == "" {
				t.Errorf("%s has no name", e)
			}
			continue
		}
		if labels[e.attrs["id"]] == "" {
			t.Errorf("%s has no label", e)
		}
		if kind != "checkbox" && e.attrs["autocomplete"] == "" {
			t.Errorf("%s has no autocomplete", e)
		}
		if e.has("aria-invalid") && e.attrs["aria-describedby"] == "" {
			t.Errorf("%s is invalid without a description", e)
		}
	}
	for _, e := range root.named("form") {
		searches := e.attrs["method"] == "get" && e.attrs["role"] == "search"
		if e.attrs["method"] != "post" && !searches || !e.has("action") {
			t.Errorf("%s", e)
		}
	}
	if len(root.find(func(e *element) bool { return e.has("autofocus") })) > 1 {
		t.Error("several elements have autofocus")
	}
}

// checkReferences checks that ids are unique and that references have a target.
func checkReferences(t *testing.T, root *element) {
	t.Helper()
	ids := map[string]bool{}
	for _, e := range root.find(func(e *element) bool { return e.has("id") }) {
		id := e.attrs["id"]
		if id == "" || ids[id] || strings.ContainsAny(id, " \"<") {
			t.Errorf("%s: the id is empty, repeated or invalid", e)
		}
		ids[id] = true
	}
	for _, e := range root.find(func(*element) bool { return true }) {
		refs := strings.Fields(e.attrs["aria-describedby"] + " " + e.attrs["aria-labelledby"] + " " + e.attrs["for"] + " " + e.attrs["form"])
		if target, ok := strings.CutPrefix(e.attrs["href"], "#"); ok && !harmlessFault(target) {
			refs = append(refs, target)
		}
		for _, ref := range refs {
			if !ids[ref] {
				t.Errorf("%s refers to the missing id %s", e, ref)
			}
		}
	}
}

// harmlessFault reports whether target is what html/template writes for an unsafe address.
func harmlessFault(target string) bool { return target == "ZgotmplZ" }

func checkTables(t *testing.T, root *element) {
	t.Helper()
	for _, e := range root.named("table") {
		if len(e.named("caption")) != 1 {
			t.Errorf("table without one caption")
		}
		for _, th := range e.named("th") {
			if th.attrs["scope"] == "" {
				t.Errorf("%s has no scope", th)
			}
		}
		if e.attrs["class"] == "prices" {
			continue // its words wrap, so it is never too wide
		}
		around := e.parent
		if around.attrs["class"] != "scroll" || around.attrs["tabindex"] != "0" || around.attrs["role"] != "region" {
			t.Errorf("table is not in a scrolling region: %s", around)
		}
	}
}

// TestForms checks the addresses and fields of forms that pages.go documents.
func TestForms(t *testing.T) {
	set := newSet(t)
	const signOut = "/signout:"
	connect, charge := "/connect/"+linkToken+"/", "/charges/"+linkToken+"/"
	signIn := connect + "signin: email next password"
	want := map[string][]string{
		"message":                nil,
		"message-done":           {signOut},
		"home":                   {"/docs: q"},
		"signin":                 {"/signin: email next password"},
		"signup":                 {"/signup: email next"},
		"recover":                {"/recover: email"},
		"code":                   {"/signup/code: code email name next password"},
		"setup":                  {"/setup/" + linkToken + ": currency email name password timezone"},
		"reset":                  {"/reset/" + linkToken + ": password"},
		"connect-signin":         {signIn, connect + "code:"},
		"connect-code":           {connect + "signup: code name password", connect + "code:", signIn},
		"connect-decide":         {signOut, connect + "approve: scope", connect + "decline:"},
		"connect-preview":        nil,
		"connect-manage":         {signOut, connect + "narrow: scope", connect + "revoke:"},
		"connect-manage-nothing": {signOut, connect + "revoke:"},
		"connect-wrong-account":  {"/signout: next"},
		"charge-pay":             {charge + "pay:"},
		"charge-simulate":        {charge + "approve:", charge + "decline:"},
		"charge-unavailable":     nil,
		"charge-processing":      nil,
		"charge-approved":        nil,
		"charge-declined":        nil,
		"charge-expired":         nil,
		"console":                {signOut, "/console/alerts/snooze: id", "/console/alerts/dismiss: id", "/console/alerts/snooze: id", "/console/alerts/dismiss: id"},
		"wallet":                 {signOut, "/console/wallet/threshold: threshold", "/console/wallet/buy: bundle bundle bundle"},
		"wallet-empty":           {signOut, "/console/wallet/threshold: threshold"},
		"ledger":                 {signOut, "/console/wallet/ledger: from key kind to"},
		"granted":                {signOut, "/console/granted: q", "/console/granted/revoke: id"},
		"settings":               {signOut, "/console/settings/profile: biz-type currency name region timezone", "/console/settings/password: current password username", "/console/settings/end: id", "/console/settings/end-others:"},
		"keys-new":               {signOut, "/console/keys: env q sort state", "/console/keys: app env label mode ticket"},
		"keys-open": {signOut, "/console/keys: env q sort state", "/console/keys/edit: app id label",
			"/console/keys/rotate: grace id last-four", "/console/keys/end-old: id", "/console/keys/disable: id"},
		"operator": {signOut, "/console/operator: q"},
		"operator-open": {signOut, "/console/operator: q", "/console/operator/credit: amount id note seen", "/console/operator/plan: id plan",
			"/console/operator/two-factor: email id", "/console/operator/two-factor: email id", "/console/operator/disable: id"},
	}
	for _, s := range typical(t) {
		forms, ok := want[s.name]
		if !ok {
			continue
		}
		delete(want, s.name)
		t.Run(s.name, func(t *testing.T) {
			root, err := parseMarkup(render(t, set, s.page).Body.String())
			if err != nil {
				t.Fatal(err)
			}
			if got := formsOf(root); !slices.Equal(got, forms) {
				t.Errorf("forms %q\nwant  %q", got, forms)
			}
		})
	}
	if len(want) > 0 {
		t.Errorf("no sample for %v", want)
	}
}

// formsOf returns each form as its address and the names of its fields.
func formsOf(root *element) []string {
	var out []string
	for _, form := range root.named("form") {
		var names []string
		for _, e := range form.named("input", "select", "button") {
			if name := e.attrs["name"]; name != "" {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s: %s", form.attrs["action"], strings.Join(names, " "))))
	}
	return out
}

// The two buttons of a decision differ only in their text.
func TestDecisionButtonsLookAlike(t *testing.T) {
	set := newSet(t)
	for _, s := range typical(t) {
		root, err := parseMarkup(render(t, set, s.page).Body.String())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range root.find(func(e *element) bool { return e.attrs["class"] == "choices" }) {
			buttons := e.named("button")
			if len(buttons) != 2 {
				t.Fatalf("%s: %d buttons, want 2", s.name, len(buttons))
			}
			for _, b := range buttons {
				if b.has("class") || b.has("autofocus") || b.has("disabled") != (s.name == "connect-preview") {
					t.Errorf("%s: %s", s.name, b)
				}
			}
		}
	}
}

// TestTexts checks texts that pages must and must not have.
func TestTexts(t *testing.T) {
	set := newSet(t)
	pages := map[string]string{}
	for _, s := range typical(t) {
		root, err := parseMarkup(render(t, set, s.page).Body.String())
		if err != nil {
			t.Fatal(err)
		}
		pages[s.name] = strings.Join(strings.Fields(root.named("main")[0].text), " ")
	}
	for name, texts := range map[string][]string{
		"connect-decide": {
			"Shelf Counter asks for access", "Tally Tools Ltd", "owner@corner.example", "9 Mar 2026, 10:00 GMT", "Cost price", "£2.70",
			"Your sales, customers, purchase orders, wallet, e-mails and passwords", "cannot change anything", "Console → Granted",
			"open this same link again", "You can approve with nothing ticked",
		},
		"connect-decide-nameless": {"No app name. Its key is labelled “stock-taking, live”", "There is nothing in your inventory yet"},
		"connect-preview":         {"Preview of a test key’s request.", "Nothing can be decided here", "made up"},
		"connect-manage":          {"Approved2 Mar 2026, 10:00 GMT", "You approved this.", "Untick", "Revoke access"},
		"connect-manage-nothing":  {"has no permission to read any of its data"},
		"connect-wrong-account":   {"addressed to o•••@corner.example", "Other Shop (me@other.example)"},
		"charge-pay":              {"£12.50", "operator of this server", "Stripe’s checkout", "9 Mar 2026, 10:00 UTC", "not passed on to Tally Tools Ltd automatically"},
		"charge-simulate":         {"Test mode: no money moves."},
		"charge-approved-test":    {"Test mode: no money moves."},
		"charge-unavailable":      {"Payments are not set up on this server"},
		"charge-processing":       {"Please do not pay again."},
		"charge-expired":          {"What this server is"},
		"wallet":                  {"counted in US cents", "priced in GBP", "$12.28", "By API"},
		"wallet-empty":            {"what you do here costs nothing", "Nothing has changed the credit yet"},
		"granted-empty":           {"Nobody can read your data"},
		"operator-mails-empty":    {"No mails yet"},
	} {
		for _, text := range texts {
			if !strings.Contains(pages[name], text) {
				t.Errorf("%s does not contain %q:\n%s", name, text, pages[name])
			}
		}
	}
	for name, text := range pages {
		live := strings.HasPrefix(name, "charge-") && !strings.Contains(text, "Test mode")
		if live && strings.Contains(text, "no money moves") || strings.Contains(text, "%!") {
			t.Errorf("%s contains %s", name, text)
		}
	}
}

// A page that asks for a secret, a decision or money says who runs the server and how to
// reach them, before its end and not only at it.
func TestPagesOfTrustNameTheOperator(t *testing.T) {
	set := newSet(t)
	frame := Frame{Host: Host{Operator: "Tally & Sons", Contact: "help@tally.example"}}
	pages := []Page{
		SignIn{Frame: frame}, AskEmail{Frame: frame}, AskEmail{Frame: frame, Recover: true}, EnterCode{Frame: frame},
		Setup{Frame: frame}, Reset{Frame: frame}, ConnectSignIn{Frame: frame}, ConnectSignIn{Frame: frame, CodeSent: true},
		ConnectDecide{Frame: frame}, ConnectDecide{Frame: frame, Preview: true}, ConnectManage{Frame: frame}, ConnectWrongAccount{Frame: frame},
	}
	for _, state := range []string{"pay", "simulate", "unavailable", "processing", "approved", "declined", "expired"} {
		pages = append(pages, Charge{Frame: frame, State: state})
	}
	for _, p := range pages {
		root, err := parseMarkup(render(t, set, p).Body.String())
		if err != nil {
			t.Fatal(err)
		}
		text := root.named("main")[0].text
		if !strings.Contains(text, "This server is run by Tally & Sons. Questions: help@tally.example") {
			t.Errorf("%T does not name the operator: %s", p, text)
		}
	}
}

// The operator's page is linked for the operator only, and sign-up only if it is open.
func TestConditionalLinks(t *testing.T) {
	set := newSet(t)
	for name, row := range map[string]struct {
		page Page
		text string
		want bool
	}{
		"Operator":     {Overview{Frame: Frame{Section: "overview", Account: chief}}, `href="/console/operator"`, true},
		"Merchant":     {Overview{Frame: Frame{Section: "overview", Account: badge}}, `href="/console/operator"`, false},
		"SignupOpen":   {SignIn{SignupOpen: true}, `href="/signup"`, true},
		"SignupClosed": {SignIn{}, `href="/signup"`, false},
		"Recover":      {SignIn{}, `href="/recover"`, true},
		"Watch":        {Charge{State: "processing", Watch: true}, `http-equiv="refresh"`, true},
		"NoWatch":      {Charge{State: "processing"}, `http-equiv="refresh"`, false},
		"NoScript":     {Charge{State: "processing"}, `<script`, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Contains(render(t, set, row.page).Body.String(), row.text); got != row.want {
				t.Errorf("contains %s: %v, want %v", row.text, got, row.want)
			}
		})
	}
}

// A problem is shown at the top of the page or beside its field.
func TestProblemIsShownOnce(t *testing.T) {
	set := newSet(t)
	const text = "This is what went wrong."
	frame := Frame{Problem: text}
	for name, p := range map[string]Page{
		"Message":      Message{Frame: frame},
		"SignUp":       AskEmail{Frame: frame},
		"Recover":      AskEmail{Frame: frame, Recover: true},
		"Reset":        Reset{Frame: frame},
		"Setup":        Setup{Frame: frame},
		"SetupField":   Setup{Frame: frame, Field: "name"},
		"Settings":     Settings{Frame: frame},
		"SettingsOld":  Settings{Frame: frame, Field: "current"},
		"SettingsNew":  Settings{Frame: frame, Field: "password"},
		"SettingsZone": Settings{Frame: frame, Field: "timezone"},
		"SettingsOdd":  Settings{Frame: frame, Field: "elsewhere"},
		"SetupOdd":     Setup{Frame: frame, Field: "elsewhere"},
		"Wallet":       Wallet{Frame: frame},
		"WalletField":  Wallet{Frame: frame, Field: "threshold"},
		"Ledger":       Ledger{Frame: frame, Field: "elsewhere"},
		"LedgerField":  Ledger{Frame: frame, Field: "to"},
		"Charge":       Charge{Frame: frame},
		"SignIn":       SignIn{Form: SignInForm{Problem: text}},
		"Account":      EnterCode{Form: NewAccountForm{Problem: text}},
		"AccountField": EnterCode{Form: NewAccountForm{Problem: text, Field: "code"}},
		"AccountOdd":   EnterCode{Form: NewAccountForm{Problem: text, Field: "elsewhere"}},
	} {
		t.Run(name, func(t *testing.T) {
			root, err := parseMarkup(render(t, set, p).Body.String())
			if err != nil {
				t.Fatal(err)
			}
			alerts := root.find(func(e *element) bool { return e.attrs["role"] == "alert" })
			if len(alerts) != 1 || alerts[0].text != text {
				t.Errorf("%d alerts, want 1 with the problem", len(alerts))
			}
		})
	}
}

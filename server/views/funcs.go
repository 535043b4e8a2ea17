package views

import (
	"cmp"
	"html/template"
	"time"

	"svc/server/money"
	"svc/server/zone"
)

// functions are the functions of templates, besides asset.
var functions = template.FuncMap{
	"when":  when,
	"usd":   usd,
	"count": count,

	"emailInput":     emailInput,
	"nameInput":      nameInput,
	"passwordInput":  passwordInput,
	"newPassword":    newPassword,
	"codeInput":      codeInput,
	"thresholdInput": thresholdInput,
	"autocomplete":   autocomplete,
	"readOnly":       readOnly,
	"displayOnly":    displayOnly,
	"focused":        focused,
	"withProblem":    withProblem,
	"withProblemID":  withProblemID,
	"problemOutside": problemOutside,
	"signInForm":     func(form SignInForm, focus bool) signInForm { return signInForm{form, focus} },
	"accountForm":    func(form NewAccountForm, host Host, focus bool) accountForm { return accountForm{form, host, focus} },
}

// when returns a <time> element for a time in a zone (UTC if nil), or a dash for the zero
// time.
func when(t time.Time, local *time.Location) template.HTML {
	if t.IsZero() {
		return "–"
	}
	local = cmp.Or(local, time.UTC)
	return template.HTML(`<time datetime="` + t.In(local).Format(time.RFC3339) + `">` +
		template.HTMLEscapeString(zone.Format(t, local)) + `</time>`)
}

// usd writes an amount of US cents: 1234 is $12.34.
func usd(cents int64) string { return money.Format(cents, "usd") }

// count says how many there are: "1 credit", "1,250 credits".
func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return money.Digits(n, 0) + " " + many
}

package views

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html/template"
	"strings"
	"time"

	"svc/server/money"
	"svc/server/zone"
)

// functions are the functions of templates, besides asset.
var functions = template.FuncMap{
	"anchor": anchor, "figures": figures,
	"prose": prose,
	"more":  more,

	"changeTag": changeTag,

	"merchantInput": merchantInput,

	"id": id, "shortID": shortID,
	"when":  when,
	"brief": brief,
	"clock": clock,
	"usd":   usd,
	"count": count,
	"len64": func(all []string) int64 { return int64(len(all)) },
	"icon":  icon,
	"lower": strings.ToLower,
	"panel": panel,

	"browserName": browserName,

	"askThis":          askThis,
	"datasetNameInput": datasetNameInput,

	"emailInput":    emailInput,
	"inviteInput":   inviteInput,
	"nameInput":     nameInput,
	"passwordInput": passwordInput,
	"newPassword":   newPassword,
	"codeInput":     codeInput,

	"recoveryInput": recoveryInput, "eitherCodeInput": eitherCodeInput,

	"thresholdInput": thresholdInput,
	"creditInput":    creditInput,
	"noteInput":      noteInput,
	"linesInput":     linesInput,
	"phoneInput":     phoneInput,
	"hinted":         hinted,
	"guessed":        guessed,
	"timezoneInput":  timezoneInput,
	"regionInput":    regionInput,
	"currencyInput":  currencyInput,
	"dateInput":      dateInput,
	"requestInput":   requestInput,
	"selectInput":    selectInput,
	"keyLabelInput":  keyLabelInput,
	"appNameInput":   appNameInput,
	"urlInput":       urlInput, "descriptionInput": descriptionInput,
	"searchInput":    searchInput,
	"itemInput":      itemInput,
	"optional":       optional,
	"decimal":        decimalInput,
	"autocomplete":   autocomplete,
	"readOnly":       readOnly,
	"displayOnly":    displayOnly,
	"focused":        focused,
	"withProblem":    withProblem,
	"withFaults":     withFaults,
	"withProblemID":  withProblemID,
	"withOthers":     withOthers,
	"problemOutside": problemOutside,
	"signInForm":     func(form SignInForm, focus bool) signInForm { return signInForm{form, focus} },
	"accountForm":    func(form NewAccountForm, host Host, focus bool) accountForm { return accountForm{form, host, focus} },
}

// when returns a <time> element for a time in a zone (UTC if nil), or a dash for the zero
// time.
func when(t time.Time, local *time.Location) template.HTML {
	local = cmp.Or(local, time.UTC)
	return timeElement(t, local, zone.Brief(t, local))
}

// brief is when without the name of the zone, for a table that names it once.
func brief(t time.Time, local *time.Location) template.HTML {
	local = cmp.Or(local, time.UTC)
	return timeElement(t, local, t.In(local).Format("2 Jan 2006, 15:04"))
}

// clock is brief with seconds and without the year, for a list of what just happened.
func clock(t time.Time, local *time.Location) template.HTML {
	local = cmp.Or(local, time.UTC)
	return timeElement(t, local, t.In(local).Format("2 Jan, 15:04:05"))
}

func timeElement(t time.Time, local *time.Location, text string) template.HTML {
	if t.IsZero() {
		return "–"
	}
	return template.HTML(`<time datetime="` + t.In(local).Format(time.RFC3339) + `">` + template.HTMLEscapeString(text) + `</time>`)
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

// IndentJSON returns a JSON value as people read it, and a text that is none as it is.
func IndentJSON(value []byte) string {
	var out bytes.Buffer
	if err := json.Indent(&out, value, "", "  "); err != nil {
		return string(value)
	}
	return out.String()
}

package account

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"svc/db"
	"svc/server/money"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const (
	activityPath = "/console/activity"
	activityRows = 50 // of a page
)

// ShowActivity handles GET /console/activity: what was done to the account's credit, plan,
// keys, grants and people, and by whom (L11). The operator sees that of all accounts with ?all=1.
func (p *ConsolePages) ShowActivity(w *web.Response, r *http.Request, v session.Visitor) error {
	all := v.Account.Operator && r.URL.Query().Get("all") != ""
	of := v.Account.ID
	if all {
		of = ""
	}
	before, _ := strconv.ParseInt(r.URL.Query().Get("before"), 10, 64) // anything else is the first page
	found, err := p.service.Activity(r.Context(), of, before, activityRows)
	if err != nil {
		return err
	}
	page := views.Activity{Frame: frame(r, v, "Activity", "activity"), All: all, Zone: zone.Of(v.Account.Profile.Timezone)}
	for _, l := range found.Lines {
		row := views.Act{At: l.At, Who: l.who(v.Account), What: l.what(), Link: l.link(v.Account)}
		if all {
			row.Of = cmp.Or(l.Of.Name, l.Of.Email)
		}
		page.Acts = append(page.Acts, row)
	}
	if before > 0 {
		page.Pager.Newest = activityAddress(all, 0)
	}
	if found.Older > 0 {
		page.Pager.Older = activityAddress(all, found.Older)
	}
	return p.views.Render(w, http.StatusOK, page)
}

func activityAddress(all bool, before int64) string {
	q := url.Values{}
	if all {
		q.Set("all", "1")
	}
	if before > 0 {
		q.Set("before", strconv.FormatInt(before, 10))
	}
	return (&url.URL{Path: activityPath, RawQuery: q.Encode()}).String()
}

// who names who did it, to a reader.
func (l ActLine) who(reader db.Account) string {
	switch {
	case l.Actor == reader.ID:
		return "You"
	case l.By.Operator:
		return "The operator"
	case l.By.ID != "":
		return cmp.Or(l.By.Name, l.By.Email)
	case l.Staff != "":
		return l.Staff
	case l.Actor == db.ActorCommand:
		return "The operator, by command"
	case l.Actor == db.ActorLink && l.Action == db.AccountMade && l.AccountID == reader.ID && reader.Operator:
		return "Whoever had the setup link"
	case l.Actor == db.ActorLink:
		return "Whoever had a mailed link or code"
	}
	return "This server"
}

// actWords are what was done; %s is the name of the key or of the app, or a person's e-mail.
var actWords = map[db.Action]string{
	db.AccountMade: "Account made", db.AccountDisabled: "Account disabled", db.AccountEnabled: "Account enabled", db.AccountDeleted: "Account deleted",
	db.PasswordSet: "Password changed", db.PlanSet: "Plan changed", db.CreditAdded: "Credit changed",
	db.KeyMade: "Key %s made", db.KeyLabelled: "Key renamed %s", db.KeyDisabled: "Key %s disabled", db.KeyEnabled: "Key %s enabled",
	db.KeyRotated: "Secret of key %s replaced", db.KeySecretsEnded: "Old secrets of key %s ended", db.KeyLimitsSet: "Limits of key %s set",
	db.TwoFactorOn: "Two-factor sign-in turned on", db.TwoFactorOff: "Two-factor sign-in turned off",
	db.RecoveryCodesMade: "New recovery codes made", db.RecoveryCodeUsed: "Signed in or confirmed with a recovery code",
	db.GrantApproved: "Access granted to %s", db.GrantNarrowed: "Access of %s narrowed", db.GrantRevoked: "Access of %s revoked",
	db.PersonInvited: "%s invited to the staff", db.PersonUninvited: "Invitation of %s withdrawn",
	db.PersonJoined: "%s joined the staff", db.PersonRemoved: "%s removed from the staff",
}

// what says what was done.
func (l ActLine) what() string {
	words := cmp.Or(actWords[l.Action], string(l.Action))
	if l.Action == db.PasswordSet && l.Subject != "" {
		words = "Password of %s changed"
	}
	words = strings.Replace(words, "%s", cmp.Or(keyName(l.Key), l.Grant, l.Whom, l.Subject), 1)
	if detail := l.detail(); detail != "" {
		words += ": " + detail
	}
	return words
}

func (l ActLine) detail() string {
	switch l.Action {
	case db.CreditAdded:
		if cents, err := strconv.ParseInt(l.Detail, 10, 64); err == nil {
			return money.Format(cents, "usd")
		}
	case db.KeyRotated:
		return "the old one ends " + l.Detail
	case db.GrantApproved, db.GrantNarrowed:
		return cmp.Or(strings.ReplaceAll(l.Detail, " ", ", "), "nothing")
	case db.KeySecretsEnded, db.RecoveryCodesMade:
		return ""
	case db.RecoveryCodeUsed:
		return l.Detail + " left"
	}
	return l.Detail
}

// link returns the page of what it was done to, for its owner.
func (l ActLine) link(reader db.Account) string {
	switch {
	case l.AccountID != reader.ID:
		return ""
	case l.Action == db.CreditAdded:
		return ledgerPath
	case l.Grant != "":
		return "/console/granted"
	}
	return ""
}

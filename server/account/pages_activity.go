package account

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
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
	search := strings.TrimSpace(r.URL.Query().Get("q"))
	found, err := p.service.FindActivity(r.Context(), of, before, activityRows, matchActs(v.Account, search))
	if err != nil {
		return err
	}
	page := views.Activity{Frame: frame(r, v, "Activity", "activity"), All: all, Search: search, Zone: zone.Of(v.Account.Profile.Timezone)}
	for _, l := range found.Lines {
		row := views.Act{At: l.At, Who: l.who(v.Account), What: l.what(), Link: l.link(v.Account)}
		if all {
			row.Of, row.OfLink = cmp.Or(l.Of.Name, l.Of.Email), operatorAddress("", "", l.Of.ID)
		}
		page.Acts = append(page.Acts, row)
	}
	if before > 0 {
		page.Pager.Newest = activityAddress(all, search, 0)
	}
	if found.Older > 0 {
		page.Pager.Older = activityAddress(all, search, found.Older)
	}
	return p.views.Render(w, http.StatusOK, page)
}

// matchActs returns what picks the acts whose words, as a reader sees them, have all of a
// text's; nil for an empty text.
func matchActs(reader db.Account, text string) func(ActLine) bool {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return nil
	}
	return func(l ActLine) bool {
		line := strings.ToLower(strings.Join([]string{l.what(), l.who(reader), l.Of.Name, l.Of.Email, l.AccountID, l.Subject}, " "))
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(line, word) })
	}
}

func activityAddress(all bool, search string, before int64) string {
	q := url.Values{}
	if search != "" {
		q.Set("q", search)
	}
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
	db.ThresholdSet: "Low-credit warning set", db.ProfileChanged: "Settings changed", db.WebhookMailsSet: "Mails about webhooks turned",
	db.KeyMade: "Key %s made", db.KeyLabelled: "Key renamed %s", db.KeyMoved: "Key %s moved to another app", db.KeyDisabled: "Key %s disabled", db.KeyEnabled: "Key %s enabled",
	db.KeyRotated: "Secret of key %s replaced", db.KeySecretsEnded: "Old secrets of key %s ended", db.KeyLimitsSet: "Limits of key %s set",
	db.TwoFactorOn: "Two-factor sign-in turned on", db.TwoFactorOff: "Two-factor sign-in turned off",
	db.RecoveryCodesMade: "New recovery codes made", db.RecoveryCodeUsed: "Signed in or confirmed with a recovery code",
	db.GrantApproved: "Access granted to %s", db.GrantNarrowed: "Access of %s narrowed", db.GrantRevoked: "Access of %s revoked",
	db.PersonInvited: "%s invited to the staff", db.PersonUninvited: "Invitation of %s withdrawn",
	db.PersonJoined: "%s joined the staff", db.PersonRemoved: "%s removed from the staff",
}

// what says what was done.
func (l ActLine) what() string {
	if l.Action == db.CreditAdded || l.Action == db.WebhookMailsSet {
		return l.whole()
	}
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

// whole words an act whose detail is a part of the phrase.
func (l ActLine) whole() string {
	if l.Action == db.WebhookMailsSet {
		return actWords[l.Action] + " " + l.Detail
	}
	cents, err := strconv.ParseInt(l.Detail, 10, 64)
	if err != nil {
		return actWords[l.Action] + ": " + l.Detail
	}
	text := money.Format(cents, "usd") + " credit"
	if cents > 0 {
		text = "+" + text
	}
	return text
}

func (l ActLine) detail() string {
	switch l.Action {
	case db.ThresholdSet:
		cents, err := strconv.ParseInt(l.Detail, 10, 64)
		switch {
		case err == nil && cents == 0:
			return "none"
		case err == nil:
			return "below " + money.Format(cents, "usd")
		}
	case db.KeyMoved:
		return ""
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
	case l.Action == db.ThresholdSet:
		return walletPath
	case l.Action == db.ProfileChanged || l.Action == db.WebhookMailsSet:
		return "/console/settings"
	case l.Key.ID != "":
		return keysPath + "?open=" + url.QueryEscape(l.Key.ID)
	case strings.HasPrefix(string(l.Action), "person."):
		return "/console/people"
	case l.Grant != "":
		return "/console/granted"
	}
	return ""
}

package db

import (
	"fmt"
	"strings"
	"time"
)

// Account is a business (L1): it owns keys, a wallet and an inventory. The first
// one is the operator's. Its e-mail is stored as given and compared by FoldEmail.
type Account struct {
	ID           string
	Email        string
	Name         string
	Plan         Plan
	Operator     bool
	PasswordHash string // empty: no password, so no sign-in
	VerifiedAt   time.Time
	Profile      Profile
	CreatedAt    time.Time
	DisabledAt   time.Time // zero if enabled
	DeletedAt    time.Time // zero unless it is deleted; then the id is in place of the e-mail
	WebhookMails bool      // the owner is mailed when a webhook is disabled (K5)
}

// provenEmail returns the account's e-mail as FoldEmail does, or "" as long as it is not
// verified (D5).
func (a Account) provenEmail() string {
	if a.VerifiedAt.IsZero() {
		return ""
	}
	return FoldEmail(a.Email)
}

// Profile describes the business to ask.
type Profile struct {
	BizType  string // one of BizTypes
	Currency string // ISO 4217, lower case
	Region   string
	Timezone string // IANA name
}

// BizTypes are the kinds of business (L1).
var BizTypes = []string{"retail", "ecommerce", "distributor", "exporter"}

const accountColumns = `id, email, name, plan, operator, password_hash, verified_at,
  biz_type, currency, region, timezone, created_at`

const storedAccount = accountColumns + `, disabled_at, deleted_at, webhook_mails`

var (
	// An e-mail is that of one person: an owner or one of any staff.
	insertAccount = newPrincipalQuery(`
INSERT INTO accounts (` + accountColumns + `, email_folded)
SELECT $1, $2, $3, $4, NOT EXISTS (SELECT 1 FROM accounts), $5, $6, $7, $8, $9, $10, $11, $12
WHERE NOT EXISTS (SELECT 1 FROM staff WHERE email_folded = $12)
RETURNING ` + storedAccount)

	accountByEmail = newQuery(`SELECT ` + storedAccount + ` FROM accounts WHERE email_folded = $1`)
	accountByID    = newQuery(`SELECT ` + storedAccount + ` FROM accounts WHERE id = $1`)
	// The text is anywhere in the e-mail or the name.
	findAccounts = newQuery(`
SELECT ` + storedAccount + `,
  (SELECT balance_cents FROM wallets WHERE wallets.account_id = accounts.id),
  (SELECT count(*) FROM api_keys WHERE api_keys.account_id = accounts.id AND api_keys.disabled_at IS NULL)
FROM accounts
WHERE deleted_at IS NULL AND id > $2
  AND ($1 = '' OR instr(lower(email), lower($1)) > 0 OR instr(lower(name), lower($1)) > 0)
ORDER BY id
LIMIT $3`)

	allAccounts     = newQuery(`SELECT ` + storedAccount + ` FROM accounts WHERE deleted_at IS NULL ORDER BY id`)
	anyAccount      = newQuery(`SELECT EXISTS (SELECT 1 FROM accounts)`)
	setPlan         = newPrincipalQuery(`UPDATE accounts SET plan = $2 WHERE id = $1`)
	setPasswordHash = newPrincipalQuery(`UPDATE accounts SET password_hash = $2 WHERE id = $1`)

	setWebhookMails = newPrincipalQuery(`UPDATE accounts SET webhook_mails = $2 WHERE id = $1`)

	setName = newPrincipalQuery(`UPDATE accounts SET name = $2 WHERE id = $1`)

	setProfile = newPrincipalQuery(`
UPDATE accounts
SET biz_type = $2, currency = $3, region = $4, timezone = $5
WHERE id = $1`)
)

func scanAccount(row scanner) (a Account, err error) {
	err = row.Scan(&a.ID, &a.Email, &a.Name, &a.Plan, &a.Operator, nullable(&a.PasswordHash), timestamp(&a.VerifiedAt),
		&a.Profile.BizType, &a.Profile.Currency, &a.Profile.Region, &a.Profile.Timezone, timestamp(&a.CreatedAt),
		timestamp(&a.DisabledAt), timestamp(&a.DeletedAt), &a.WebhookMails)
	return a, err
}

// CreateAccount stores a new account with an empty wallet. It sets ID, CreatedAt and
// Operator. ErrConflict: the e-mail is somebody's, see Person.
func (tx *Tx) CreateAccount(a Account) (Account, error) {
	p := a.Profile
	made, err := one(tx, insertAccount, scanAccount,
		tx.newID("acct_"), a.Email, a.Name, a.Plan, nullString(a.PasswordHash), nullMillis(a.VerifiedAt),
		p.BizType, p.Currency, p.Region, p.Timezone, tx.nowMs(), FoldEmail(a.Email))
	if err = translate(err, ErrNotFound, ErrConflict); err != nil {
		return Account{}, fmt.Errorf("create account: %w", err)
	}
	if err := tx.audit(tx.openWallet(made.ID), made.ID, AccountMade, "", string(a.Plan)); err != nil {
		return Account{}, fmt.Errorf("create account: %w", err)
	}
	return made, nil
}

// AccountByEmail finds an account by any spelling of its e-mail (FoldEmail), and a deleted
// one by its id.
func (tx *Tx) AccountByEmail(email string) (Account, error) {
	return one(tx, accountByEmail, scanAccount, FoldEmail(email))
}

// Account finds an account by its id.
func (tx *Tx) Account(id string) (Account, error) { return one(tx, accountByID, scanAccount, id) }

// Accounts lists all accounts but deleted ones, oldest first. It is the operator's view.
func (tx *Tx) Accounts() ([]Account, error) { return collect(tx, allAccounts, scanAccount) }

// Holder is an account with what it has.
type Holder struct {
	Account
	BalanceCents int64
	Keys         int // that are enabled
}

// FindAccounts lists at most limit accounts whose e-mail or name has a text, all for the
// empty one, oldest first; after is the id after which they come, empty for the first. It is
// the operator's view.
func (tx *Tx) FindAccounts(text, after string, limit int) ([]Holder, error) {
	return collect(tx, findAccounts, scanHolder, text, after, limit)
}

func scanHolder(row scanner) (h Holder, err error) {
	h.Account, err = scanAccount(longer{row, []any{&h.BalanceCents, &h.Keys}})
	return h, err
}

// longer is a row that has further columns at its end.
type longer struct {
	row  scanner
	last []any
}

func (l longer) Scan(dest ...any) error { return l.row.Scan(append(dest, l.last...)...) }

// HasAccounts reports whether the first account was made (L2).
func (tx *Tx) HasAccounts() (bool, error) { return value[bool](tx, anyAccount) }

// SetPlan changes the limits of all the account's keys from the next call on (A11).
func (tx *Tx) SetPlan(accountID string, plan Plan) error {
	return tx.audit(tx.execOne(setPlan, accountID, plan), accountID, PlanSet, "", string(plan))
}

// SetName changes what the business is called.
func (tx *Tx) SetName(accountID, name string) error {
	a, err := tx.Account(accountID)
	if err != nil || a.Name == name {
		return err
	}
	return tx.audit(tx.execOne(setName, accountID, name), accountID, ProfileChanged, "", "name") // no personal data
}

// SetWebhookMails turns the mail to the owner about a disabled webhook on or off.
func (tx *Tx) SetWebhookMails(accountID string, mails bool) error {
	a, err := tx.Account(accountID)
	if err != nil || a.WebhookMails == mails {
		return err
	}
	word := "off"
	if mails {
		word = "on"
	}
	return tx.audit(tx.execOne(setWebhookMails, accountID, mails), accountID, WebhookMailsSet, "", word)
}

// SetProfile replaces the account's profile.
func (tx *Tx) SetProfile(accountID string, p Profile) error {
	a, err := tx.Account(accountID)
	if err != nil || a.Profile == p {
		return err
	}
	err = tx.execOne(setProfile, accountID, p.BizType, p.Currency, p.Region, p.Timezone)
	return tx.audit(err, accountID, ProfileChanged, "", p.since(a.Profile))
}

// since names what is other than in an earlier profile. It has no text of a person.
func (p Profile) since(was Profile) string {
	var changed []string
	for _, f := range []struct{ name, from, to string }{
		{"type", was.BizType, p.BizType},
		{"currency", strings.ToUpper(was.Currency), strings.ToUpper(p.Currency)},
		{"time zone", was.Timezone, p.Timezone},
	} {
		if f.from != f.to {
			changed = append(changed, f.name+" "+f.from+" to "+f.to)
		}
	}
	if was.Region != p.Region {
		changed = append(changed, "region")
	}
	return strings.Join(changed, ", ")
}

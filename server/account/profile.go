package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"svc/db"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/zone"
)

// ProfileChange changes the fields that are not nil.
type ProfileChange struct {
	Name, BizType, Currency, Region, Timezone *string
}

// SetProfile changes the account's profile.
func (s *Service) SetProfile(ctx context.Context, email string, c ProfileChange) error {
	return s.change(ctx, email, func(tx *db.Tx, a db.Account) error {
		profile, err := c.apply(a.Profile)
		if err != nil {
			return err
		}
		if money.Decimals(profile.Currency) != money.Decimals(a.Profile.Currency) {
			if err := requireNoPrices(tx, a); err != nil {
				return err
			}
		}
		if c.Name == nil {
			return tx.SetProfile(a.ID, profile)
		}
		if err := checkName(c.Name); err != nil {
			return err
		}
		return errors.Join(tx.SetName(a.ID, strings.TrimSpace(*c.Name)), tx.SetProfile(a.ID, profile))
	})
}

// checkName refuses the name of a business that is empty or too long. It accepts nil.
func checkName(name *string) error {
	switch {
	case name == nil:
		return nil
	case strings.TrimSpace(*name) == "":
		return fault.Invalid("name", "is required")
	}
	return checkBusinessName(strings.TrimSpace(*name))
}

// SetWebhookMails turns the mail to the owner about a disabled webhook on or off (K5).
func (s *Service) SetWebhookMails(ctx context.Context, accountID string, mails bool) error {
	return s.Store.Update(ctx, func(tx *db.Tx) error { return tx.SetWebhookMails(accountID, mails) })
}

// WantsWebhookMails reports whether the setting concerns the account: it has webhooks, or has
// turned the mails off.
func (s *Service) WantsWebhookMails(ctx context.Context, a db.Account) (bool, error) {
	hooks, err := db.Read(ctx, s.Store, func(tx *db.Tx) ([]db.Webhook, error) { return tx.Webhooks(a.ID) })
	return len(hooks) > 0 || !a.WebhookMails, err
}

// requireNoPrices refuses a currency with another number of decimals if the account has
// prices: they are stored in minor units, so each would change its value.
func requireNoPrices(tx *db.Tx, a db.Account) error {
	version, err := tx.InventoryVersion(a.ID)
	if err == nil && version > 0 {
		err = fault.Invalid("currency", "has another number of decimals than "+strings.ToUpper(a.Profile.Currency)+
			", in which the prices of this account are stored").Because(db.ErrConflict)
	}
	return err
}

// PricedItems counts the account's items with a price or a cost price. When the account's
// currency changes, they keep their figures, which are then read in the new one.
func (s *Service) PricedItems(ctx context.Context, accountID string) (n int, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		n, err = tx.PricedItems(accountID)
		return err
	})
	return n, err
}

// KeptPrices says what a new currency means for the stored prices of n items. It is empty
// if there are none, or the currency is the same.
func KeptPrices(n int, from, to string) string {
	items := fmt.Sprintf("%d items keep the figures of their", n)
	switch {
	case n == 0 || from == to:
		return ""
	case n == 1:
		items = "1 item keeps the figures of its"
	}
	return fmt.Sprintf("%s prices, which were %s and are now read as %s: nothing is converted",
		items, strings.ToUpper(from), strings.ToUpper(to))
}

const maxRegion = 100 // characters

func (c ProfileChange) apply(p db.Profile) (db.Profile, error) {
	if c.BizType != nil {
		if !slices.Contains(db.BizTypes, *c.BizType) {
			return p, fault.Invalid("biz-type", "must be one of "+strings.Join(db.BizTypes, ", "))
		}
		p.BizType = *c.BizType
	}
	if c.Currency != nil {
		code, ok := money.Known(*c.Currency)
		if !ok {
			return p, fault.Invalid("currency", "must be the code of a currency, like gbp")
		}
		p.Currency = code
	}
	if c.Region != nil {
		p.Region = strings.TrimSpace(*c.Region)
		if utf8.RuneCountInString(p.Region) > maxRegion {
			return p, fault.Invalid("region", fmt.Sprintf("must be at most %d characters", maxRegion))
		}
	}
	if c.Timezone != nil {
		found, err := zone.Find("timezone", *c.Timezone)
		if err != nil {
			return p, err
		}
		p.Timezone = found
	}
	return p, nil
}

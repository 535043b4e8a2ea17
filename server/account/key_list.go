package account

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"svc/db"
)

// KeyState is a key as its owner sees it.
type KeyState struct {
	db.Key
	App    string         // name; empty: the key belongs to none
	Use    db.KeyUse      // this month
	UsedAt time.Time      // of the last call as far as the log and the counters tell; zero: none
	Limits []db.KeyLimits // arranged for this key
}

// Name is what lists call a key: its label and the end of its secret, which tells two keys
// with the same label apart.
func (k KeyState) Name() string { return keyName(k.Key) }

// RotatingAt reports whether an earlier secret of the key still works.
func (k KeyState) RotatingAt(now time.Time) bool { return k.OldEndsAt.After(now) }

// KeyStates reads an account's keys with their use, oldest first.
func (s *Service) KeyStates(ctx context.Context, accountID string) (all []KeyState, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		all, err = readKeyStates(tx, accountID)
		return err
	})
	if err != nil {
		return nil, err
	}
	used, err := s.LastUses(ctx, accountID, len(all))
	for i := range all {
		all[i].UsedAt = used[all[i].ID]
		if counted := all[i].Use.CountedAt; counted.After(all[i].UsedAt) {
			all[i].UsedAt = counted // its row in the log is not written yet
		}
	}
	return all, err
}

func readKeyStates(tx *db.Tx, accountID string) ([]KeyState, error) {
	keys, err := tx.Keys(accountID)
	if err != nil {
		return nil, err
	}
	apps, err := tx.Apps(accountID)
	if err != nil {
		return nil, err
	}
	uses, err := tx.KeyUses(accountID)
	if err != nil {
		return nil, err
	}
	limits, err := tx.KeyLimits(accountID)
	if err != nil {
		return nil, err
	}

	all := make([]KeyState, len(keys))
	at := map[string]*KeyState{}
	for i, k := range keys {
		all[i].Key = k
		at[k.ID] = &all[i]
		if n := slices.IndexFunc(apps, func(a db.App) bool { return a.ID == k.AppID }); n >= 0 {
			all[i].App = apps[n].Name
		}
	}
	for _, u := range uses {
		at[u.KeyID].Use = u
	}
	for _, l := range limits {
		at[l.KeyID].Limits = append(at[l.KeyID].Limits, l)
	}
	return all, nil
}

// KeyFilter picks keys of a list and orders them. Its zero value picks all, newest first.
type KeyFilter struct {
	Search string // in label, app, id and the end of the secret, whatever the case
	Env    db.Env
	State  string // "on", "off" or empty for both
	Sort   string // label, app, used, calls, spend or created; descending with "-" before it
}

// Apply returns the keys that the filter picks, in its order.
func (f KeyFilter) Apply(keys []KeyState) []KeyState {
	picked := slices.DeleteFunc(slices.Clone(keys), func(k KeyState) bool { return !f.picks(k) })
	name, down := strings.CutPrefix(cmp.Or(f.Sort, "-created"), "-")
	compare, ok := keyOrders[name]
	if !ok {
		compare, down = keyOrders["created"], true
	}
	slices.SortStableFunc(picked, compare)
	if down {
		slices.Reverse(picked)
	}
	return picked
}

func (f KeyFilter) picks(k KeyState) bool {
	if f.Env != "" && f.Env != k.Env || f.State == "on" && !k.DisabledAt.IsZero() || f.State == "off" && k.DisabledAt.IsZero() {
		return false
	}
	wanted := strings.ToLower(strings.TrimSpace(f.Search))
	return slices.ContainsFunc([]string{k.Label, k.App, k.ID, k.LastFour}, func(text string) bool {
		return strings.Contains(strings.ToLower(text), wanted)
	})
}

var keyOrders = map[string]func(a, b KeyState) int{
	"label":   func(a, b KeyState) int { return strings.Compare(strings.ToLower(a.Label), strings.ToLower(b.Label)) },
	"app":     func(a, b KeyState) int { return strings.Compare(strings.ToLower(a.App), strings.ToLower(b.App)) },
	"used":    func(a, b KeyState) int { return a.UsedAt.Compare(b.UsedAt) },
	"calls":   func(a, b KeyState) int { return cmp.Compare(a.Use.Calls, b.Use.Calls) },
	"spend":   func(a, b KeyState) int { return cmp.Compare(a.Use.SpentCents, b.Use.SpentCents) },
	"created": func(a, b KeyState) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID)) },
}

package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc/db"
	"svc/server/ask/plan"
	"svc/server/ask/tell"
	"svc/server/schema"
)

// Scope is data that an account can ask.
type Scope struct {
	ID          string // as AskOwn takes it
	Name        string // empty: of the dataset in use and the shop
	Sources     []ScopeSource
	Suggestions []string // questions; only of the chosen one
}

// ScopeSource is a table that is asked.
type ScopeSource struct {
	ID, Name    string
	Rows        int64
	First, Last string // its period, YYYY-MM-DD; may be empty
	// Words and Targets are, of the chosen one, what the account has taught, and what a word
	// can be taught to mean: figures and headings.
	Words   []schema.Word
	Targets []plan.TargetGroup
	Cut     bool // there are more
}

// scopeTime bounds the wait for what is known of an account's data: large data that are
// being read are listed without what is in them.
const scopeTime = 2 * time.Second

// Scopes lists what the account can ask; first is what it asks without a choice. None: it
// has no data. The chosen one, or the first, has suggestions and words.
func (s *Service) Scopes(ctx context.Context, owner db.Account, chosen string) ([]Scope, error) {
	sets, err := db.Read(ctx, s.store, func(tx *db.Tx) ([]db.Dataset, error) { return tx.Datasets(owner.ID) })
	if err != nil {
		return nil, err
	}
	var datasets []ScopeSource
	for _, d := range sets {
		one := ScopeSource{ID: d.ID, Name: d.Name, Rows: d.Rows}
		if d.Ready {
			err = errors.Join(err, json.Unmarshal([]byte(d.Source), &one))
			one.ID, one.Name, one.Rows = d.ID, d.Name, d.Rows
			datasets = append(datasets, one)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("ask: scopes: %w", err)
	}
	bounded, cancel := context.WithTimeout(ctx, scopeTime)
	defer cancel()
	var shop []ScopeSource
	entry, err := s.readers.get(bounded, owner, "", true)
	switch {
	case err == nil:
		shop = scopeSources(entry.sources)
	case bounded.Err() == nil || ctx.Err() != nil:
		return nil, err
	}
	all := scopesOf(datasets, shop)
	at := max(0, slices.IndexFunc(all, func(c Scope) bool { return c.ID == chosen }))
	if len(all) > 0 {
		err = s.suggest(bounded, owner, &all[at])
	}
	return all, err
}

// scopesOf lists the choices: everything first, then each dataset, then the shop.
func scopesOf(datasets, shop []ScopeSource) (all []Scope) {
	if len(datasets) > 0 {
		all = append(all, Scope{Sources: append(slices.Clone(datasets[:1]), shop...)})
	}
	for i, d := range datasets {
		if len(shop) > 0 || i > 0 {
			all = append(all, Scope{ID: d.ID, Name: d.Name, Sources: []ScopeSource{d}})
		}
	}
	if len(shop) > 0 {
		all = append(all, Scope{ID: db.AskedShop, Name: "Your shop’s own records", Sources: shop})
	}
	return all
}

func scopeSources(sources []schema.Source) (all []ScopeSource) {
	for _, one := range sources {
		all = append(all, ScopeSource{ID: one.ID, Name: one.Name, Rows: one.Rows, First: one.First, Last: one.Last})
	}
	return all
}

// suggest adds suggestions, words and their targets to a scope.
func (s *Service) suggest(ctx context.Context, owner db.Account, c *Scope) error {
	q := ownQuestion(db.Asked{Scope: c.ID}, true)
	entry, err := s.readers.get(ctx, owner, q.Dataset, q.Shop)
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, db.ErrNotFound) { // still being read, or removed meanwhile
			return nil
		}
		return err
	}
	today := s.options(owner, q).Today
	reads := func(text string) bool { return entry.reads(ctx, text, today) != nil }
	for _, source := range entry.sources {
		for _, question := range tell.Suggestions(source, reads) {
			if len(c.Suggestions) < maxSuggestions && !slices.Contains(c.Suggestions, question) {
				c.Suggestions = append(c.Suggestions, question)
			}
		}
		if at := slices.IndexFunc(c.Sources, func(x ScopeSource) bool { return x.ID == source.ID }); at >= 0 && isDataset(source) {
			c.Sources[at].Words = source.Words
			c.Sources[at].Targets, c.Sources[at].Cut = plan.TargetGroups(source)
		}
	}
	return nil
}

const maxSuggestions = 5

// DatasetOf returns the id of the dataset that an answer is of, for which a word can be
// taught; empty if it is of the shop's own tables, or if nothing was read.
func DatasetOf(a tell.Answer) string {
	if a.Explain == nil || !isDataset(schema.Source{ID: a.Explain.Plan.Source}) {
		return ""
	}
	return a.Explain.Plan.Source
}

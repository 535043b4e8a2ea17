package scan

import (
	"context"
	"errors"
	"strings"

	"svc/db"
	"svc/server/gtin"
	"svc/server/match"
)

// Match is an item that a text may mean.
type Match struct {
	Item     db.Item
	Score    float64 // from 0 to 1
	Accepted bool    // a scan that reads this text on a photo finds this item
	Reason   string  // why it is accepted or not
}

// Search looks a text up in an inventory as a scan does with what it reads on a photo: as a
// barcode or a SKU, and then as a name (F4). It returns the best items first, at most limit.
func (s *Service) Search(ctx context.Context, accountID, text string, limit int) (all []Match, err error) {
	text = strings.TrimSpace(text)
	id, how, err := s.inventories.byCode(ctx, accountID, detection{code: gtin.Key(text), text: text})
	if err != nil {
		return nil, err
	}
	var found []match.Candidate
	if id != "" {
		found = append(found, match.Candidate{ID: id, Score: 1, Accepted: true, Reason: "this is its " + how})
	}
	index, err := s.inventories.index(ctx, accountID)
	if err != nil {
		return nil, err
	}
	if index != nil {
		for _, c := range index.Explain(text, limit) {
			if c.ID == id {
				continue
			}
			if id != "" && c.Accepted {
				c.Accepted, c.Reason = false, id+" is meant"
			}
			found = append(found, c)
		}
	}
	return s.read(ctx, accountID, found[:min(limit, len(found))])
}

// read reads the items of candidates. One that was removed meanwhile is left out.
func (s *Service) read(ctx context.Context, accountID string, found []match.Candidate) (all []Match, err error) {
	err = s.store.LongView(ctx, func(tx *db.Tx) error {
		for _, c := range found {
			item, err := tx.Item(accountID, c.ID)
			if errors.Is(err, db.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			all = append(all, Match{Item: item, Score: c.Score, Accepted: c.Accepted, Reason: c.Reason})
		}
		return nil
	})
	return all, err
}

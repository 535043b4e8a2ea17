package db

import (
	"errors"
	"fmt"
)

// Product is a pushed record of an item (I2). It applies to the item of its external id, else
// to the one that MatchItem finds; the item then has that external id.
type Product struct {
	AccountID  string
	ExternalID string // empty if it has none
	Digest     []byte // of the record, which is unchanged if it comes again
	Change     ItemChange
}

// Errors of PutProduct.
var (
	// ErrNameless: the record has no name, and the inventory has no such item.
	ErrNameless = errors.New("the product is new and has no name")
	// ErrOtherProduct: its SKU, barcode or name is that of an item with another external id.
	ErrOtherProduct = errors.New("the item has another external id")
)

var (
	putPushedProduct = newQuery(`
INSERT INTO pushed_products (account_id, item_id, external_id, digest)
VALUES ($1, $2, $3, $4)
ON CONFLICT (account_id, item_id) DO UPDATE
SET external_id = coalesce(nullif(excluded.external_id, ''), external_id), digest = excluded.digest`)

	productByExternalID = newQuery(`
SELECT item_id, external_id, digest
FROM pushed_products
WHERE account_id = $1 AND external_id = $2 AND external_id <> ''`)

	productOfItem = newQuery(`
SELECT item_id, external_id, digest
FROM pushed_products
WHERE account_id = $1 AND item_id = $2`)

	deletePushedProduct = newQuery(`DELETE FROM pushed_products WHERE account_id = $1 AND item_id = $2`)
)

// pushedProduct is the last pushed record of an item.
type pushedProduct struct {
	itemID, externalID string
	digest             []byte
}

func scanPushedProduct(row scanner) (p pushedProduct, err error) {
	err = row.Scan(&p.itemID, &p.externalID, &p.digest)
	return p, err
}

// ItemByExternalID finds the account's item that was pushed under an external id.
func (tx *Tx) ItemByExternalID(accountID, externalID string) (Item, error) {
	p, err := one(tx, productByExternalID, scanPushedProduct, accountID, externalID)
	if err != nil {
		return Item{}, err
	}
	return tx.Item(accountID, p.itemID)
}

// PutProduct adds or changes an item. The same record again changes nothing, even if the
// item's stock has moved since. ErrConflict: its SKU and barcodes belong to several items,
// see MatchItem. Further errors are ErrNameless and ErrOtherProduct. After these nothing was
// changed.
func (tx *Tx) PutProduct(p Product) (Outcome, error) {
	item, outcome, err := tx.CompareProduct(p)
	if err != nil || outcome == Unchanged {
		return outcome, err
	}
	if outcome == Inserted {
		item, err = tx.addItem(p.AccountID, p.Change)
	} else {
		err = tx.changeItem(item, p.Change)
	}
	if err == nil {
		err = tx.putRest(item, p.Change, MovedByPush)
	}
	if err == nil {
		err = tx.exec(putPushedProduct, p.AccountID, item.ID, p.ExternalID, p.Digest)
	}
	if err != nil {
		return "", fmt.Errorf("put product: %w", err)
	}
	return outcome, nil
}

// CompareProduct returns the item that a record applies to, the zero value if there is none,
// and what PutProduct would do. It writes nothing.
func (tx *Tx) CompareProduct(p Product) (Item, Outcome, error) {
	pushed, err := one(tx, productByExternalID, scanPushedProduct, p.AccountID, p.ExternalID)
	if errors.Is(err, ErrNotFound) {
		return tx.compareMatch(p)
	}
	if err != nil || isRepeat(pushed.digest, p.Digest) {
		return Item{}, Unchanged, err
	}
	item, err := tx.Item(p.AccountID, pushed.itemID)
	if err == nil {
		err = tx.mayHaveCodes(item, p.Change)
	}
	return item, Updated, err
}

// compareMatch is CompareProduct of a record whose external id is new.
func (tx *Tx) compareMatch(p Product) (Item, Outcome, error) {
	item, err := tx.MatchItem(p.AccountID, p.Change)
	if errors.Is(err, ErrNotFound) {
		if p.Change.Name == "" {
			return Item{}, "", ErrNameless
		}
		return Item{}, Inserted, nil
	}
	if err != nil {
		return Item{}, "", err
	}
	pushed, err := one(tx, productOfItem, scanPushedProduct, p.AccountID, item.ID)
	switch {
	case errors.Is(err, ErrNotFound):
		return item, Updated, nil
	case err != nil:
		return Item{}, "", err
	case p.ExternalID != "" && pushed.externalID != "" && pushed.externalID != p.ExternalID:
		return Item{}, "", ErrOtherProduct
	case p.ExternalID == "" && isRepeat(pushed.digest, p.Digest):
		return item, Unchanged, nil
	}
	return item, Updated, nil
}

// mayHaveCodes returns ErrConflict if another item has the SKU or a barcode of a change.
func (tx *Tx) mayHaveCodes(item Item, c ItemChange) error {
	other, err := tx.ItemBySKU(item.AccountID, c.SKU)
	for _, code := range c.Barcodes {
		if err == nil && other.ID != item.ID || err != nil && !errors.Is(err, ErrNotFound) {
			break
		}
		other, err = tx.ItemByBarcode(item.AccountID, code)
	}
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err == nil && other.ID != item.ID:
		return ErrConflict
	}
	return err
}

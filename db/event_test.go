package db_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/event"
)

func TestEventsCommitWithTheirCause(t *testing.T) {
	dbtest.Sequential(t)
	p := newTwoAccounts(t)
	failed := errors.New("no")
	for i := range 3 {
		err := p.store.Update(background, func(tx *db.Tx) error {
			if _, err := tx.Emit(p.anna.ID, event.Stock{Name: fmt.Sprint("item ", i)}); err != nil {
				return err
			}
			if i == 1 {
				return failed
			}
			return nil
		})
		if (i == 1) != errors.Is(err, failed) {
			t.Fatalf("update %d: %v", i, err)
		}
	}
	dbtest.Update(t, p.other, func(tx *db.Tx) error {
		tx.MarkTest()
		_, err := tx.Emit(p.ben.ID, event.Stock{Name: "of ben"})
		return err
	})

	dbtest.View(t, p.other, func(tx *db.Tx) error {
		all, err := tx.Events(p.anna.ID, 0, 10)
		if err != nil || len(all) != 2 {
			t.Fatalf("%d events of anna, %v; want 2", len(all), err)
		}
		for i, e := range all {
			var body struct {
				event.Envelope
				Data event.Stock
			}
			if err := json.Unmarshal(e.Body, &body); err != nil {
				t.Fatal(err)
			}
			want := event.Envelope{
				ID: e.ID, Type: event.StockLow, Timestamp: e.CreatedAt, AccountID: p.anna.ID, Sequence: int64(i + 1),
			}
			if body.Envelope != want || body.Data.Name != fmt.Sprint("item ", 2*i) {
				t.Errorf("event %d: %s, want %+v", i, e.Body, want)
			}
		}
		if of, err := tx.Events(p.ben.ID, 0, 10); err != nil || len(of) != 1 || !of[0].TestMode || of[0].Sequence != 1 {
			t.Errorf("events of ben: %+v, %v", of, err)
		}
		return nil
	})
}

func TestOldEventsAreDropped(t *testing.T) {
	p := newTwoAccounts(t)
	emit := func() {
		dbtest.Update(t, p.store, func(tx *db.Tx) error {
			_, err := tx.Emit(p.anna.ID, event.Stock{})
			return err
		})
	}
	emit()
	p.clock.Advance(29 * 24 * time.Hour)
	emit()
	p.clock.Advance(24*time.Hour + time.Millisecond)
	dbtest.Update(t, p.store, func(tx *db.Tx) error {
		if n, err := tx.DropOldEvents(10); n != 1 || err != nil {
			t.Errorf("dropped %d, %v; want 1", n, err)
		}
		return nil
	})
	emit()
	dbtest.View(t, p.store, func(tx *db.Tx) error {
		all, err := tx.Events(p.anna.ID, 1, 10)
		if err != nil || len(all) != 2 || all[1].Sequence != 3 {
			t.Errorf("%+v, %v; want the sequences 2 and 3", all, err)
		}
		return nil
	})
}

func TestLongEventIsCut(t *testing.T) {
	sale := event.Sale{ItemCount: 1000}
	for range sale.ItemCount {
		sale.Items = append(sale.Items, event.Line{Name: strings.Repeat("n", 60)})
	}
	body, err := event.Body(event.Envelope{ID: "evt_1"}, sale)
	if err != nil || len(body) > 20_000 || len(body) < 8_000 {
		t.Fatalf("%d bytes, %v; want nearly 20,000", len(body), err)
	}
	var sent struct{ Data event.Sale }
	if err := json.Unmarshal(body, &sent); err != nil || sent.Data.ItemCount != 1000 || len(sent.Data.Items) == 0 {
		t.Errorf("%d of %d items, %v", len(sent.Data.Items), sent.Data.ItemCount, err)
	}
}

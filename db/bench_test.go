package db_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// BenchmarkView reads a wallet, alone and from many goroutines.
func BenchmarkView(b *testing.B) {
	store := dbtest.Open(b, dbtest.NewClock())
	id := dbtest.MustAccount(b, store, "shop@example.com", db.Growth).ID
	read := func(tx *db.Tx) error {
		_, err := tx.Wallet(id)
		return err
	}
	benchmarkDoor(b, store.View, read)
}

// BenchmarkRelaxedUpdate counts a call, alone and from many goroutines.
func BenchmarkRelaxedUpdate(b *testing.B) {
	store := dbtest.Open(b, dbtest.NewClock())
	account := dbtest.MustAccount(b, store, "shop@example.com", db.Business)
	key, _ := dbtest.MustKey(b, store, account.ID, db.Test, db.AccountMode)
	limits := db.Limits{Minute: 1 << 40, Month: db.Unlimited}
	benchmarkDoor(b, store.RelaxedUpdate, func(tx *db.Tx) error {
		_, _, err := tx.Count(key.ID, limits, true)
		return err
	})
}

// BenchmarkCountRolling counts a call of an endpoint with rolling windows, while 1,000 calls
// of the last hour are stored. BenchmarkRelaxedUpdate counts by the fixed minute.
func BenchmarkCountRolling(b *testing.B) {
	clock := dbtest.NewClock()
	store := dbtest.Open(b, clock)
	account := dbtest.MustAccount(b, store, "shop@example.com", db.Business)
	key, _ := dbtest.MustKey(b, store, account.ID, db.Test, db.AccountMode)
	wide := db.KeyLimits{KeyID: key.ID, Endpoint: "pulse", EndpointLimits: db.EndpointLimits{Minute: 2000, Hour: 2000}}
	dbtest.Update(b, store, func(tx *db.Tx) error { return tx.SetKeyLimits(wide) })
	limits := db.Limits{Month: db.Unlimited}
	count := func(tx *db.Tx) error {
		clock.Advance(3600 * time.Millisecond)
		_, _, over, err := tx.CountRolling(key.ID, "pulse", limits)
		if over != db.Within {
			b.Error("a call was refused")
		}
		return err
	}
	for range 1000 {
		dbtest.Update(b, store, count)
	}
	benchmarkDoor(b, store.RelaxedUpdate, count)
}

func benchmarkDoor(b *testing.B, door func(context.Context, func(*db.Tx) error) error, fn func(*db.Tx) error) {
	b.Run("Alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := door(context.Background(), fn); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Together", func(b *testing.B) {
		b.ReportAllocs()
		b.SetParallelism(25)
		var failed atomic.Bool
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := door(context.Background(), fn); err != nil {
					failed.Store(true)
				}
			}
		})
		if failed.Load() {
			b.Fatal("a transaction failed")
		}
	})
}

// BenchmarkList lists 100 charges, whose rows have many columns.
func BenchmarkList(b *testing.B) {
	store := dbtest.Open(b, dbtest.NewClock())
	account := dbtest.MustAccount(b, store, "shop@example.com", db.Growth)
	key, _ := dbtest.MustKey(b, store, account.ID, db.Test, db.AccountMode)
	dbtest.Update(b, store, func(tx *db.Tx) error {
		for i := range 100 {
			charge := db.Charge{KeyID: key.ID, AccountID: account.ID, MerchantEmail: "m@example.com", Amount: 100,
				Currency: "gbp", Description: fmt.Sprint("charge ", i), Env: db.Test}
			if _, _, err := tx.CreateCharge(charge); err != nil {
				return err
			}
		}
		return nil
	})
	b.ReportAllocs()
	for b.Loop() {
		dbtest.View(b, store, func(tx *db.Tx) error {
			all, err := tx.Charges(key.ID, 100)
			if err == nil && len(all) != 100 {
				err = fmt.Errorf("%d charges", len(all))
			}
			return err
		})
	}
}

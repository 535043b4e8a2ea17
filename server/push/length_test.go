package push_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/event"
	"svc/server"
)

// The transactions of a push are as short for an account with many webhooks.
func TestPushCountsWebhooks(t *testing.T) {
	t.Parallel()
	var ticks atomic.Int64 // each transaction has a time of its own
	s := newShop(t, func(c *server.Config) {
		now := c.Clock
		c.Clock = func() time.Time { return now().Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
	})
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		for n := range 20 {
			w := db.Webhook{ID: fmt.Sprint("wh_", n), AccountID: s.id, URL: "https://till.example", Events: []event.Kind{event.SaleCreated}, Secret: []byte("x")}
			if _, err := tx.CreateWebhook(w); err != nil {
				return err
			}
		}
		return nil
	})
	var sales []any
	for n := range 30 {
		sales = append(sales, s.sale(fmt.Sprint(n), object{"name": "A chat", "quantity": 1, "price": 5}))
	}
	s.push(sales...)
	found, err := s.Store.Query(t.Context(), 1, `
SELECT sum(n), max(n)
FROM (SELECT count(*) AS n FROM webhook_deliveries WHERE account_id = $1 GROUP BY created_at)`, s.id)
	if err != nil {
		t.Fatal(err)
	}
	if total, most := found.Rows[0][0].(int64), found.Rows[0][1].(int64); total != 600 || most > 100 {
		t.Errorf("%d deliveries, %d in one transaction; want 600, at most 100", total, most)
	}
}

package webhook_test

import (
	"context"
	"database/sql"
	"log/slog"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/event"
	"svc/server/webhook"
)

const (
	// large and small are how much is queued, or in the log.
	large, small = 100_000, 2_000
	// chunk bounds the rows of one transaction, with a few that go along.
	chunk = 500 + 10
	// recoverChunk bounds the events that one transaction reads.
	recoverChunk = 200
)

// counted is a shop, and a Service on a store of its own whose transactions are counted.
type counted struct {
	*shop
	hooks   *webhook.Service
	commits *dbtest.Commits
	webhook db.Webhook
	to      *receiver
}

// newCounted makes a shop with one webhook for stock.low.
func newCounted(t *testing.T) *counted {
	t.Helper()
	c := &counted{shop: newShop(t), to: newReceiver(t, nil)}
	c.hooks = webhook.New(webhook.Config{
		Store: c.Store, Clock: c.Clock.Now, Log: slog.New(slog.DiscardHandler), Sweep: time.Minute,
	})
	c.webhook, _ = c.subscribe(t, c.to.URL, event.StockLow)
	c.commits = dbtest.CountCommits(t, c.Store)
	return c
}

// exec runs a statement on the file. $1 is the account, $2 the webhook, $3 the number of
// rows and $4 the time.
func (c *counted) exec(t *testing.T, rows int, statement string) {
	t.Helper()
	file, err := sql.Open("sqlite", "file:"+c.Path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $3) `
	if _, err := file.Exec(numbers+statement, c.account.ID, c.webhook.ID, rows, c.Clock.Now().UnixMilli()); err != nil {
		t.Fatal(err)
	}
}

// fillQueue queues deliveries for the webhook.
func (c *counted) fillQueue(t *testing.T, rows int) {
	t.Helper()
	c.exec(t, rows, `INSERT INTO webhook_deliveries
SELECT $1, $2, printf('dlv_%026d', i), 'event', printf('evt_%026d', i), i, 'stock.low', 0, '{}', 'queued', 0, $4, 0, 0, '', '', $4, $4, '', '' FROM n`)
}

// fillLog gives the account a log of events of a kind that the webhook has not, and one at
// the end that it has.
func (c *counted) fillLog(t *testing.T, rows int) {
	t.Helper()
	c.exec(t, rows, `INSERT INTO events
SELECT $1, i, printf('evt_%026d', i), iif(i < $3, 'sale.created', 'stock.low'), 0, $4, '{}' FROM n`)
	c.exec(t, rows, `INSERT INTO event_logs SELECT $1, i FROM n WHERE i = $3 AND $2 <> '' AND $4 > 0`)
}

func (c *counted) enable(t *testing.T, ctx context.Context, on bool) error {
	t.Helper()
	_, err := c.hooks.Change(ctx, c.account.ID, c.webhook.ID, webhook.Change{Enabled: &on})
	return err
}

// queued returns how many deliveries are in the state queued.
func (c *counted) queued(t *testing.T) (n int) {
	t.Helper()
	file, err := sql.Open("sqlite", "file:"+c.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.QueryRow(`SELECT count(*) FROM webhook_deliveries WHERE state = 'queued'`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// expectChunks checks that at least all rows were written since the commits were counted,
// in no large transaction.
func (c *counted) expectChunks(t *testing.T, all int64) {
	t.Helper()
	if got := c.commits.All(); got < all {
		t.Errorf("%d rows written, want %d", got, all)
	}
	if got := c.commits.Largest(); got > chunk {
		t.Errorf("a transaction wrote %d rows, want at most %d", got, chunk)
	}
}

func TestDisableDropsInChunks(t *testing.T) {
	t.Parallel()
	c := newCounted(t)
	c.fillQueue(t, large)
	if err := c.enable(t, t.Context(), false); err != nil {
		t.Fatal(err)
	}
	c.expectChunks(t, large)
	if n := c.queued(t); n != 0 {
		t.Errorf("%d are still queued", n)
	}
}

func TestDeleteDropsInChunks(t *testing.T) {
	t.Parallel()
	c := newCounted(t)
	c.fillQueue(t, small)
	if err := c.hooks.Delete(t.Context(), c.account.ID, c.webhook.ID); err != nil {
		t.Fatal(err)
	}
	c.expectChunks(t, small)
	if n := c.queued(t); n != 0 {
		t.Errorf("%d are still queued", n)
	}
}

// A process that ends after it has disabled or deleted a webhook leaves the queue. Nothing of
// it is sent, and the next sweep drops it in chunks.
func TestSweepDropsWhatIsLeft(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(tx *db.Tx, w db.Webhook) error{
		"disabled": func(tx *db.Tx, w db.Webhook) error {
			return tx.DisableWebhook(w.AccountID, w.ID, db.DisabledByOwner)
		},
		"deleted": func(tx *db.Tx, w db.Webhook) error { return tx.DeleteWebhook(w.AccountID, w.ID) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCounted(t)
			c.fillQueue(t, small)
			dbtest.Update(t, c.Store, func(tx *db.Tx) error { return end(tx, c.webhook) })
			if err := c.hooks.Deliver(t.Context()); err != nil {
				t.Fatal(err)
			}
			c.expectChunks(t, small)
			c.to.expect(t, 0)
			if n := c.queued(t); n != 0 {
				t.Errorf("%d are still queued", n)
			}
		})
	}
}

// Enabling first drops what an interrupted disabling has left, so that it is not sent.
func TestEnableDropsWhatIsLeft(t *testing.T) {
	t.Parallel()
	c := newCounted(t)
	c.fillQueue(t, small)
	dbtest.Update(t, c.Store, func(tx *db.Tx) error {
		return tx.DisableWebhook(c.account.ID, c.webhook.ID, db.DisabledByOwner)
	})
	if err := c.enable(t, t.Context(), true); err != nil {
		t.Fatal(err)
	}
	c.expectChunks(t, small)
	if n := c.queued(t); n != 0 {
		t.Errorf("%d are still queued", n)
	}
	c.emit(t, event.Stock{})
	c.deliver(t)
	c.to.expect(t, 1)
}

// A disabling that goes on dropping while the webhook is enabled again, drops nothing new.
func TestDropSparesWhatIsEnabledAgain(t *testing.T) {
	t.Parallel()
	c := newCounted(t)
	c.emit(t, event.Stock{})
	dbtest.Update(t, c.Store, func(tx *db.Tx) error {
		n, err := tx.DropQueued(c.account.ID, c.webhook.ID, chunk)
		if n != 0 {
			t.Errorf("%d of an enabled webhook are dropped", n)
		}
		return err
	})
	c.deliver(t)
	c.to.expect(t, 1)
}

// Recovering reads a bounded part of the log in each transaction, also where it finds nothing.
func TestRecoverReadsInChunks(t *testing.T) {
	t.Parallel()
	c := newCounted(t)
	c.fillLog(t, large)
	n, err := c.hooks.RecoverSince(t.Context(), c.account.ID, c.webhook.ID, c.Clock.Now())
	if n != 1 || err != nil {
		t.Fatalf("recovered %d, %v; want the last", n, err)
	}
	c.expectChunks(t, 1)
	dbtest.Update(t, c.Store, func(tx *db.Tx) error {
		runs, err := dbtest.Runs(tx)
		for text, n := range runs {
			if strings.Contains(text, "FROM events e") && n < large/recoverChunk {
				t.Errorf("%d events were read in %d transactions", large, n)
			}
		}
		return err
	})
	if n, err := c.hooks.RecoverSince(t.Context(), c.account.ID, c.webhook.ID, c.Clock.Now()); n != 0 || err != nil {
		t.Errorf("recovered %d again, %v", n, err)
	}
	c.deliver(t)
	c.to.expect(t, 1)
}

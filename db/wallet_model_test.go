package db_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// TestWalletModel runs random operations on a wallet and its calls, and on a plain model.
func TestWalletModel(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	const seed, episodes, steps = 20260302, 30, 100
	for episode := range uint64(episodes) {
		s := newCallFixture(t, 0)
		m := &walletModel{
			callFixture: s, rand: rand.New(rand.NewPCG(seed, episode)), threshold: 20,
		}
		dbtest.Update(t, s.store, func(tx *db.Tx) error { return tx.SetLowBalance(s.account.ID, m.threshold) })
		for step := range steps {
			what, err := m.step()
			if err == nil {
				err = m.compare()
			}
			if err != nil {
				t.Fatalf("seed %d, episode %d, step %d: %s: %v", seed, episode, step, what, err)
			}
		}
	}
}

// modelCall is a call of the model: the one given to the store, and its state.
type modelCall struct {
	db.Call
	state db.CallState
}

// gone is the state of a call without a row.
const gone db.CallState = "gone"

func (c *modelCall) isOpen() bool { return c.state == db.Running || c.state == db.Calling }

type walletModel struct {
	*callFixture
	rand      *rand.Rand
	threshold int64

	amounts    []int64 // of the ledger
	calls      []*modelCall
	month      int64 // of the meter
	monthCalls int64
}

func (m *walletModel) balance() (sum int64) {
	for _, amount := range m.amounts {
		sum += amount
	}
	return sum
}

func (m *walletModel) held() (sum int64) {
	for _, c := range m.calls {
		if c.isOpen() {
			sum += c.HoldCents
		}
	}
	return sum
}

// free returns the cents that a new hold or an adjustment may take.
func (m *walletModel) free() int64 { return m.balance() - m.held() }

func (m *walletModel) now() int64 { return m.clock.Now().UnixMilli() }

func (m *walletModel) currentMonth() int64 {
	now := m.clock.Now()
	return int64(now.Year()*100 + int(now.Month()))
}

func (m *walletModel) giveBack(c *modelCall) {
	if m.month == c.Month && m.monthCalls > 0 {
		m.monthCalls--
	}
}

// end ends an open call whose lease is over.
func (m *walletModel) end(c *modelCall) {
	m.giveBack(c)
	if c.state == db.Calling {
		c.state = db.Unknown
		return
	}
	c.state = gone
}

func (m *walletModel) overdue(c *modelCall) bool {
	return c.isOpen() && c.LeaseUntil.UnixMilli() <= m.now()
}

func (m *walletModel) expired(c *modelCall) bool {
	return c.state == db.Done && c.ExpiresAt.UnixMilli() <= m.now()
}

// check returns an error unless the outcome of an operation is what the model wants: nil
// or a sentinel.
func check(err, want error) error {
	if !errors.Is(err, want) {
		return fmt.Errorf("ended with %v, want %v", err, want)
	}
	return nil
}

// relaxed runs an update without an fsync, because there are thousands here.
func (m *walletModel) relaxed(fn func(*db.Tx) error) error {
	return m.store.RelaxedUpdate(background, fn)
}

func (m *walletModel) step() (what string, err error) {
	switch n := m.rand.IntN(100); {
	case n < 15:
		return "credit", m.credit()
	case n < 45:
		return "open", m.openOne()
	case n < 50:
		m.clock.Advance(time.Duration(m.rand.IntN(90)) * time.Second)
		return "clock", nil
	case n < 51:
		m.clock.Advance(time.Duration(m.rand.IntN(20*24)) * time.Hour)
		return "clock", nil
	case n < 56:
		return "end leases", m.endSome()
	case n < 59:
		return "sweep", m.sweep()
	}

	if len(m.calls) == 0 {
		return "nothing", nil
	}
	c := m.calls[m.rand.IntN(len(m.calls))] // in any state
	switch n := m.rand.IntN(100); {
	case n < 40:
		return "settle " + c.ID, m.settleOne(c)
	case n < 60:
		return "free " + c.ID, m.freeOne(c)
	case n < 75:
		return "lose " + c.ID, m.loseOne(c)
	case n < 90:
		return "settle late " + c.ID, m.settleLateOne(c)
	default:
		return "look up " + c.ID, m.lookUp(c)
	}
}

func (m *walletModel) credit() error {
	amount := m.rand.Int64N(40) - 10
	kind := db.TopUp
	var wanted error
	if amount < 0 {
		kind = db.Adjustment
		if -amount > m.free() {
			wanted = db.ErrInsufficientFunds
		}
	}
	err := m.relaxed(func(tx *db.Tx) error {
		_, err := tx.Credit(db.Entry{AccountID: m.account.ID, Kind: kind, AmountCents: amount})
		return err
	})
	if wanted == nil {
		m.amounts = append(m.amounts, amount)
	}
	return check(err, wanted)
}

func (m *walletModel) openOne() error {
	state := []db.CallState{db.Running, db.Calling}[m.rand.IntN(2)]
	id := fmt.Sprint("req_", len(m.calls))
	idem := []string{"", "idem of " + id}[m.rand.IntN(2)]
	c := m.call(id, state, m.rand.Int64N(5), idem)
	c.Month = m.currentMonth()

	// As in admission, a refused call counts.
	var refused error
	err := m.relaxed(func(tx *db.Tx) error {
		if err := count(c.KeyID)(tx); err != nil {
			return err
		}
		if refused = tx.OpenCall(c); errors.Is(refused, db.ErrInsufficientFunds) {
			return nil
		}
		return refused
	})
	if m.month != c.Month {
		m.month, m.monthCalls = c.Month, 0
	}
	m.monthCalls++
	if c.HoldCents > m.free() {
		m.calls = append(m.calls, &modelCall{Call: c, state: gone})
		return errors.Join(err, check(refused, db.ErrInsufficientFunds))
	}
	m.calls = append(m.calls, &modelCall{Call: c, state: state})
	return err
}

func (m *walletModel) settleOne(c *modelCall) error {
	var receipt db.Receipt
	err := m.relaxed(func(tx *db.Tx) (err error) {
		if receipt, err = tx.PostCall(c.Call); err != nil {
			return err
		}
		return tx.CloseCall(c.Call, 200, []byte(c.ID))
	})
	if !c.isOpen() {
		return check(err, db.ErrSettled)
	}

	c.state = db.Done
	if c.IdemHash == nil {
		c.state = gone
	}
	return errors.Join(check(err, nil), m.debit(c.HoldCents, receipt))
}

// debit debits the model and checks the store's receipt.
func (m *walletModel) debit(cents int64, got db.Receipt) error {
	var wanted db.Receipt
	if cents > 0 {
		before := m.balance()
		m.amounts = append(m.amounts, -cents)
		wanted = db.Receipt{
			ChargedCents: cents, BalanceCents: before - cents,
			LowBalance: before >= m.threshold && before-cents < m.threshold,
		}
	}
	if got != wanted {
		return fmt.Errorf("receipt %+v, want %+v", got, wanted)
	}
	return nil
}

func (m *walletModel) settleLateOne(c *modelCall) error {
	var receipt db.Receipt
	err := m.relaxed(func(tx *db.Tx) (err error) {
		if receipt, err = tx.PostLateCall(c.Call, price); err != nil {
			return err
		}
		return tx.CloseLateCall(c.Call, 200, []byte(c.ID))
	})
	if c.state != db.Unknown {
		return check(err, db.ErrSettled)
	}

	c.state = db.Done
	cents := int64(price)
	if cents > m.free() {
		cents = 0 // not billed without funds
	}
	return errors.Join(check(err, nil), m.debit(cents, receipt))
}

func (m *walletModel) freeOne(c *modelCall) error {
	giveBack := m.rand.IntN(2) == 0
	err := m.relaxed(func(tx *db.Tx) error { return tx.VoidCall(c.Call, giveBack) })
	if !c.isOpen() {
		return check(err, db.ErrSettled)
	}
	c.state = gone
	if giveBack {
		m.giveBack(c)
	}
	return check(err, nil)
}

func (m *walletModel) loseOne(c *modelCall) error {
	err := m.relaxed(func(tx *db.Tx) error { return tx.MarkCallUnknown(c.Call, 502, nil) })
	if c.state != db.Calling {
		return check(err, db.ErrSettled)
	}
	c.state = db.Unknown
	m.giveBack(c)
	return check(err, nil)
}

func (m *walletModel) endSome() error {
	limit := 1 + m.rand.IntN(5)
	var overdue []*modelCall
	for _, c := range m.calls {
		if m.overdue(c) {
			overdue = append(overdue, c)
		}
	}
	if len(overdue) > limit {
		limit = len(overdue) // the order among equal leases is not defined
	}
	var ended int
	err := m.relaxed(func(tx *db.Tx) (err error) {
		ended, err = tx.EndLeases(limit)
		return err
	})
	for _, c := range overdue {
		m.end(c)
	}
	if err == nil && ended != len(overdue) {
		err = fmt.Errorf("%d leases ended, want %d", ended, len(overdue))
	}
	return err
}

func (m *walletModel) sweep() error {
	var wanted int64
	for _, c := range m.calls {
		if m.expired(c) {
			c.state = gone
			wanted++
		}
	}
	var deleted int64
	err := m.relaxed(func(tx *db.Tx) (err error) {
		deleted, err = tx.DeleteExpiredAnswers(1000)
		return err
	})
	if err == nil && deleted != wanted {
		err = fmt.Errorf("%d answers deleted, want %d", deleted, wanted)
	}
	return err
}

// lookUp finds a call by its Idempotency-Key, which also ends calls that are over.
func (m *walletModel) lookUp(c *modelCall) error {
	if c.IdemHash == nil {
		return nil
	}
	found := true
	var got db.Call
	err := m.relaxed(func(tx *db.Tx) (err error) {
		got, err = tx.CallOf(c.KeyID, c.IdemHash)
		if errors.Is(err, db.ErrNotFound) {
			found, err = false, nil
		}
		return err
	})
	if err != nil {
		return err
	}
	switch {
	case m.overdue(c):
		m.end(c)
	case m.expired(c):
		c.state = gone
	}
	wanted := c.state != gone
	if found != wanted || found && got.State != c.state {
		return fmt.Errorf("found %v: %s, want %v: %s", found, got.State, wanted, c.state)
	}
	return nil
}

// compare checks the store against the model.
func (m *walletModel) compare() error {
	return m.store.View(background, func(tx *db.Tx) error {
		w, err := tx.Wallet(m.account.ID)
		if err != nil {
			return err
		}
		if w.BalanceCents != m.balance() || w.HeldCents != m.held() {
			return fmt.Errorf("balance %d, held %d; want %d, %d", w.BalanceCents, w.HeldCents, m.balance(), m.held())
		}

		ledger, err := tx.Ledger(m.account.ID)
		if err != nil {
			return err
		}
		if len(ledger) != len(m.amounts) {
			return fmt.Errorf("%d ledger rows, want %d", len(ledger), len(m.amounts))
		}
		var sum int64
		for i, e := range ledger {
			sum += m.amounts[i]
			if e.Seq != int64(i+1) || e.AmountCents != m.amounts[i] || e.BalanceAfterCents != sum {
				return fmt.Errorf("ledger row %+v, want seq %d, amount %d, balance %d", e, i+1, m.amounts[i], sum)
			}
		}

		for _, known := range m.calls {
			c, err := tx.Call(known.ID)
			if errors.Is(err, db.ErrNotFound) {
				c.State, err = gone, nil
			}
			if err != nil || c.State != known.state {
				return fmt.Errorf("call %s is %s (%v), want %s", known.ID, c.State, err, known.state)
			}
		}

		meter, err := tx.Meter(m.key.ID)
		if err != nil {
			return err
		}
		monthCalls := m.monthCalls
		if m.month != m.currentMonth() {
			monthCalls = 0
		}
		if meter.MonthUsed != monthCalls {
			return fmt.Errorf("%d calls in the month, want %d", meter.MonthUsed, monthCalls)
		}

		faults, _, err := tx.VerifyWallets()
		if err == nil && len(faults) > 0 {
			err = fmt.Errorf("wallets: %+v", faults)
		}
		return err
	})
}

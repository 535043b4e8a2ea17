package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"svc/db"
	"svc/server/ask/tell"
	"svc/server/fault"
	"svc/server/throttle"
)

// An account asks its own questions in its console, without a key. They count as no call:
// they wait in the queue of all questions, and an account has ownPerMinute. The last ones
// are stored without their answers, which are computed again when one is opened.

const (
	ownPerMinute = 30
	ownWindow    = time.Minute
	maxThrottled = 10_000 // accounts
)

// own is what the service keeps in memory for these questions.
type own struct {
	limit *throttle.Limiter[string] // by account
	told  toldCache
}

func newOwn() own {
	return own{limit: throttle.New[string](ownPerMinute, ownWindow, maxThrottled), told: toldCache{entries: map[string]told{}}}
}

// toldCache keeps answers, so that opening a question does not compute it again. An answer
// is valid as long as its stamp.
type toldCache struct {
	mu      sync.Mutex
	entries map[string]told // by account and question
}

type told struct {
	stamp  string // of question, data and day
	answer tell.Answer
}

const maxTold = 256

func (c *toldCache) get(key, stamp string) (tell.Answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.entries[key]
	return t.answer, ok && t.stamp == stamp
}

func (c *toldCache) put(key string, t told) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for other := range c.entries {
		if len(c.entries) < maxTold {
			break
		}
		delete(c.entries, other) // any
	}
	c.entries[key] = t
}

// AskOwn answers a question of an account in its console and stores it among its last ones.
// Scope is the id of a dataset, db.AskedShop, or empty. The error is a *fault.Error if the
// question or the scope cannot be, or if the account asks too fast.
func (s *Service) AskOwn(ctx context.Context, owner db.Account, scope, text string) (db.Asked, tell.Answer, error) {
	text, err := CheckQuestion(strings.TrimSpace(text))
	if err != nil {
		return db.Asked{}, tell.Answer{}, err
	}
	now := s.clock()
	if left := s.own.limit.Standing(owner.ID, now); left.Remaining <= 0 {
		return db.Asked{}, tell.Answer{}, &fault.Error{
			Code: fault.RateLimited, Field: "question", RetryAfter: left.Reset.Sub(now),
			Message: fmt.Sprintf("was not asked: at most %d questions a minute can be. Wait a moment", ownPerMinute),
		}
	}
	s.own.limit.Fail(owner.ID, now)

	asked := db.Asked{AccountID: owner.ID, Text: text, Scope: scope}
	stamp, err := s.stamp(ctx, owner, asked)
	if errors.Is(err, db.ErrNotFound) {
		return db.Asked{}, tell.Answer{}, fault.Invalid("dataset", "is no longer there; choose another")
	}
	if err != nil {
		return db.Asked{}, tell.Answer{}, err
	}
	answer, err := s.Answer(ctx, owner, ownQuestion(asked, false))
	if err != nil {
		return db.Asked{}, tell.Answer{}, err
	}
	asked.Confidence = answer.Confidence
	if answer.Explain != nil {
		asked.Source = answer.Explain.Source
	}
	asked, err = db.Write(ctx, s.store, func(tx *db.Tx) (db.Asked, error) { return tx.StoreAsked(asked) })
	if err == nil {
		s.own.told.put(asked.AccountID+" "+asked.ID, told{stamp, answer})
	}
	return asked, answer, err
}

// ownQuestion returns a stored question as one that is answered; alone: without a model.
func ownQuestion(a db.Asked, alone bool) Question {
	q := Question{Text: a.Text, Explain: true, Dataset: a.Scope, Alone: alone}
	if a.Scope == db.AskedShop {
		q.Dataset, q.Shop = "", true
	}
	return q
}

// stamp changes with everything that a question's answer may depend on. The error is
// db.ErrNotFound if its dataset is gone.
func (s *Service) stamp(ctx context.Context, owner db.Account, a db.Asked) (string, error) {
	q := ownQuestion(a, false)
	dataset, shop, err := s.data.Versions(ctx, owner, q.Dataset)
	if err != nil {
		return "", err
	}
	day := s.options(owner, q).Today.Format(time.DateOnly)
	return strings.Join([]string{a.Text, a.Scope, dataset, shop, day, owner.Profile.Currency}, "\x00"), nil
}

// Own returns one of the account's questions with the answer that the data give now.
func (s *Service) Own(ctx context.Context, owner db.Account, id string) (db.Asked, tell.Answer, error) {
	asked, err := db.Read(ctx, s.store, func(tx *db.Tx) (db.Asked, error) { return tx.Asked(owner.ID, id) })
	if err != nil {
		return db.Asked{}, tell.Answer{}, err
	}
	answer, err := s.retell(ctx, owner, asked, false)
	return asked, answer, err
}

// retell returns the answer that the data give now.
func (s *Service) retell(ctx context.Context, owner db.Account, a db.Asked, alone bool) (tell.Answer, error) {
	stamp, err := s.stamp(ctx, owner, a)
	if errors.Is(err, db.ErrNotFound) {
		return tell.Refuse(tooSlow("The data that this was asked of are no longer there. Ask it of other data."), tell.Options{}), nil
	}
	if err != nil {
		return tell.Answer{}, err
	}
	key := a.AccountID + " " + a.ID
	if answer, ok := s.own.told.get(key, stamp); ok {
		return answer, nil
	}
	answer, err := s.Answer(ctx, owner, ownQuestion(a, alone))
	if err == nil {
		s.own.told.put(key, told{stamp, answer})
	}
	return answer, err
}

// ownPage is how many of the last questions a list has.
const ownPage = 20

// Questions are some of an account's last ones, newest first.
type Questions struct {
	Asked []db.Asked
	Older string // the id before which the next ones are; empty: there are none
}

// Questions lists the account's questions that have a text in them, from before one of them
// on. Empty texts mean all.
func (s *Service) Questions(ctx context.Context, accountID, before, search string) (q Questions, err error) {
	err = s.store.View(ctx, func(tx *db.Tx) error {
		q.Asked, err = tx.AskedList(accountID, before, strings.TrimSpace(search), ownPage+1)
		return err
	})
	if len(q.Asked) > ownPage {
		q.Asked = q.Asked[:ownPage]
		q.Older = q.Asked[ownPage-1].ID
	}
	return q, err
}

// Pin shows a question with its answer on the account's overview, or no longer.
func (s *Service) Pin(ctx context.Context, accountID, id string, pinned bool) error {
	err := s.store.Update(ctx, func(tx *db.Tx) error {
		if !pinned {
			return tx.UnpinAsked(accountID, id)
		}
		return tx.PinAsked(accountID, id)
	})
	if errors.Is(err, db.ErrConflict) {
		return &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf("%d questions are pinned already, the most that the overview shows; take one down first", db.MaxPinned)}
	}
	return err
}

// Forget removes one of the account's questions.
func (s *Service) Forget(ctx context.Context, accountID, id string) error {
	return s.store.Update(ctx, func(tx *db.Tx) error { return tx.DropAsked(accountID, id) })
}

// Pinned is a pinned question with the answer that the data give now, without a model.
type Pinned struct {
	db.Asked
	Answer tell.Answer
}

// pinnedTime bounds the work on all pinned questions of a page.
const pinnedTime = 3 * time.Second

// Pinned returns the account's pinned questions in the order in which they were pinned.
// Those for which the time did not suffice have an answer that says so.
func (s *Service) Pinned(ctx context.Context, owner db.Account) (all []Pinned, err error) {
	asked, err := db.Read(ctx, s.store, func(tx *db.Tx) ([]db.Asked, error) { return tx.PinnedAsked(owner.ID) })
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, pinnedTime)
	defer cancel()
	for _, a := range asked {
		answer, err := s.retell(bounded, owner, a, true)
		if err != nil && bounded.Err() != nil && ctx.Err() == nil {
			answer, err = tell.Refuse(tooSlow("This takes longer to compute than the overview waits. Open it."), tell.Options{}), nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, Pinned{a, answer})
	}
	return all, nil
}

package charge

import (
	"context"
	"errors"
	"net/http"

	"svc/db"
	"svc/server/checkout"
	"svc/server/emailaddr"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// What can be done with a charge, as its page shows it; page.Charge.State.
const (
	canPay      = "pay"
	canSimulate = "simulate"
	unavailable = "unavailable"
	processing  = "processing"
)

// confirmation is a charge as its link shows it, read in one transaction.
type confirmation struct {
	db.Charge
	token     db.Token
	from, app string
	status    db.ChargeStatus  // now
	payment   db.CheckoutState // of the newest try, empty if there is none
}

// load reads the charge of a link. db.ErrNotFound: there is none.
func load(tx *db.Tx, token db.Token) (c confirmation, err error) {
	c.token = token
	if c.Charge, err = tx.ChargeByToken(token); err != nil {
		return c, err
	}
	c.status = c.StatusAt(tx.Now())
	key, err := tx.Key(c.KeyID)
	if err != nil {
		return c, err
	}
	developer, err := tx.Account(c.AccountID)
	if err != nil {
		return c, err
	}
	c.from = developer.Name
	if key.AppID != "" {
		app, err := tx.App(c.AccountID, key.AppID)
		if err != nil {
			return c, err
		}
		c.app = app.Name
	}
	c.payment, err = checkout.LastState(tx, c.ID)
	return c, err
}

func (s *Service) read(ctx context.Context, w *web.Response) (c confirmation, err error) {
	token, ok := db.ParseToken(w.Params.ByName("token"))
	if !ok {
		return c, db.ErrNotFound
	}
	err = s.Store.View(ctx, func(tx *db.Tx) (err error) {
		c, err = load(tx, token)
		return err
	})
	return c, err
}

// state is what can be done. A payment that is under way is waited for even when
// the charge has expired: it may still count (E1).
func (s *Service) state(c confirmation) string {
	switch {
	case c.status == db.ChargeApproved || c.status == db.ChargeDeclined:
		return string(c.status)
	case c.payment == db.CheckoutProcessing:
		return processing
	case c.status == db.ChargeExpired:
		return string(c.status)
	case c.Env == db.Test:
		return canSimulate
	case !s.Payments.Ready():
		return unavailable
	}
	return canPay
}

// awaited says that Stripe has yet to tell how the newest try to pay ended. One that
// came to nothing can be followed by another.
func (c confirmation) awaited() bool {
	return c.payment == db.CheckoutCreating || c.payment == db.CheckoutOpen || c.payment == db.CheckoutProcessing
}

// awaitedState is state for who comes back from paying: as long as the payment may be
// on its way it is waited for, also past the charge's end (E1).
func (s *Service) awaitedState(c confirmation) string {
	state := s.state(c)
	if c.awaited() && (state == canPay || state == string(db.ChargeExpired)) {
		return processing
	}
	return state
}

// Show is GET /charges/:token. It needs no sign-in and changes nothing.
func (s *Service) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.showRead(w, r, v, false)
}

// Return is GET /charges/:token/return, where Stripe sends who has paid. It only
// looks whether the payment is proven yet (E2).
func (s *Service) Return(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.showRead(w, r, v, true)
}

func (s *Service) showRead(w *web.Response, r *http.Request, v session.Visitor, returned bool) error {
	c, err := s.read(r.Context(), w)
	if errors.Is(err, db.ErrNotFound) {
		return s.unknown(w, v)
	}
	if err != nil {
		return err
	}
	return s.show(w, c, v, returned, nil)
}

func (s *Service) unknown(w *web.Response, v session.Visitor) error {
	w.Record(&fault.Error{Code: fault.NotFound, Message: "no charge with this link"})
	return s.Pages.Render(w, http.StatusNotFound, views.Message{
		Frame: v.Frame("This link does not work"),
		Text: []string{
			"There is no payment behind it. Perhaps it was not copied to its end.",
			"Open it again from where you had it, or ask whoever sent it for a new one.",
		},
	})
}

// show renders the charge; problem is that of what was just tried.
func (s *Service) show(w *web.Response, c confirmation, v session.Visitor, returned bool, problem *fault.Error) error {
	status, frame, state := http.StatusOK, v.Frame("A payment request"), s.state(c)
	frame.Leaves = state == canPay
	if returned {
		state = s.awaitedState(c)
	}
	if state == string(db.ChargeExpired) {
		status = http.StatusGone
		w.Record(&fault.Error{Code: fault.Gone, Message: "the link has expired"})
	}
	if problem != nil {
		w.Record(problem)
		status, frame.Problem = web.Status(problem), views.Sentence(problem)
	}
	return s.Pages.Render(w, status, views.Charge{
		Frame: frame, Token: string(c.token),
		Amount: money.Format(c.Amount, c.Currency), Description: c.Description,
		From: c.from, App: c.app, To: emailaddr.Mask(c.MerchantEmail),
		ExpiresAt: c.ExpiresAt, State: state, Test: c.Env == db.Test,
		Watch: state == processing,
	})
}

// Status is GET /charges/:token/status, by which the page that waits looks whether
// the payment is proven: processing as long as it may be, else what its page shows.
func (s *Service) Status(w *web.Response, r *http.Request, _ session.Visitor) error {
	c, err := s.read(r.Context(), w)
	if errors.Is(err, db.ErrNotFound) {
		return &fault.Error{Code: fault.NotFound, Message: "no charge with this link"}
	}
	if err != nil {
		return err
	}
	state := s.awaitedState(c)
	w.SetHeader("X-Robots-Tag", "noindex")
	w.Quiet = true
	return w.JSON(http.StatusOK, map[string]string{"state": state})
}

var errNotSetUp = &fault.Error{Code: fault.Conflict, Message: "payments are not set up here yet; nothing was paid"}

var errNotPending = &fault.Error{Code: fault.Conflict, Message: "nothing was changed: this cannot be done with this request, or not any more"}

// Pay is POST /charges/:token/pay: it makes a session at Stripe and sends the payer
// to its page (E2). It approves nothing.
func (s *Service) Pay(w *web.Response, r *http.Request, v session.Visitor) error {
	c, err := s.read(r.Context(), w)
	if errors.Is(err, db.ErrNotFound) {
		return s.unknown(w, v)
	}
	if err != nil {
		return err
	}
	switch s.state(c) {
	case canPay:
	case unavailable:
		return s.show(w, c, v, false, errNotSetUp)
	default:
		return s.show(w, c, v, false, errNotPending)
	}

	url, err := s.Payments.Begin(r.Context(), checkout.Subject{
		ID: c.ID, OwnerID: c.KeyID, Amount: c.Amount, Currency: c.Currency, Description: c.Description,
		ExpiresAt: c.ExpiresAt, SuccessURL: s.link(c.token) + "/return", CancelURL: s.link(c.token),
	}, func(tx *db.Tx) error {
		now, err := tx.ChargeByToken(c.token)
		if err == nil && now.StatusAt(tx.Now()) != db.ChargePending {
			err = errNotPending
		}
		return err
	})
	if err == nil {
		return w.Redirect(url)
	}
	return s.showFailure(w, r, v, err)
}

// showFailure says on the charge's page why it could not be paid just now.
func (s *Service) showFailure(w *web.Response, r *http.Request, v session.Visitor, cause error) error {
	problem := checkout.Problem(cause)
	if problem == nil {
		return cause
	}
	c, err := s.read(r.Context(), w)
	if err != nil {
		return err
	}
	return s.show(w, c, v, false, problem)
}

// SimulateApproval is POST /charges/:token/approve, a test key's only (E5).
func (s *Service) SimulateApproval(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.simulate(w, r, v, (*db.Tx).SimulateApproval)
}

// SimulateDecline is POST /charges/:token/decline, a test key's only.
func (s *Service) SimulateDecline(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.simulate(w, r, v, (*db.Tx).SimulateDecline)
}

func (s *Service) simulate(w *web.Response, r *http.Request, v session.Visitor, do func(*db.Tx, db.Charge) error) error {
	token, ok := db.ParseToken(w.Params.ByName("token"))
	if !ok {
		return s.unknown(w, v)
	}
	var c confirmation
	err := s.Store.Update(r.Context(), func(tx *db.Tx) (err error) {
		if c, err = load(tx, token); err != nil {
			return err
		}
		return do(tx, c.Charge)
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return s.unknown(w, v)
	case errors.Is(err, db.ErrStale):
		return s.show(w, c, v, false, errNotPending)
	case err != nil:
		return err
	}
	return w.Redirect("/charges/" + string(token))
}

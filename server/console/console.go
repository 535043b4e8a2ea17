// Package console is what the pages of the console have in common, and those that
// belong to no capability: the home page, the overview, and the operator's page.
package console

import (
	"net/http"

	"svc/db"
	"svc/server/checkout"
	"svc/server/mail"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

// Console are these pages.
type Console struct {
	Store    *db.DB
	Pages    *views.Set
	Mails    *mail.Service
	Payments *checkout.Service
	BaseURL  string
}

// Home is `/`.
func (c *Console) Home(w *web.Response, _ *http.Request, v session.Visitor) error {
	return c.Pages.Render(w, http.StatusOK, views.Home{Frame: v.Frame("svc"), BaseURL: c.BaseURL})
}

// Overview is `/console`.
func (c *Console) Overview(w *web.Response, r *http.Request, v session.Visitor) error {
	p := views.Overview{Frame: v.Frame("Overview"), Plan: string(v.Account.Plan)}
	p.Section = "overview"
	err := c.Store.View(r.Context(), func(tx *db.Tx) error {
		wallet, err := tx.Wallet(v.Account.ID)
		if err != nil {
			return err
		}
		p.BalanceCents = wallet.BalanceCents
		keys, err := tx.Keys(v.Account.ID)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if k.DisabledAt.IsZero() {
				p.Keys++
			}
		}
		p.LowBalance = wallet.Low() && p.Keys > 0 // who has no keys needs no credit
		p.Granted, err = tx.ActiveGrants(v.Account.ID)
		return err
	})
	if err != nil {
		return err
	}
	return c.Pages.Render(w, http.StatusOK, p)
}

const operatorRows = 100

// Operator is `/console/operator`: mails, with the codes and links in them, and
// payments that did not match (L4, E3).
func (c *Console) Operator(w *web.Response, r *http.Request, v session.Visitor) error {
	mails, err := c.Mails.List(r.Context(), operatorRows)
	if err != nil {
		return err
	}
	faults, err := c.Payments.Mismatches(r.Context(), operatorRows)
	if err != nil {
		return err
	}

	p := views.Operator{Frame: v.Frame("Operator"), MailByOutbox: c.Mails.Outbox(), Zone: zone.Of(v.Account)}
	p.Section = "operator"
	for _, m := range mails {
		p.Mails = append(p.Mails, views.Mail{
			ID: m.ID, To: m.To, Subject: m.Subject, Text: m.Text, Status: string(m.State), Problem: m.Problem, At: m.CreatedAt,
		})
	}
	for _, f := range faults {
		p.Faults = append(p.Faults, views.PaymentFault{
			EventID: f.ID, Type: f.Type, SessionID: f.SessionID, Reference: f.Reference, Problem: f.Mismatch, At: f.CreatedAt,
		})
	}
	return c.Pages.Render(w, http.StatusOK, p)
}

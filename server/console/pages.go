// Package console owns the pages that belong to no capability: the home page and the
// operator's pages.
package console

import (
	"context"
	"net/http"

	"svc/server/checkout"
	"svc/server/job"
	"svc/server/mail"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

const operatorRows = 100

// Pages are these pages.
type Pages struct {
	views    *views.Set
	mails    *mail.Service
	payments *checkout.Service
	machine  Machine
	finders  []Finder
	baseURL  string // of the API
}

// Machine is what the operator's page shows of the server itself.
type Machine struct {
	Parts func(context.Context) []views.Part
	Jobs  func() []job.State
}

// NewPages returns the pages. The home page names baseURL as the address of the API, and the
// operator's page shows the machine; the search asks the finders.
func NewPages(
	set *views.Set, mails *mail.Service, payments *checkout.Service,
	machine Machine, finders []Finder, baseURL string,
) *Pages {
	return &Pages{views: set, mails: mails, payments: payments, machine: machine, finders: finders, baseURL: baseURL}
}

// Home handles GET /.
func (p *Pages) Home(w *web.Response, _ *http.Request, v session.Visitor) error {
	return p.views.Render(w, http.StatusOK, views.Home{Frame: v.Frame("svc"), BaseURL: p.baseURL})
}

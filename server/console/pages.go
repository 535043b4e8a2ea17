// Package console owns the pages that belong to no capability: the operator's pages and
// the search.
package console

import (
	"context"

	"svc/server/checkout"
	"svc/server/job"
	"svc/server/mail"
	"svc/server/views"
)

const operatorRows = 100

// Pages are these pages.
type Pages struct {
	views    *views.Set
	mails    *mail.Service
	payments *checkout.Service
	machine  Machine
	finders  []Finder
}

// Machine is what the operator's page shows of the server itself.
type Machine struct {
	Parts func(context.Context) []views.Part
	Jobs  func() []job.State
}

// NewPages returns the pages. The operator's page shows the machine; the search asks the
// finders.
func NewPages(
	set *views.Set, mails *mail.Service, payments *checkout.Service,
	machine Machine, finders []Finder,
) *Pages {
	return &Pages{views: set, mails: mails, payments: payments, machine: machine, finders: finders}
}

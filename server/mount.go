package server

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"svc/embed"
	"svc/server/account"
	"svc/server/ask"
	"svc/server/charge"
	"svc/server/checkout"
	"svc/server/connection"
	"svc/server/console"
	"svc/server/dataset"
	"svc/server/gate"
	"svc/server/inventory"
	"svc/server/mail"
	"svc/server/message"
	"svc/server/scan"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// audience is who may call a route.
type audience int

const (
	anyone audience = iota
	keyHolder
	visitor  // of a page, signed in or not
	member   // who is signed in
	operator // who is signed in as the operator
)

// route is one row of the mount: all that is to know of an address from outside.
type route struct {
	method  string
	pattern string
	who     audience
	// terms are a keyHolder's. The gate stands before its endpoint, which is billed
	// or idempotent, or else before free.
	terms    gate.Terms
	endpoint gate.Endpoint
	free     gate.FreeHandler
	// handler is anyone's.
	handler web.Handler
	// page is a visitor's, a member's or the operator's. Their errors are pages too, and
	// what another site's page sends is refused.
	page session.Handler
	// unready routes answer even before the first account exists (L2).
	unready bool
}

// providerDeadline is how long a message provider has (G4).
const providerDeadline = 10 * time.Second

// How large bodies may be, in bytes (A10).
const (
	smallBody = 64 << 10
	imageBody = 15 << 19 // 7.5 MiB
)

// routes is the mount: every address of the appliance.
func (a *App) routes() []route {
	const (
		send        = "/api/v1/messaging/send"
		look        = "/api/v1/scan"
		connections = "/api/v1/connections"
		charges     = "/api/v1/charges"
	)
	return slices.Concat([]route{
		{
			method: http.MethodGet, pattern: "/api/v1/pricing",
			who: anyone, handler: a.pricing, unready: true,
		},
		{
			method: http.MethodPost, pattern: send,
			who: keyHolder,
			terms: gate.Terms{
				Endpoint: send, PriceCents: gate.PriceOf(send), Idempotent: true, AccountMode: true,
				BodyLimit: smallBody, Deadline: providerDeadline,
			},
			endpoint: a.Messages.Send(),
		},
		{
			method: http.MethodPost, pattern: look,
			who: keyHolder,
			terms: gate.Terms{
				Endpoint: look, PriceCents: gate.PriceOf(look), Idempotent: true,
				BodyLimit: imageBody, Deadline: a.config.Ollama.Timeout + scan.Grace,
			},
			endpoint: a.Scans.Endpoint(),
		},
		free(http.MethodPost, "/api/v1/ask", ask.API{Service: a.Asks}.Ask),
		free(http.MethodPost, connections, a.Connections.Create),
		free(http.MethodGet, connections, a.Connections.List),
		free(http.MethodPost, charges, a.charges.Create),
		free(http.MethodGet, charges, a.charges.List),
		{method: http.MethodPost, pattern: "/webhooks/stripe", who: anyone, handler: a.Payments.Webhook},
		{method: http.MethodGet, pattern: "/healthz", who: anyone, handler: a.healthz, unready: true},
		{method: http.MethodGet, pattern: "/readyz", who: anyone, handler: a.readyz, unready: true},
		{method: http.MethodGet, pattern: "/static/:file", who: anyone, handler: a.pages.Static, unready: true},
	}, a.frontPages(), a.linkPages(), a.consolePages())
}

// free is a keyHolder's route that costs nothing. Only a POST has a body.
func free(method, pattern string, handle gate.FreeHandler) route {
	terms := gate.Terms{Endpoint: pattern}
	if method == http.MethodPost {
		terms.BodyLimit = smallBody
	}
	return route{method: method, pattern: pattern, who: keyHolder, terms: terms, free: handle}
}

// frontPages are those by which people come in.
func (a *App) frontPages() []route {
	f := a.front
	return []route{
		{method: http.MethodGet, pattern: "/", who: visitor, page: a.console.Home},
		{method: http.MethodGet, pattern: "/setup/:token", who: visitor, page: f.ShowSetup, unready: true},
		{method: http.MethodPost, pattern: "/setup/:token", who: visitor, page: f.Setup, unready: true},
		{method: http.MethodGet, pattern: "/signin", who: visitor, page: f.ShowSignIn},
		{method: http.MethodPost, pattern: "/signin", who: visitor, page: f.SignIn},
		{method: http.MethodPost, pattern: "/signout", who: visitor, page: f.SignOut},
		{method: http.MethodGet, pattern: "/signup", who: visitor, page: f.ShowSignUp},
		{method: http.MethodPost, pattern: "/signup", who: visitor, page: f.SignUp},
		{method: http.MethodPost, pattern: "/signup/code", who: visitor, page: f.FinishSignUp},
		{method: http.MethodGet, pattern: "/recover", who: visitor, page: f.ShowRecover},
		{method: http.MethodPost, pattern: "/recover", who: visitor, page: f.Recover},
		{method: http.MethodGet, pattern: "/reset/:token", who: visitor, page: f.ShowReset},
		{method: http.MethodPost, pattern: "/reset/:token", who: visitor, page: f.Reset},
	}
}

// linkPages are those that the API's answers link to.
func (a *App) linkPages() []route {
	c := a.Connections
	return []route{
		{method: http.MethodGet, pattern: "/connect/:token", who: visitor, page: c.Show},
		{method: http.MethodGet, pattern: "/connect/:token/logo", who: visitor, page: c.Logo},
		{method: http.MethodPost, pattern: "/connect/:token/signin", who: visitor, page: c.SignIn},
		{method: http.MethodPost, pattern: "/connect/:token/code", who: visitor, page: c.SendCode},
		{method: http.MethodPost, pattern: "/connect/:token/signup", who: visitor, page: c.SignUp},
		{method: http.MethodPost, pattern: "/connect/:token/approve", who: visitor, page: c.Approve},
		{method: http.MethodPost, pattern: "/connect/:token/decline", who: visitor, page: c.Decline},
		{method: http.MethodPost, pattern: "/connect/:token/narrow", who: visitor, page: c.Narrow},
		{method: http.MethodPost, pattern: "/connect/:token/revoke", who: visitor, page: c.Revoke},
		{method: http.MethodGet, pattern: "/charges/:token", who: visitor, page: a.charges.Show},
		{method: http.MethodGet, pattern: "/charges/:token/return", who: visitor, page: a.charges.Return},
		{method: http.MethodGet, pattern: "/charges/:token/status", who: visitor, page: a.charges.Status},
		{method: http.MethodPost, pattern: "/charges/:token/pay", who: visitor, page: a.charges.Pay},
		{method: http.MethodPost, pattern: "/charges/:token/approve", who: visitor, page: a.charges.SimulateApproval},
		{method: http.MethodPost, pattern: "/charges/:token/decline", who: visitor, page: a.charges.SimulateDecline},
	}
}

// consolePages are those of an account.
func (a *App) consolePages() []route {
	own := a.own
	return []route{
		{method: http.MethodGet, pattern: "/console", who: member, page: a.console.Overview},
		{method: http.MethodGet, pattern: "/console/wallet", who: member, page: own.ShowWallet},
		{method: http.MethodPost, pattern: "/console/wallet/buy", who: member, page: own.Buy},
		{method: http.MethodPost, pattern: "/console/wallet/threshold", who: member, page: own.SetThreshold},
		{method: http.MethodGet, pattern: "/console/granted", who: member, page: a.Connections.ShowGranted},
		{method: http.MethodPost, pattern: "/console/granted/revoke", who: member, page: a.Connections.RevokeGrant},
		{method: http.MethodGet, pattern: "/console/settings", who: member, page: own.ShowSettings},
		{method: http.MethodPost, pattern: "/console/settings/password", who: member, page: own.ChangePassword},
		{method: http.MethodPost, pattern: "/console/settings/end", who: member, page: own.EndSession},
		{method: http.MethodPost, pattern: "/console/settings/end-others", who: member, page: own.EndOthers},
		{method: http.MethodGet, pattern: "/console/operator", who: operator, page: a.console.Operator},
	}
}

// services builds the capabilities. Only here do they meet.
func (a *App) services() (err error) {
	c := a.config
	if a.carrier, err = c.carrier(); err != nil {
		return err
	}
	if a.pages, err = views.New(embed.Templates(), embed.Static()); err != nil {
		return err
	}
	a.pages.AllowHTTP = strings.HasPrefix(c.Stripe.API, "http://")
	composer, err := mail.NewComposer(embed.MailTemplates())
	if err != nil {
		return err
	}
	smtp, err := c.smtp()
	if err != nil {
		return err
	}
	a.Mails = mail.New(a.store, composer, smtp, c.Log)
	a.Accounts = account.New(a.store, a.Mails, c.Clock, c.ConsoleURL)
	if a.sessions, err = session.New(a.store, c.Clock, c.ConsoleURL); err != nil {
		return err
	}

	if a.models, err = c.models(); err != nil {
		return err
	}
	vision := scan.Vision{}
	if c.Ollama.VisionModel != "" {
		vision = scan.Vision{Model: a.models, Name: c.Ollama.VisionModel, Prompts: embed.Prompts()}
	}
	a.Scans = scan.New(a.store, vision)
	a.Inventories = &inventory.Service{Store: a.store}
	a.Datasets = dataset.New(dataset.Config{Store: a.store})

	helper := ask.Model{}
	if c.Ollama.AskModel != "" {
		helper = ask.Model{Model: a.models, Name: c.Ollama.AskModel, Prompts: embed.Prompts(), Timeout: c.Ollama.Timeout}
	}
	a.Asks = ask.New(ask.Config{Store: a.store, Data: a.Datasets, Clock: c.Clock, Model: helper})

	a.Messages = message.New(a.store, c.Clock, a.carrier)
	a.Payments = &checkout.Service{
		Store: a.store, Provider: c.payments(), Secrets: c.Stripe.WebhookSecrets, Clock: c.Clock, Log: c.Log,
	}
	a.Connections = &connection.Service{
		Store: a.store, Mails: a.Mails, Pages: a.pages, Sessions: a.sessions, Accounts: a.Accounts, ConsoleURL: c.ConsoleURL,
	}
	a.charges = &charge.Service{Store: a.store, Pages: a.pages, Payments: a.Payments, ConsoleURL: c.ConsoleURL}
	a.front = &account.Front{Service: a.Accounts, Pages: a.pages, Sessions: a.sessions, SignupOpen: c.SignupOpen}
	a.own = &account.Console{Service: a.Accounts, Pages: a.pages, Payments: a.Payments, Bundles: c.Bundles}
	a.console = &console.Console{Store: a.store, Pages: a.pages, Mails: a.Mails, Payments: a.Payments, BaseURL: c.BaseURL}
	return nil
}

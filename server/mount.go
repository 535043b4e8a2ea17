package server

import (
	"net/http"
	"slices"

	"svc/db"
	"svc/server/account"
	"svc/server/gate"
	"svc/server/inventory"
	"svc/server/message"
	"svc/server/push"
	"svc/server/scan"
	"svc/server/session"
	"svc/server/web"
)

// audience is the callers that a route serves. A route that names none is the owner's, so
// that nothing is open to staff, who see no money and no keys, unless its row says so (L11).
type audience int

const (
	owner     audience = iota // the owner of an account, signed in to a browser; by JSON (K9) or on a page
	member                    // the owner or staff of an account, on a page
	operator                  // the owner of the operator's account, on a page
	addressee                 // who opens a link of the API, signed in or not, but not staff: their owner answers
	visitor                   // anyone who opens a page, signed in or not
	keyHolder
	anyone
)

// route is one row of the mount: everything about an address that a caller can see.
type route struct {
	method  string
	pattern string
	who     audience
	// A keyHolder's route has terms, and an endpoint if it is billed or idempotent, else
	// free. The gate checks the key before either.
	terms    gate.Terms
	endpoint gate.Endpoint
	free     gate.FreeHandler
	// handler serves anyone.
	handler web.Handler
	// api serves an owner. A write that another site's page sends is refused.
	api session.Handler
	// page serves all but anyone and keyHolder. Its errors are pages too, and a write that
	// another site's page sends is refused.
	page session.Handler
	// unready routes answer even before the first account exists (L2).
	unready bool
}

// Limits of bodies, in bytes (A10).
const (
	smallBody = 64 << 10
	imageBody = 15 << 19 // 7.5 MiB
)

// routes is the mount: every address of the appliance.
func (a *App) routes() []route {
	const (
		look        = "/api/v1/scan"
		send        = "/api/v1/messaging/send"
		connections = "/api/v1/connections"
		charges     = "/api/v1/charges"
	)
	f := a.fronts
	billed := []route{
		{
			method: http.MethodPost, pattern: look,
			who: keyHolder,
			terms: gate.Terms{
				Endpoint: look, PriceCents: scan.PriceCents, Idempotent: true,
				BodyLimit: imageBody, Deadline: a.config.Ollama.Timeout + scan.Grace,
			},
			endpoint: f.scans.Scan(),
		},
		{
			method: http.MethodPost, pattern: send,
			who: keyHolder,
			terms: gate.Terms{
				Endpoint: send, PriceCents: message.PriceCents, Idempotent: true, AccountMode: true,
				BodyLimit: smallBody, Deadline: message.Deadline,
			},
			endpoint: f.messages.Send(),
		},
	}
	return slices.Concat(billed, []route{
		{method: http.MethodGet, pattern: "/api/v1/pricing", who: anyone, handler: pricing(billed), unready: true},
		free(http.MethodPost, "/api/v1/ask", f.asks.Ask),
		free(http.MethodPost, connections, f.connections.Create),
		free(http.MethodGet, connections, f.connections.List),
		free(http.MethodPost, charges, f.charges.Create),
		free(http.MethodGet, charges, f.charges.List),
		{method: http.MethodPost, pattern: "/webhooks/stripe", who: anyone, handler: f.payments.Receive},
		{method: http.MethodGet, pattern: "/openapi.json", who: anyone, handler: f.description.Describe},
		{method: http.MethodGet, pattern: "/healthz", who: anyone, handler: healthz, unready: true},
		{method: http.MethodGet, pattern: "/readyz", who: anyone, handler: a.readiness.readyz, unready: true},
		{method: http.MethodGet, pattern: "/static/:file", who: anyone, handler: f.views.Static, unready: true},
	}, f.windowedRoutes(), f.webhooks(), f.entryPages(), f.linkPages(), f.consolePages(), f.askRoutes(), f.dataRoutes(), f.keyPages(), f.inventoryPages())
}

// windowedRoutes are the endpoints of seed 8.4. db.DefaultLimits has their limits. Those
// that refuse generic keys have AccountMode (J2).
func (f *fronts) windowedRoutes() []route {
	return slices.Concat(
		windowed(http.MethodGet, "pulse", gate.Terms{AccountMode: true}, f.insights.Pulse),
		windowed(http.MethodGet, "brief", gate.Terms{AccountMode: true}, f.insights.Brief),
		windowed(http.MethodPost, "ask", gate.Terms{}, f.asks.Ask),
		windowed(http.MethodPost, "data/push", gate.Terms{AccountMode: true, BodyLimit: push.BodyLimit}, f.pushes.Push),
		windowed(http.MethodGet, "alerts", gate.Terms{AccountMode: true}, f.insights.Alerts),
		windowed(http.MethodGet, "tools/fx-risk", gate.Terms{}, f.tools.FXRisk),
		windowed(http.MethodGet, "tools/landed-cost", gate.Terms{}, f.tools.LandedCost),
	)
}

// windowed returns the routes of an endpoint with rolling windows, which replace the plan's
// minute: its own path and the one under /api/v1, which count in the same windows (J1).
// Of the terms, AccountMode and BodyLimit are the caller's. It panics for an endpoint
// that is not in db.WindowedEndpoints.
func windowed(method, endpoint string, terms gate.Terms, handle gate.FreeHandler) (both []route) {
	if _, ok := db.DefaultLimits(endpoint); !ok {
		panic("mount: " + endpoint + " has no rolling windows")
	}
	for _, pattern := range []string{"/" + endpoint, "/api/v1/" + endpoint} {
		if pattern == "/api/v1/ask" {
			continue // obeys the plan
		}
		r := free(method, pattern, handle)
		r.terms.Rolling, r.terms.AccountMode = endpoint, terms.AccountMode
		r.terms.BodyLimit = max(r.terms.BodyLimit, terms.BodyLimit)
		both = append(both, r)
	}
	return both
}

// free returns a keyHolder's route that costs nothing. Only a POST has a body.
func free(method, pattern string, handle gate.FreeHandler) route {
	terms := gate.Terms{Endpoint: pattern}
	if method == http.MethodPost {
		terms.BodyLimit = smallBody
	}
	return route{method: method, pattern: pattern, who: keyHolder, terms: terms, free: handle}
}

// webhooks is the management of an account's webhooks (K9).
func (f *fronts) webhooks() []route {
	const all = "/api/v1/webhooks"
	h := f.hooks
	return []route{
		{method: http.MethodGet, pattern: all, who: owner, api: h.List},
		{method: http.MethodPost, pattern: all, who: owner, api: h.Create},
		{method: http.MethodGet, pattern: all + "/:id", who: owner, api: h.Show},
		{method: http.MethodPatch, pattern: all + "/:id", who: owner, api: h.Change},
		{method: http.MethodDelete, pattern: all + "/:id", who: owner, api: h.Delete},
		{method: http.MethodPost, pattern: all + "/:id/test", who: owner, api: h.Test},
		{method: http.MethodPost, pattern: all + "/:id/rotate-secret", who: owner, api: h.RotateSecret},
		{method: http.MethodPost, pattern: all + "/:id/recover", who: owner, api: h.Recover},
		{method: http.MethodGet, pattern: all + "/:id/deliveries", who: owner, api: h.Deliveries},
		{method: http.MethodPost, pattern: all + "/:id/deliveries/:delivery/resend", who: owner, api: h.Resend},
	}
}

// entryPages are the pages for signing in and up.
func (f *fronts) entryPages() []route {
	e := f.entry
	return []route{
		{method: http.MethodGet, pattern: "/", who: visitor, page: f.docs.Start},
		{method: http.MethodGet, pattern: "/docs", who: visitor, page: f.docs.Home},
		{method: http.MethodGet, pattern: "/docs/:topic", who: visitor, page: f.docs.Topic},
		{method: http.MethodGet, pattern: "/changelog", who: visitor, page: f.docs.Changelog},
		{method: http.MethodGet, pattern: "/setup/:token", who: visitor, page: e.ShowSetup, unready: true},
		{method: http.MethodPost, pattern: "/setup/:token", who: visitor, page: session.Form(e.Setup), unready: true},
		{method: http.MethodGet, pattern: "/signin", who: visitor, page: e.ShowSignIn},
		{method: http.MethodPost, pattern: "/signin", who: visitor, page: session.Form(e.SignIn)},
		{method: http.MethodGet, pattern: "/signin/code", who: visitor, page: e.ShowCode},
		{method: http.MethodPost, pattern: "/signin/code", who: visitor, page: session.Form(e.Code)},
		{method: http.MethodPost, pattern: "/signout", who: visitor, page: session.Form(e.SignOut)},
		{method: http.MethodGet, pattern: "/signup", who: visitor, page: e.ShowSignUp},
		{method: http.MethodPost, pattern: "/signup", who: visitor, page: e.SignUp},
		{method: http.MethodPost, pattern: "/signup/code", who: visitor, page: e.FinishSignUp},
		{method: http.MethodGet, pattern: "/recover", who: visitor, page: e.ShowRecover},
		{method: http.MethodPost, pattern: "/recover", who: visitor, page: session.Form(e.Recover)},
		{method: http.MethodGet, pattern: "/reset/:token", who: visitor, page: e.ShowReset},
		{method: http.MethodPost, pattern: "/reset/:token", who: visitor, page: session.Form(e.Reset)},
		{method: http.MethodGet, pattern: "/join/:token", who: visitor, page: e.ShowJoin},
		{method: http.MethodPost, pattern: "/join/:token", who: visitor, page: session.Form(e.Join)},
	}
}

// linkPages are the pages that answers of the API link to.
func (f *fronts) linkPages() []route {
	c, p := f.consent, f.chargePages
	return []route{
		{method: http.MethodGet, pattern: "/connect/:token", who: addressee, page: c.Show},
		{method: http.MethodGet, pattern: "/connect/:token/logo", who: addressee, page: c.Logo},
		{method: http.MethodPost, pattern: "/connect/:token/signin", who: addressee, page: session.Form(c.SignIn)},
		{method: http.MethodPost, pattern: "/connect/:token/code", who: addressee, page: session.Form(c.SendCode)},
		{method: http.MethodPost, pattern: "/connect/:token/signup", who: addressee, page: session.Form(c.SignUp)},
		{method: http.MethodPost, pattern: "/connect/:token/approve", who: addressee, page: session.Form(c.Approve)},
		{method: http.MethodPost, pattern: "/connect/:token/decline", who: addressee, page: session.Form(c.Decline)},
		{method: http.MethodPost, pattern: "/connect/:token/narrow", who: addressee, page: session.Form(c.Narrow)},
		{method: http.MethodPost, pattern: "/connect/:token/revoke", who: addressee, page: session.Form(c.Revoke)},
		{method: http.MethodGet, pattern: "/charges/:token", who: addressee, page: p.Show},
		{method: http.MethodGet, pattern: "/charges/:token/return", who: addressee, page: p.Return},
		{method: http.MethodGet, pattern: "/charges/:token/status", who: addressee, page: p.Status},
		{method: http.MethodPost, pattern: "/charges/:token/pay", who: addressee, page: session.Form(p.Pay)},
		{method: http.MethodPost, pattern: "/charges/:token/approve", who: addressee, page: p.SimulateApproval},
		{method: http.MethodPost, pattern: "/charges/:token/decline", who: addressee, page: p.SimulateDecline},
	}
}

// consolePages are the pages of an account.
func (f *fronts) consolePages() []route {
	own, console := f.own, f.console
	return []route{
		{method: http.MethodGet, pattern: "/console", who: member, page: own.Overview},
		{method: http.MethodGet, pattern: "/console/wallet", who: owner, page: own.ShowWallet},
		{method: http.MethodGet, pattern: "/console/wallet/ledger", who: owner, page: own.ShowLedger},
		{method: http.MethodGet, pattern: "/console/wallet/ledger.csv", who: owner, page: own.ExportLedger},
		{method: http.MethodPost, pattern: "/console/wallet/buy", who: owner, page: session.Form(own.Buy)},
		{method: http.MethodPost, pattern: "/console/wallet/threshold", who: owner, page: session.Form(own.SetThreshold)},
		{method: http.MethodGet, pattern: "/console/try", who: owner, page: f.docs.Try},
		{method: http.MethodPost, pattern: "/console/try/key", who: owner, page: session.Form(f.docs.MakeTryKey)},
		{method: http.MethodPost, pattern: "/console/try/with", who: owner, page: session.Form(f.docs.TryWith)},
		{method: http.MethodGet, pattern: "/console/connections", who: owner, page: f.consent.ShowConnections},
		{method: http.MethodGet, pattern: "/console/brief", who: member, page: f.shop.ShowBrief},
		{method: http.MethodPost, pattern: "/console/alerts/snooze", who: member, page: session.Form(f.shop.Snooze)},
		{method: http.MethodPost, pattern: "/console/alerts/dismiss", who: member, page: session.Form(f.shop.Dismiss)},
		{method: http.MethodGet, pattern: "/console/requests", who: owner, page: f.requests.ShowRequests},
		{method: http.MethodGet, pattern: "/console/usage", who: owner, page: f.requests.ShowUsage},
		{method: http.MethodGet, pattern: "/console/granted", who: owner, page: f.consent.ShowGranted},
		{method: http.MethodPost, pattern: "/console/granted/revoke", who: owner, page: session.Form(f.consent.RevokeGrant)},
		{method: http.MethodGet, pattern: "/console/charges", who: owner, page: f.chargePages.List},
		{method: http.MethodGet, pattern: "/console/activity", who: owner, page: own.ShowActivity},
		{method: http.MethodGet, pattern: "/console/people", who: owner, page: own.ShowPeople},
		{method: http.MethodPost, pattern: "/console/people/invite", who: owner, page: session.Form(own.Invite)},
		{method: http.MethodPost, pattern: "/console/people/resend", who: owner, page: session.Form(own.InviteAgain)},
		{method: http.MethodPost, pattern: "/console/people/withdraw", who: owner, page: session.Form(own.WithdrawInvitation)},
		{method: http.MethodPost, pattern: "/console/people/two-factor", who: owner, page: session.Form(own.EndStaffTwoFactor)},
		{method: http.MethodPost, pattern: "/console/people/remove", who: owner, page: session.Form(own.RemoveStaff)},
		{method: http.MethodGet, pattern: "/console/settings", who: member, page: own.ShowSettings},
		{method: http.MethodPost, pattern: "/console/settings/profile", who: owner, page: session.Form(own.ChangeProfile)},
		{method: http.MethodPost, pattern: "/console/settings/password", who: member, page: session.Form(own.ChangePassword)},
		{method: http.MethodPost, pattern: "/console/settings/end", who: member, page: session.Form(own.EndSession)},
		{method: http.MethodPost, pattern: "/console/settings/end-others", who: member, page: own.EndOthers},
		{method: http.MethodPost, pattern: "/console/settings/mails", who: owner, page: session.Form(own.ChangeMails)},
		{method: http.MethodGet, pattern: "/console/settings/two-factor", who: member, page: own.ShowTwoFactor},
		{method: http.MethodPost, pattern: "/console/settings/two-factor/begin", who: member, page: session.Form(own.BeginTwoFactor)},
		{method: http.MethodPost, pattern: "/console/settings/two-factor/confirm", who: member, page: session.Form(own.ConfirmTwoFactor)},
		{method: http.MethodPost, pattern: "/console/settings/two-factor/codes", who: member, page: session.Form(own.RenewRecoveryCodes)},
		{method: http.MethodPost, pattern: "/console/settings/two-factor/off", who: member, page: session.Form(own.EndTwoFactor)},
		{method: http.MethodGet, pattern: "/console/search", who: member, page: console.Search},
		{method: http.MethodGet, pattern: "/console/operator", who: operator, page: f.operator.Show},
		{method: http.MethodPost, pattern: "/console/operator/new", who: operator, page: session.Form(f.operator.Make)},
		{method: http.MethodPost, pattern: "/console/operator/welcome", who: operator, page: session.Form(f.operator.WelcomeAgain)},
		{method: http.MethodPost, pattern: "/console/operator/plan", who: operator, page: session.Form(f.operator.SetPlan)},
		{method: http.MethodPost, pattern: "/console/operator/credit", who: operator, page: session.Form(f.operator.Credit)},
		{method: http.MethodPost, pattern: "/console/operator/disable", who: operator, page: session.Form(f.operator.Disable)},
		{method: http.MethodPost, pattern: "/console/operator/enable", who: operator, page: session.Form(f.operator.Enable)},
		{method: http.MethodPost, pattern: "/console/operator/two-factor", who: operator, page: session.Form(f.operator.EndTwoFactor)},
		{method: http.MethodGet, pattern: "/console/operator/mails", who: operator, page: console.Mails},
		{method: http.MethodGet, pattern: "/console/operator/server", who: operator, page: console.Server},
	}
}

// keyPages are the pages of an account's API keys and apps.
func (f *fronts) keyPages() []route {
	const all = "/console/keys"
	k := f.keys
	return []route{
		{method: http.MethodGet, pattern: all, who: owner, page: k.Show},
		{method: http.MethodPost, pattern: all, who: owner, page: session.Form(k.Create)},
		{method: http.MethodPost, pattern: all + "/edit", who: owner, page: session.Form(k.Edit)},
		{method: http.MethodPost, pattern: all + "/rotate", who: owner, page: session.Form(k.Rotate)},
		{method: http.MethodPost, pattern: all + "/end-old", who: owner, page: session.Form(k.EndOld)},
		{method: http.MethodPost, pattern: all + "/disable", who: owner, page: session.Form(k.Disable)},
		{method: http.MethodPost, pattern: all + "/enable", who: owner, page: session.Form(k.Enable)},
		{method: http.MethodGet, pattern: "/console/webhooks", who: owner, page: f.hookPages.Show},
		{method: http.MethodPost, pattern: "/console/webhooks", who: owner, page: session.Form(f.hookPages.Create)},
		{method: http.MethodPost, pattern: "/console/webhooks/edit", who: owner, page: session.Form(f.hookPages.Edit)},
		{method: http.MethodPost, pattern: "/console/webhooks/test", who: owner, page: session.Form(f.hookPages.Test)},
		{method: http.MethodPost, pattern: "/console/webhooks/enable", who: owner, page: session.Form(f.hookPages.Enable)},
		{method: http.MethodPost, pattern: "/console/webhooks/disable", who: owner, page: session.Form(f.hookPages.Disable)},
		{method: http.MethodPost, pattern: "/console/webhooks/rotate", who: owner, page: session.Form(f.hookPages.Rotate)},
		{method: http.MethodPost, pattern: "/console/webhooks/recover", who: owner, page: session.Form(f.hookPages.Recover)},
		{method: http.MethodPost, pattern: "/console/webhooks/resend", who: owner, page: session.Form(f.hookPages.Resend)},
		{method: http.MethodPost, pattern: "/console/webhooks/delete", who: owner, page: session.Form(f.hookPages.Delete)},
		{method: http.MethodGet, pattern: "/console/apps", who: owner, page: f.apps.Show},
		{method: http.MethodPost, pattern: "/console/apps", who: owner, page: session.Upload(account.LogoUpload, f.apps.Create)},
		{method: http.MethodPost, pattern: "/console/apps/edit", who: owner, page: session.Upload(account.LogoUpload, f.apps.Edit)},
	}
}

// inventoryPages are the pages of an account's items and of its messages.
func (f *fronts) inventoryPages() []route {
	const all = "/console/inventory"
	p := f.inventories
	return []route{
		{method: http.MethodGet, pattern: all, who: member, page: p.Show},
		{method: http.MethodGet, pattern: all + "/export.csv", who: member, page: p.Export},
		{method: http.MethodPost, pattern: all + "/add", who: member, page: session.Form(p.Add)},
		{method: http.MethodPost, pattern: all + "/edit", who: member, page: session.Form(p.Edit)},
		{method: http.MethodPost, pattern: all + "/adjust", who: member, page: session.Form(p.Adjust)},
		{method: http.MethodPost, pattern: all + "/undo", who: member, page: session.Form(p.Undo)},
		{method: http.MethodPost, pattern: all + "/alias", who: member, page: session.Form(p.Alias)},
		{method: http.MethodPost, pattern: all + "/remove", who: member, page: session.Form(p.Remove)},
		{method: http.MethodGet, pattern: "/console/messages", who: member, page: f.messagePage.Show},
		{method: http.MethodGet, pattern: "/console/messages/new", who: member, page: f.messagePage.ShowNew},
		{method: http.MethodPost, pattern: "/console/messages/new", who: member, page: session.Form(f.messagePage.New)},
		{method: http.MethodGet, pattern: "/console/messages/goods", who: member, page: f.messagePage.Goods},
		{method: http.MethodPost, pattern: "/console/messages/sent", who: member, page: session.Form(f.messagePage.MarkSent)},
		{method: http.MethodGet, pattern: all + "/scan", who: member, page: f.scanPages.Show},
		{method: http.MethodPost, pattern: all + "/scan", who: member, page: session.Upload(scan.UploadLimit, f.scanPages.Look)},
		{method: http.MethodPost, pattern: all + "/scan/stock", who: member, page: session.Form(f.scanPages.Stock)},
		{method: http.MethodPost, pattern: all + "/teach", who: member, page: session.Form(p.Teach)},
		{method: http.MethodGet, pattern: all + "/import", who: member, page: p.ShowImport},
		{method: http.MethodPost, pattern: all + "/import", who: member, page: session.Upload(inventory.PreviewLimits.Bytes, p.Import)},
		{method: http.MethodGet, pattern: all + "/imports/:id", who: member, page: p.ShowPreview},
		{method: http.MethodPost, pattern: all + "/imports/:id", who: member, page: session.Form(p.ChooseSheet)},
		{method: http.MethodGet, pattern: all + "/imports/:id/problems.csv", who: member, page: p.Problems},
		{method: http.MethodPost, pattern: all + "/imports/:id/confirm", who: member, page: session.Form(p.Confirm)},
		{method: http.MethodPost, pattern: all + "/imports/:id/undo", who: member, page: session.Form(p.UndoImport)},
		{method: http.MethodPost, pattern: all + "/imports/:id/discard", who: member, page: session.Form(p.Discard)},
	}
}

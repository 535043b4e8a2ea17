// Package server is the appliance: it builds the capabilities over one store, mounts
// their routes, and runs. This page is the map of the repository. A code in a comment,
// such as (F4) or (seed 4.2), names a rule in embed/decisions.md.
//
// # Rooms
//
//	main.go, cmd/       the command line: flags and variables become a server.Config
//	server/             Config and Run; listen.go opens the sockets, build.go makes the
//	                    services and their front ends, mount.go has every route, router.go
//	                    serves them
//	  account/ ask/ charge/ connection/ console/ dataset/ insight/ inventory/ message/
//	  push/ requestlog/ scan/ tool/ webhook/
//	                    the capabilities
//	  checkout/ mail/   services that several capabilities use: payments, mails
//	  gate/             admission and settlement of every call with an API key
//	  session/          the person as which a browser is signed in, and who may do what
//	  web/ views/       HTTP for handlers; a struct and a template for each page
//	  fault/            the error of the domain, without HTTP
//	  carrier/ llm/ stripe/ outbound/
//	                    the outside world: message providers, Ollama, Stripe, and posts to
//	                    addresses that users chose
//	  barcode/ photo/ gtin/ match/ sheet/ header/ schema/ english/
//	                    what scan, inventory, dataset and ask compute with
//	  money/ zone/ emailaddr/ editdistance/ fairqueue/ throttle/ job/ neterr/ redact/
//	  seal/ totp/ unit/ leaves
//	  metrics/          what Prometheus is shown, and its counters
//	  certificate/      the certificates of the server's own domains, by ACME
//	  openapi/ docs/    the description of the API for programs, and as pages
//	  servertest/       the whole appliance for tests; datatest/ finds real test data
//	db/                 the tables, a file for each aggregate (db/doc.go); dbtest/ for tests
//	  engine/           runs transactions on a SQLite file, knows no table
//	  event/            the kinds of events and their bodies
//	embed/              migrations, templates, static files, prompts, openapi.yaml,
//	                    decisions.md
//	testdata/           real data that tests of several packages read
//	.ci/run             everything that must hold for a commit
//
// A package that ends in test is a kit for tests: stripetest is a fake Stripe, llmtest a
// fake Ollama, mailtest an SMTP server, viewstest a browser.
//
// Imports go cmd, server, server/*, db, db/engine, embed. Capabilities do not import each
// other: they share rows in db, or newServices hands one to the other. The rest of
// server/* may be imported by any of them. TestImportsPointOneWay keeps this; a new
// package that capabilities share goes into its list, shared.
//
// A capability has a Service, made with New(Config), whose methods take a context and
// values and return values and a *fault.Error. It knows no HTTP. Its front ends are
// beside it: api.go parses JSON and answers it, pages.go fills the structs of views.
// The commands are a third front end. All use the same request structs and checks. The
// time is Tx.Now in a transaction and Config.Clock elsewhere; the API writes it with
// web.Time.
//
// # The way of a call
//
// This is POST /api/v1/messaging/send, from the network to the row and back:
//
//	web/web.go          Frame gives it an id, common headers and a line in the log
//	server/router.go    finds its route
//	server/mount.go     the row has audience, price, limits and endpoint
//	gate/paid.go        reads key and body; message/api.go parses the body
//	gate/admit.go       one transaction: counts, replays, holds the price (db/call.go)
//	message/message.go  Service.Send hands the message to the carrier, in no transaction
//	gate/paid.go        one transaction: debit (db/wallet.go), answer, log row
//
// A call that costs nothing is counted by gate/free.go and then handled in five steps:
// caller, decode, check, one call of the service, answer. A 5xx gives its count back.
//
// # The order of checks
//
// 404 and 405; 401 without a valid key; 403 for a disabled key; 429 for the minute or the
// rolling windows; the replay of a stored answer; 429 for the month; 403 for the mode; 400
// for the request; 403 for the connection; 402 for the wallet; then the action (A3). The
// method check in gate/admit.go has this order. Before it, identify (gate/gate.go) already
// refuses bad and disabled keys without a write, and refuseEarly (gate/body.go) spares
// large bodies. A handler of a free call makes its own 400 after admission.
//
// # Where to add
//
// An endpoint for key holders: a handler with the signature of gate.FreeHandler in the
// api.go of its capability; a row in routes (mount.go), made with free; its path in
// embed/openapi.yaml with a tag, its price and an example of each body, and rows in
// TestOpenAPIDescribesTheAnswers that get its statuses; a black-box test beside the handler with servertest.New. TestWhoMayCall covers the new
// row by itself. An endpoint that is billed or obeys Idempotency-Key is a gate.Action in
// the list billed; the price list follows from its row. Examples: charge/api.go and
// message/api.go. embed/guide.md, CHANGELOG and section 4 of embed/decisions.md name endpoints.
//
// An endpoint of seed 8.4 is a line in windowedRoutes (mount.go), made with windowed: its
// rolling windows replace the plan's minute. Limits are in db/window.go. In openapi.yaml its
// 429 is the response WindowFull, and the 403 of one for account-mode keys *accountOnly.
//
// A capability: a package with Service, API or Pages, a field in Services (server.go) and
// in fronts, and the lines that make them (build.go).
//
// A page: a struct in views/pages.go with its template, both in the list all of
// views/set.go, with a sample in views/samples_test.go; a handler in the pages.go of its
// capability; a row in mount.go with the audience visitor or, below /console, owner: member
// opens it to staff, too, and it then goes into openToStaff (L11). The
// navigation is embed/templates/layout.html.
//
// A table: a migration in embed/migrations that sets user_version, schemaVersion in
// db/db.go, and a file in db with the row type, the statements and the methods on *Tx;
// db/setting.go is a small one. A check that precedes a write gets a line in
// db/isolation.md.
//
// A figure that questions can ask for: a constant and a row in the table of
// ask/plan/metric.go, with the rows that it is of (plan.Scope: cancelled and refunded sales
// count in few), and in ask/plan/formula.go a case if it is more than a sum; the
// words that name it are in embed/ask/vocabulary.txt.
//
// A kind of alert: a row in rules (insight/rule.go) with its bounds and its reasons, a
// function that finds it, a scene in insight/alert_test.go that makes it fire and resolve,
// and a row of the table of J3. db/trade.go sums the shop's rows for it.
//
// A figure of the pulse: a row in insight/pulse_sales.go (by the week) or a KPI of
// pulse_stock.go, and its key in the enum of KPI in openapi.yaml. A section of the brief is
// a method of writer in brief_sales.go or brief_text.go.
//
// A kind of question: ask/read turns words into a plan, ask/plan defines the plans,
// ask/compute turns a plan into SQL, ask/tell words the figures. A new kind is a new
// field of plan.Plan and a case in each of the others.
//
// A message provider: a type that implements carrier.Carrier; its name, settings and row
// in carrier/provider.go; its flags in cmd/serve.go; G1 in embed/decisions.md.
//
// An event kind: its constant in db/event/event.go, its data and decoder in payload.go, and
// its summary, sample and schema under webhooks in embed/openapi.yaml. Tx.Emit stores an
// event in the transaction of its cause (K4), with a delivery for each subscription, and the
// commit wakes Deliver of server/webhook, which signs and sends them. Whether a kind is tried
// again is Kind.Retried (K5).
//
// A metric: a row in metrics/gauges.go if it can be read when somebody asks, with its source
// in watchMetrics (metrics.go), else a counter in metrics/metrics.go. Its labels have few
// values, and none of a caller.
//
// Work in the background: a job.Loop in loops (run.go). Two processes may run it on one
// file, so it claims its rows with a lease; only a certificate may be asked for by both.
package server

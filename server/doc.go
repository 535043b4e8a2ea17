// Package server is the appliance: it builds the capabilities over one store, mounts
// their routes, and runs. This page is the map of the repository. A code in a comment,
// such as (F4) or (seed 4.2), names a rule in embed/decisions.md.
//
// # Rooms
//
//	main.go, cmd/       the command line: flags and variables become a server.Config
//	server/             Config, Open, Run; mount.go has every route
//	  account/ ask/ charge/ checkout/ connection/ console/ dataset/ inventory/ mail/
//	  message/ scan/    the capabilities
//	  gate/             admission and settlement of every call with an API key
//	  session/          who a browser is signed in as
//	  web/ views/       HTTP for handlers; typed structs and templates for pages
//	  fault/            the error of the domain, without HTTP
//	  carrier/ llm/ stripe/ neterr/
//	                    the outside world: message providers, Ollama, Stripe
//	  barcode/ photo/ gtin/ match/ sheet/ header/ schema/
//	                    what scan, inventory, dataset and ask compute with
//	  money/ emailaddr/ editdistance/ fairqueue/ throttle/ job/ redact/
//	                    leaves that several packages need
//	  servertest/       the whole appliance for tests
//	db/                 the tables: one file for each aggregate (db/doc.go)
//	  engine/           runs transactions on a SQLite file, knows no table
//	embed/              migrations, templates, static files, prompts, openapi.yaml,
//	                    decisions.md
//	testdata/           real data that tests of several packages read
//
// Imports point down this list, and a test in main_test.go keeps it so. Capabilities do
// not import each other: they share rows in db, or newServices in build.go hands one to
// the other.
//
// A capability has a Service, made with New(Config), whose methods take a context and
// values and return values and a *fault.Error. It knows no HTTP. Its front ends are
// beside it: api.go parses JSON and answers it, pages.go fills the structs of views.
// The commands are a third front end. All use the same request structs and checks.
//
// # The way of a call
//
// This is POST /api/v1/messaging/send, from the network to the row and back:
//
//	router.go       finds the route; web.Frame gives it an id and a log line
//	mount.go        its row has the audience, the price, the limits and the endpoint
//	gate/paid.go    reads key and body; Parse of message/api.go checks the body
//	gate/admit.go   one transaction: counts, replays, holds the price (db/call.go)
//	message.go      Service.Send hands the message to the carrier, in no transaction
//	gate/paid.go    one transaction: debit, ledger, answer, log row
//
// A call that costs nothing has the first transaction only (gate/free.go). Its handler
// then has five steps: caller, decode, check, one call of the service, answer.
//
// # The order of checks
//
// 401 without a valid key, 403 for a disabled key, 429 for the minute, the replay of a
// stored answer, 429 for the month, 403 for the mode, 400 for the request, 403 for the
// connection, 402 for the wallet, then the action (A3). The order is the code of check
// in gate/admit.go. 404 and 405 come before all of it.
//
// # Where to add
//
// An endpoint for key holders: a handler with the signature of gate.FreeHandler in the
// api.go of its capability, a row in routes (mount.go) made with free, its path in
// embed/openapi.yaml, and a black-box test beside the handler with servertest.New.
// TestRoutesRefuseOtherCallers and the tests of openapi.yaml then check the new row by
// themselves. An endpoint that is billed or obeys Idempotency-Key is a gate.Action
// instead, in the list billed; the price list follows from its row. An example of each:
// charge/api.go, message/api.go.
//
// A page: a struct in views/pages.go with a template of the same name, a handler in the
// pages.go of its capability, and a row in mount.go with the audience visitor, member or
// operator.
//
// A table: a migration in embed/migrations, schemaVersion in db/db.go, and a file in db
// with the row type, the statements and the methods on *Tx. A check that precedes a
// write gets a line in db/isolation.md.
//
// A figure that questions can ask for: a row in the table of ask/plan/metric.go; the
// words that name it are in ask/read/vocabulary.txt.
//
// A question that is not understood: ask/read turns words into a plan, ask/plan says
// which plans there are, ask/compute turns a plan into SQL, ask/tell words the figures.
// A new kind of question is a new field of plan.Plan, and a case in each of the others.
//
// A message provider: a type that implements carrier.Carrier, and a row in the table of
// carrier/provider.go with the settings that it requires; its flags in cmd/serve.go.
//
// An event kind: events and webhooks are not built yet. Section K of embed/decisions.md
// fixes how they work.
//
// Work in the background: a job.Loop in loops (run.go). Two processes may run it on one
// file, so it claims its rows with a lease.
package server

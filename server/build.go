package server

import (
	"context"
	"strings"
	"sync"

	"svc/db"
	"svc/embed"
	"svc/server/account"
	"svc/server/ask"
	"svc/server/carrier"
	"svc/server/certificate"
	"svc/server/charge"
	"svc/server/checkout"
	"svc/server/connection"
	"svc/server/console"
	"svc/server/dataset"
	"svc/server/docs"
	"svc/server/fairqueue"
	"svc/server/insight"
	"svc/server/inventory"
	"svc/server/job"
	"svc/server/llm"
	"svc/server/mail"
	"svc/server/message"
	"svc/server/metrics"
	"svc/server/outbound"
	"svc/server/push"
	"svc/server/requestlog"
	"svc/server/scan"
	"svc/server/seal"
	"svc/server/session"
	"svc/server/stripe"
	"svc/server/tool"
	"svc/server/views"
	"svc/server/webhook"
)

// outside is the clients of everything beyond this process and its files.
type outside struct {
	carrier  carrier.Carrier
	payments stripe.Provider // nil: payments are not set up (E4)
	models   *llm.Client     // nil: there is no Ollama
	smtp     *mail.SMTP      // nil: mails stay in the outbox
	hooks    *outbound.Client
	metrics  *metrics.Metrics // counts their calls; nil: nobody does
}

// connect makes the clients. It calls nobody.
func (c Config) connect() (o outside, err error) {
	if o.carrier, err = c.carrier(); err != nil {
		return o, err
	}
	if o.models, err = c.models(); err != nil {
		return o, err
	}
	o.payments = c.payments()
	if o.hooks, err = c.hooks(); err != nil {
		return o, err
	}
	o.smtp, err = c.smtp()
	return o, err
}

// newServices makes the capabilities. What one needs of another is handed to it here.
func newServices(c Config, store *db.DB, o outside, heavy *fairqueue.Queue) (s Services, err error) {
	composer, err := mail.NewComposer(embed.MailTemplates())
	if err != nil {
		return s, err
	}
	vision := scan.Vision{}
	if c.Ollama.VisionModel != "" {
		vision = scan.Vision{Model: o.metrics.Model(o.models), Name: c.Ollama.VisionModel, Prompts: embed.Prompts()}
	}
	helper := ask.Model{}
	if c.Ollama.AskModel != "" {
		helper = ask.Model{Model: o.metrics.Model(o.models), Name: c.Ollama.AskModel, Prompts: embed.Prompts(), Timeout: c.Ollama.Timeout}
	}

	box := seal.New(store.KeyPath(), store.Own)
	s.Mails = mail.New(mail.Config{Store: store, Composer: composer, SMTP: o.smtp, Log: c.Log, Tried: o.metrics.Outbound("mail")})
	s.Scans = scan.New(scan.Config{Store: store, Vision: vision, Queue: heavy})
	s.Inventories = inventory.New(inventory.Config{Store: store, Queue: heavy})
	s.Datasets = dataset.New(dataset.Config{Store: store, Metrics: ask.Metrics(), Queue: heavy})
	s.Pushes = push.New(push.Config{Store: store, Queue: heavy})
	s.Asks = ask.New(ask.Config{Store: store, Data: s.Datasets, Clock: c.Clock, Model: helper, Queue: heavy})
	s.Insights = insight.New(insight.Config{Store: store, Clock: c.Clock, Books: s.Asks.Figures(), Queue: heavy})
	s.Messages = message.New(message.Config{Store: store, Clock: c.Clock, Carrier: o.carrier})
	s.Payments = checkout.New(checkout.Config{
		Store: store, Provider: o.payments, Secrets: c.Stripe.WebhookSecrets, Clock: c.Clock, Log: c.Log,
	})
	s.Webhooks = webhook.New(webhook.Config{
		Store: store, Mails: s.Mails, Seal: box, Client: o.hooks, Clock: c.Clock, Log: c.Log,
		Sweep: c.WebhookSweep, ConsoleURL: c.ConsoleURL, Tried: o.metrics.Outbound("webhooks"),
	})
	s.Tools = tool.New(tool.Config{Store: store, Clock: c.Clock, Bundled: c.Rates})
	s.Requests = requestlog.New(requestlog.Config{Store: store})
	s.Accounts = account.New(account.Config{
		Store: store, Mails: s.Mails, Seal: box, Payments: s.Payments, Bundles: c.Bundles, Clock: c.Clock, ConsoleURL: c.ConsoleURL,
		DropFiles: s.Datasets.Sweep, LastUses: s.Requests.LastUses,
	})
	s.Charges = charge.New(charge.Config{Store: store, Payments: s.Payments, ConsoleURL: c.ConsoleURL})
	s.Connections = connection.New(connection.Config{Store: store, Mails: s.Mails, ConsoleURL: c.ConsoleURL})
	if c.TLS.on() {
		s.Certificates, err = certificate.New(certificate.Config{
			Store: store, Seal: box, Domains: c.TLS.Domains, Directory: c.TLS.Directory, Contact: c.operatorMail(),
			Version: c.Version, Clock: c.Clock, Log: c.Log,
		})
	}
	return s, err
}

// fronts are the front ends of the services: the API and the pages.
type fronts struct {
	views    *views.Set
	sessions *session.Sessions

	asks        *ask.API
	askPages    *ask.Pages
	dataPages   *dataset.Pages
	charges     *charge.API
	chargePages *charge.Pages
	connections *connection.API
	consent     *connection.Pages
	description *docs.API
	docs        *docs.Pages
	console     *console.Pages
	entry       *account.EntryPages
	hooks       *webhook.API
	insights    *insight.API
	keys        *account.KeyPages
	inventories *inventory.Pages
	apps        *account.AppPages
	hookPages   *webhook.Pages
	messagePage *message.Pages
	messages    *message.API
	operator    *account.OperatorPages
	own         *account.ConsolePages
	payments    *checkout.Webhook
	pushes      *push.API
	scanPages   *scan.Pages
	requests    *requestlog.Pages
	scans       *scan.API
	shop        *insight.Pages
	tools       *tool.API
}

// parsedPages returns the binary's own templates and static files. They are parsed once in a
// process, since tests run hundreds of appliances in one.
var parsedPages = sync.OnceValues(func() (*views.Set, error) { return views.New(embed.Templates(), embed.Static()) })

func newFronts(c Config, store *db.DB, s Services, jobs *job.Board, ready *readiness) (f *fronts, err error) {
	f = &fronts{
		asks:        ask.NewAPI(s.Asks),
		charges:     charge.NewAPI(s.Charges),
		connections: connection.NewAPI(s.Connections),
		description: docs.NewAPI(c.BaseURL),
		hooks:       webhook.NewAPI(s.Webhooks),
		insights:    insight.NewAPI(s.Insights),
		messages:    message.NewAPI(s.Messages),
		payments:    checkout.NewWebhook(s.Payments),
		pushes:      push.NewAPI(s.Pushes),
		scans:       scan.NewAPI(s.Scans),
		tools:       tool.NewAPI(s.Tools),
	}
	f.sessions, err = session.New(session.Config{
		Store: store, Clock: c.Clock, ConsoleURL: c.ConsoleURL,
		Host: views.Host{NoMail: s.Mails.Outbox(), Operator: c.OperatorName, Contact: c.OperatorContact, Version: c.Version},
	})
	if err != nil {
		return nil, err
	}
	pages, err := parsedPages()
	if err != nil {
		return nil, err
	}
	own := *pages
	own.AllowHTTP = strings.HasPrefix(c.Stripe.API, "http://")
	f.views = &own
	f.askPages = ask.NewPages(s.Asks, f.views, s.Datasets)
	f.dataPages = dataset.NewPages(s.Datasets, f.views, c.Clock)
	f.requests = requestlog.NewPages(s.Requests, f.views, c.BaseURL)
	f.chargePages = charge.NewPages(s.Charges, f.views)
	f.entry = account.NewEntryPages(s.Accounts, f.views, f.sessions, c.SignupOpen)
	f.consent = connection.NewPages(s.Connections, f.views, f.entry)
	f.shop = insight.NewPages(s.Insights, f.views)
	f.docs = docs.NewPages(docs.Config{
		Views: f.views, BaseURL: c.BaseURL, Changelog: c.Changelog, TryKey: s.Accounts.TryKey, NameKey: s.Accounts.NameKey, Pauses: webhook.Pauses(), State: c.publicState(ready, s.Messages.Carrier.Name()),
		Shop: f.shop.Shop,
	})
	f.messagePage = message.NewPages(s.Messages, f.views, c.BaseURL)
	f.own = account.NewConsolePages(s.Accounts, f.views, account.Parts{
		Waiting: []func(context.Context, db.Account) ([]views.Waiting, error){f.consent.Waiting, f.chargePages.Waiting},
		Shop:    f.shop.Shop, Questions: s.Asks.Overview, Calls: f.requests.Today, Webhooks: s.Webhooks.Attention,
	}, account.Prices{ScanCents: scan.PriceCents, MessageCents: message.PriceCents, Kept: f.messagePage.NoSender()})
	f.inventories = inventory.NewPages(s.Inventories, f.views)
	f.scanPages = scan.NewPages(s.Scans, scan.PagesConfig{
		Views: f.views, Clock: c.Clock, Timeout: c.Ollama.Timeout + scan.Grace, Model: c.Ollama.VisionModel,
		Adjust: s.Inventories.Step,
		Undo: func(ctx context.Context, owner db.Account, item string, move int64) error {
			_, err := s.Inventories.Undo(ctx, owner, item, move)
			return err
		},
	})
	f.hookPages = webhook.NewPages(s.Webhooks, f.views)
	f.keys, f.apps = account.NewKeyPages(s.Accounts, f.views, c.BaseURL), account.NewAppPages(s.Accounts, f.views)
	parts := c.parts(ready, s.Messages.Carrier.Name(), s.Certificates)
	f.operator = account.NewOperatorPages(s.Accounts, f.views, parts, jobs.States)
	f.console = console.NewPages(f.views, s.Mails, s.Payments, console.Machine{Parts: parts, Jobs: jobs.States}, s.finders())
	return f, nil
}

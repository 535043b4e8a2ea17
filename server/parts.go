package server

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"svc/server/carrier"
	"svc/server/certificate"
	"svc/server/redact"
	"svc/server/views"
)

// parts returns the function that says what the server is made of, for its operator. It
// names no secret. Messaging is the name of the provider in use; certificates are nil without TLS.
func (c Config) parts(ready *readiness, messaging string, certificates *certificate.Service) func(context.Context) []views.Part {
	return func(ctx context.Context) []views.Part {
		return []views.Part{
			c.databasePart(ready.check(ctx)), c.httpsPart(ctx, certificates), c.mailPart(), c.stripePart(), messagingPart(messaging), c.photosPart(), c.questionsPart(),
			{Name: "Addresses", State: "set", Works: true, Plain: true, Detail: "API " + c.BaseURL + ", pages " + c.ConsoleURL},
			{Name: "Version", State: cmp.Or(c.Version, "unknown"), Works: true, Plain: true, Detail: "svc version --deps lists what it is built of"},
		}
	}
}

// publicState returns the function that says what everybody may know of the server: whether
// it takes calls, as it was found last, and what works on it. It names neither addresses nor
// providers, and writes nothing, whoever asks.
func (c Config) publicState(ready *readiness, messaging string) func() views.ServerState {
	return func() views.ServerState {
		photos := views.Part{Name: "Photos", State: "barcodes", Works: true}
		if c.Ollama.VisionModel != "" {
			photos.State = "barcodes and looks"
		}
		mail, stripe, messages := c.mailPart(), c.stripePart(), messagingPart(messaging)
		mail.Name, stripe.Name, messages.State = "E-mail", "Payments", workState(messages)
		for _, part := range []*views.Part{&mail, &stripe, &messages} {
			part.Detail, part.SetUp = "", ""
		}
		return views.ServerState{
			Ready: ready.last() == nil, SignupOpen: c.SignupOpen,
			Parts: []views.Part{stripe, messages, mail, photos},
		}
	}
}

// workState is the state of a part without the name of a provider.
func workState(p views.Part) string {
	if p.Works && p.State != "outbox" {
		return "set up"
	}
	return p.State
}

// maxJobText bounds the text of a job's error on the operator's page.
const maxJobText = 300

// jobText makes the text of a job's error fit to be shown: those that clients of the outside
// world return have no secrets, and this makes sure of it.
func (c Config) jobText(text string) string {
	secrets := append([]string{c.Stripe.Key, c.OperatorPassword, c.SMTP}, c.Stripe.WebhookSecrets...)
	return redact.New(maxJobText, secrets...).Clean(text)
}

func (c Config) databasePart(err error) views.Part {
	part := views.Part{Name: "Database", State: "writable", Works: true, Detail: c.DB}
	if err != nil {
		part.State, part.Works = "not writable", false
		part.Detail += ": a durable write failed; the log of the server says why"
	}
	return part
}

// httpsPart says how the pages are reached: over HTTPS, or in the clear.
func (c Config) httpsPart(ctx context.Context, certificates *certificate.Service) views.Part {
	part := views.Part{Name: "HTTPS", State: "set up", Works: true}
	switch {
	case certificates != nil:
		var details []string
		for _, f := range certificateFindings(ctx, certificates, c.Clock()) {
			if f.Verdict != Sound {
				part.State, part.Works = "look at it", false
			}
			details = append(details, strings.TrimPrefix(f.Check, certificateCheck)+": "+f.Detail)
		}
		part.Detail = strings.Join(details, "; ") + "."
	case strings.HasPrefix(c.BaseURL, "https://"):
		part.State, part.Plain, part.Detail = "by a proxy", true, "A proxy before svc has the certificates."
	case isLoopback(c.BaseURL):
		part.State, part.Plain, part.Detail = "not needed", true, "Links lead to this machine, and no further."
	default:
		part = views.Part{Name: "HTTPS", State: views.NotSetUp, Detail: "Passwords and keys can be read on their way.", SetUp: "--tls-domain shop.example.com"}
	}
	return part
}

func (c Config) mailPart() views.Part {
	if c.SMTP == "" {
		return views.Part{Name: "Mail", State: views.NotSetUp, Detail: "Mails are kept in the outbox, and nobody receives them.", SetUp: "--smtp smtp://USER:PASSWORD@HOST:587 --mail-from 'Shop <shop@example.com>'"}
	}
	return views.Part{Name: "Mail", State: "set up", Works: true, Detail: hostOf(c.SMTP)}
}

func (c Config) stripePart() views.Part {
	switch {
	case c.Stripe.Key == "":
		return views.Part{Name: "Stripe", State: views.NotSetUp, Detail: "Charges cannot be paid, and credit cannot be bought.", SetUp: "--stripe-key sk_live_… --stripe-webhook-secret whsec_…"}
	case len(c.Stripe.WebhookSecrets) == 0:
		return views.Part{Name: "Stripe", State: "no webhook secret", Detail: "Payments are taken but never confirmed.", SetUp: "--stripe-webhook-secret whsec_…"}
	case strings.Contains(c.Stripe.Key, "_test_"):
		return views.Part{Name: "Stripe", State: "test mode", Works: true, Detail: "No money moves."}
	}
	return views.Part{Name: "Stripe", State: "live", Works: true, Detail: "Payments are confirmed at /webhooks/stripe."}
}

// messagingPart is of the provider that is used, by its name.
func messagingPart(name string) views.Part {
	switch name {
	case carrier.NameNone:
		return views.Part{Name: "Messages", State: views.NotSetUp, Detail: "A message by API is refused; one of the console is kept, to be sent by hand.", SetUp: setUpMessages}
	case carrier.NameOutbox:
		return views.Part{Name: "Messages", State: "outbox", Works: true, Plain: true, Detail: "Messages are kept, not sent; those of the console can be sent by hand.", SetUp: setUpMessages}
	}
	return views.Part{Name: "Messages", State: name, Works: true, Detail: "Receipts and purchase orders are sent by " + name + "."}
}

// setUpMessages sets up one of the providers; the others are in the help of svc serve.
const setUpMessages = "--messaging twilio --twilio-sid AC… --twilio-token TOKEN --twilio-from +15550100"

func (c Config) photosPart() views.Part {
	if c.Ollama.VisionModel == "" {
		return views.Part{
			Name: "Photos", State: "barcodes only", Works: true, Plain: true, Detail: "A photo without a barcode finds nothing: no vision model looks at it.",
			SetUp: "--ollama http://127.0.0.1:11434 --vision-model qwen2.5vl:7b",
		}
	}
	return views.Part{Name: "Photos", State: "set up", Works: true, Detail: "Barcodes first, then " + c.Ollama.VisionModel + " at " + hostOf(c.Ollama.URL) + "."}
}

func (c Config) questionsPart() views.Part {
	if c.Ollama.AskModel == "" {
		return views.Part{Name: "Questions", State: "built-in reader", Works: true, Plain: true, Detail: "No model is needed; --ollama and --ask-model name one that helps."}
	}
	return views.Part{Name: "Questions", State: "set up", Works: true, Detail: "The built-in reader, helped by " + c.Ollama.AskModel + " at " + hostOf(c.Ollama.URL) + "."}
}

// hostOf returns the host of an address, which may have a password before it.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "an address that cannot be read"
	}
	return u.Host
}

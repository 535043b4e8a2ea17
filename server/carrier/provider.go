package carrier

import (
	"fmt"
	"strings"
)

// The providers' names, as --messaging spells them (G1).
const (
	NameNone     = "none"
	NameOutbox   = "outbox"
	NameWhatsApp = "whatsapp"
	NameTwilio   = "twilio"
	NameWebhook  = "webhook"
)

// Settings name a provider and say how to reach it.
type Settings struct {
	Provider string // one of Names
	WhatsApp WhatsApp
	Twilio   Twilio
	Webhook  Webhook
}

// provider is a row of the table of all providers.
type provider struct {
	name     string
	open     func(Settings) Carrier
	required func(Settings) []setting // nil: nothing
}

// setting is the value of a flag.
type setting struct{ flag, value string }

var providers = []provider{
	{NameNone, func(Settings) Carrier { return NewNone() }, nil},
	{NameOutbox, func(Settings) Carrier { return NewOutbox() }, nil},
	{NameWhatsApp, func(s Settings) Carrier { return NewWhatsApp(s.WhatsApp) }, func(s Settings) []setting {
		return []setting{{"--whatsapp-token", s.WhatsApp.Token}, {"--whatsapp-phone-id", s.WhatsApp.PhoneID}}
	}},
	{NameTwilio, func(s Settings) Carrier { return NewTwilio(s.Twilio) }, func(s Settings) []setting {
		return []setting{{"--twilio-sid", s.Twilio.SID}, {"--twilio-token", s.Twilio.Token}, {"--twilio-from", s.Twilio.From}}
	}},
	{NameWebhook, func(s Settings) Carrier { return NewWebhook(s.Webhook) }, func(s Settings) []setting {
		return []setting{{"--messaging-url", s.Webhook.URL}, {"--messaging-secret", s.Webhook.Secret}}
	}},
}

// Names returns the names of all providers.
func Names() (all []string) {
	for _, p := range providers {
		all = append(all, p.name)
	}
	return all
}

// Open returns the carrier for the provider that s names. The error names the flag
// that is wrong or missing.
func Open(s Settings) (Carrier, error) {
	for _, p := range providers {
		if p.name != s.Provider {
			continue
		}
		if p.required != nil {
			for _, required := range p.required(s) {
				if required.value == "" {
					return nil, fmt.Errorf("%s: is required for --messaging %s", required.flag, p.name)
				}
			}
		}
		return p.open(s), nil
	}
	return nil, fmt.Errorf("--messaging: must be one of %s", strings.Join(Names(), ", "))
}

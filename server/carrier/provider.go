package carrier

import (
	"fmt"
	"slices"
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

// provider is a row of the table of all providers. open returns the carrier with the
// values of the flags that it requires.
type provider struct {
	name string
	open func(Settings) (Carrier, []setting)
}

type setting struct{ flag, value string }

var providers = []provider{
	{NameNone, func(Settings) (Carrier, []setting) { return NewNone(), nil }},
	{NameOutbox, func(Settings) (Carrier, []setting) { return NewOutbox(), nil }},
	{NameWhatsApp, func(s Settings) (Carrier, []setting) {
		c := s.WhatsApp
		return NewWhatsApp(c), []setting{{"--whatsapp-token", c.Token}, {"--whatsapp-phone-id", c.PhoneID}}
	}},
	{NameTwilio, func(s Settings) (Carrier, []setting) {
		c := s.Twilio
		return NewTwilio(c), []setting{{"--twilio-sid", c.SID}, {"--twilio-token", c.Token}, {"--twilio-from", c.From}}
	}},
	{NameWebhook, func(s Settings) (Carrier, []setting) {
		return NewWebhook(s.Webhook), []setting{{"--messaging-url", s.Webhook.URL}, {"--messaging-secret", s.Webhook.Secret}}
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
	i := slices.Index(Names(), s.Provider)
	if i < 0 {
		return nil, fmt.Errorf("--messaging: must be one of %s", strings.Join(Names(), ", "))
	}
	carrier, required := providers[i].open(s)
	for _, r := range required {
		if r.value == "" {
			return nil, fmt.Errorf("%s: is required for --messaging %s", r.flag, s.Provider)
		}
	}
	return carrier, nil
}

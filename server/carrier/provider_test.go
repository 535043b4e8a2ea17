package carrier

import (
	"slices"
	"testing"
)

var allSettings = Settings{
	WhatsApp: WhatsApp{Token: "t", PhoneID: "5"},
	Twilio:   Twilio{SID: "AC1", Token: "t", From: "+15550100"},
	Webhook:  Webhook{URL: "http://127.0.0.1", Secret: "s"},
}

func TestOpen(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			s := allSettings
			s.Provider = name
			c, err := Open(s)
			if err != nil || c.Name() != name {
				t.Fatalf("got %v, %v, want the carrier %s", c, err, name)
			}
			remote := c.Remote()
			if _, err := Open(Settings{Provider: name}); (err != nil) != remote {
				t.Errorf("without settings: %v, Remote is %v", err, remote)
			}
		})
	}
	if want := []string{"none", "outbox", "whatsapp", "twilio", "webhook"}; !slices.Equal(Names(), want) {
		t.Errorf("names are %v, want %v", Names(), want)
	}
}

func TestOpenNamesWhatIsMissing(t *testing.T) {
	tests := []struct {
		provider string
		clear    func(*Settings)
		want     string
	}{
		{"", func(*Settings) {}, "--messaging: must be one of none, outbox, whatsapp, twilio, webhook"},
		{"pigeon", func(*Settings) {}, "--messaging: must be one of none, outbox, whatsapp, twilio, webhook"},
		{"whatsapp", func(s *Settings) { s.WhatsApp.Token = "" }, "--whatsapp-token: is required for --messaging whatsapp"},
		{"whatsapp", func(s *Settings) { s.WhatsApp.PhoneID = "" }, "--whatsapp-phone-id: is required for --messaging whatsapp"},
		{"twilio", func(s *Settings) { s.Twilio.SID = "" }, "--twilio-sid: is required for --messaging twilio"},
		{"twilio", func(s *Settings) { s.Twilio.Token = "" }, "--twilio-token: is required for --messaging twilio"},
		{"twilio", func(s *Settings) { s.Twilio.From = "" }, "--twilio-from: is required for --messaging twilio"},
		{"webhook", func(s *Settings) { s.Webhook.URL = "" }, "--messaging-url: is required for --messaging webhook"},
		{"webhook", func(s *Settings) { s.Webhook.Secret = "" }, "--messaging-secret: is required for --messaging webhook"},
	}
	for _, test := range tests {
		s := allSettings
		s.Provider = test.provider
		test.clear(&s)
		if c, err := Open(s); c != nil || err == nil || err.Error() != test.want {
			t.Errorf("%q: got %v, %v, want %q", test.provider, c, err, test.want)
		}
	}
}

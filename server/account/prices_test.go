package account_test

import (
	"regexp"
	"strings"
	"testing"

	"svc/server"
	"svc/server/carrier"
	"svc/server/servertest"
)

var markup, bars = regexp.MustCompile(`\s*<[^>]*>\s*`), regexp.MustCompile(`\|+`)

// The wallet says what costs what: by API only to those who have keys, and a message that is only
// kept is free in the console (G5), a scan there always (F8).
func TestWalletSaysWhatItCosts(t *testing.T) {
	t.Parallel()
	const (
		byAPI   = "|message|$0.02|$0.02|scan that finds a product|free|$0.03|"
		keptAPI = "|message|free|$0.02|scan that finds a product|free|$0.03|"
		alone   = "|A message that is sent|$0.02|"
	)
	for name, c := range map[string]struct {
		sender        carrier.Carrier
		builds        bool
		prices, needs string
	}{
		"Merchant":            {&servertest.Carrier{}, false, alone, "Messages need credit."},
		"MerchantNoSender":    {carrier.NewOutbox(), false, alone, "what you do here costs nothing"},
		"MerchantMayNotSend":  {carrier.NewNone(), false, alone, "what you do here costs nothing"},
		"Developer":           {&servertest.Carrier{}, true, byAPI, "Messages, and scans by API, need credit."},
		"DeveloperWithOutbox": {carrier.NewOutbox(), true, keptAPI, "Scans and messages by API need credit."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := servertest.New(t, func(config *server.Config) { config.Carrier = c.sender })
			s.Person(t, servertest.Boss)
			_, b := s.Member(t, "shop@example.com")
			if c.builds {
				s.Key(t, "shop@example.com", "test", "account")
			}
			wallet := b.Get(t, "/console/wallet")
			wallet.ExpectPage(t, 200, c.needs)
			if needs := strings.HasSuffix(c.needs, "need credit."); needs != wallet.Says("ask the people who run this server and name your account, <bdi>shop@example.com</bdi>") {
				t.Error("whom to ask for credit is said exactly to those who need some")
			}
			if text := bars.ReplaceAllString(markup.ReplaceAllString(string(wallet.Body), "|"), "|"); !strings.Contains(text, c.prices) {
				t.Errorf("no prices %s in %s", c.prices, text)
			}
			if !c.builds && wallet.Says("API") {
				t.Error("a merchant without keys reads of the API")
			}
		})
	}
}

package money

import "testing"

func TestOfLanguages(t *testing.T) {
	for accepted, want := range map[string]string{
		"en-GB,en;q=0.9": "gbp", "de-DE": "eur", "de,en-US;q=0.7": "usd", "ja-JP": "jpy", "pt-BR,pt;q=0.8": "brl", "de-CH": "chf",
		"": "", "en": "", "*": "", "nonsense;;": "", "xx-ZZ": "",
	} {
		if got := OfLanguages(accepted); got != want {
			t.Errorf("%q: %q, want %q", accepted, got, want)
		}
	}
}

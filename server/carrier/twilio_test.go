package carrier

import (
	"net/url"
	"testing"
)

const twilioAccepted = `{"sid":"SM123","status":"queued","error_code":null,"error_message":null}`

func TestTwilio_SMS(t *testing.T) {
	p := newProvider(t, answering(201, twilioAccepted))
	sends(t, NewTwilio(Twilio{API: p.URL, SID: "AC9", Token: "tw token", From: "+15550001"}), "SM123")

	r := p.only(t)
	if r.RequestURI != "/2010-04-01/Accounts/AC9/Messages.json" {
		t.Errorf("address = %q", r.RequestURI)
	}
	if user, password, ok := r.BasicAuth(); !ok || user != "AC9" || password != "tw token" {
		t.Errorf("basic auth = %q, %q, %v", user, password, ok)
	}
	if got := r.Header.Get("Content-Type"); got != "application/x-www-form-urlencoded" {
		t.Errorf("Content-Type = %q", got)
	}
	sameForm(t, r.body, url.Values{
		"To":   {"+4915112345678"},
		"From": {"+15550001"},
		"Body": {receipt.Text},
	})
}

func TestTwilio_WhatsApp(t *testing.T) {
	p := newProvider(t, answering(201, twilioAccepted))
	sends(t, NewTwilio(Twilio{API: p.URL, SID: "AC9", Token: "t", From: "whatsapp:+15550001"}), "SM123")

	sameForm(t, p.only(t).body, url.Values{
		"To":   {"whatsapp:+4915112345678"},
		"From": {"whatsapp:+15550001"},
		"Body": {receipt.Text},
	})
}

func TestTwilio_Refusal(t *testing.T) {
	p := newProvider(t, answering(400,
		`{"code":21211,"message":"Invalid 'To' Phone Number","more_info":"https://x","status":400}`))
	fails(t, t.Context(), NewTwilio(Twilio{API: p.URL, SID: "AC9", Token: "secret"})).expect(t, false,
		"refused the message: Invalid 'To' Phone Number (HTTP 400, code 21211)")
}

package carrier

import "testing"

const whatsAppAccepted = `{"messaging_product":"whatsapp","contacts":[{"input":"x","wa_id":"1"}],
	"messages":[{"id":"wamid.HBgL","message_status":"accepted"}]}`

func TestWhatsApp_Text(t *testing.T) {
	p := newProvider(t, answering(200, whatsAppAccepted))
	sends(t, NewWhatsApp(WhatsApp{API: p.URL + "/v1/", PhoneID: "555", Token: "EAAtoken"}), "wamid.HBgL")

	r := p.only(t)
	if r.RequestURI != "/v1/555/messages" {
		t.Errorf("address = %q", r.RequestURI)
	}
	if got := r.Header.Get("Authorization"); got != "Bearer EAAtoken" {
		t.Errorf("Authorization = %q", got)
	}
	if got := r.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type = %q", got)
	}
	sameJSON(t, r.body, `{
		"messaging_product": "whatsapp",
		"recipient_type": "individual",
		"to": "+4915112345678",
		"type": "text",
		"text": {"preview_url": false, "body": "Thank you!\nTotal:\t12.50 EUR & more      soon"}
	}`)
}

func TestWhatsApp_TemplateFoldsWhiteSpace(t *testing.T) {
	p := newProvider(t, answering(200, whatsAppAccepted))
	sends(t, NewWhatsApp(WhatsApp{API: p.URL, PhoneID: "555", Token: "EAAtoken", TemplateLanguage: "en_US"}), "wamid.HBgL")

	sameJSON(t, p.only(t).body, `{
		"messaging_product": "whatsapp",
		"recipient_type": "individual",
		"to": "+4915112345678",
		"type": "template",
		"template": {
			"name": "receipt",
			"language": {"code": "en_US"},
			"components": [{
				"type": "body",
				"parameters": [{"type": "text", "text": "Thank you! Total: 12.50 EUR & more soon"}]
			}]
		}
	}`)
}

func TestWhatsApp_Refusal(t *testing.T) {
	p := newProvider(t, answering(400, `{"error":{
		"message":"(#131030) Recipient phone number\nnot in allowed list",
		"type":"OAuthException","code":131030,"fbtrace_id":"A1"}}`))
	fails(t, t.Context(), NewWhatsApp(WhatsApp{API: p.URL, PhoneID: "555", Token: "EAAtoken"})).expect(t, false,
		"refused the message: (#131030) Recipient phone number not in allowed list (HTTP 400, code 131030)")
}

func TestWhatsApp_NoMessages(t *testing.T) {
	p := newProvider(t, answering(200, `{"messages":[]}`))
	fails(t, t.Context(), NewWhatsApp(WhatsApp{API: p.URL, PhoneID: "555"})).expect(t, true,
		"gave no message id and gave no reason (HTTP 200); the message may have been sent")
}

func TestDefaultAPIs(t *testing.T) {
	if got := NewWhatsApp(WhatsApp{}).(*whatsApp).config.API; got != "https://graph.facebook.com/v23.0" {
		t.Errorf("whatsapp: %q", got)
	}
	if got := NewTwilio(Twilio{}).(*twilio).config.API; got != "https://api.twilio.com" {
		t.Errorf("twilio: %q", got)
	}
}

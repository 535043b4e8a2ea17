package carrier

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"
)

const whatsAppAPI = "https://graph.facebook.com/v23.0"

// WhatsApp says how to reach a phone number at Meta's Cloud API.
type WhatsApp struct {
	API     string // base address with the version; empty: Meta's own
	PhoneID string // the id of the sending number, not the number itself
	Token   string
	// TemplateLanguage is the language code, like en_US, of the operator's approved
	// templates, which have our templates' names and one body parameter. If empty, free
	// text is sent, which WhatsApp delivers only within 24 hours of the recipient's
	// last message.
	TemplateLanguage string
}

type whatsApp struct {
	config WhatsApp
	*poster
}

// NewWhatsApp returns the carrier for WhatsApp.
func NewWhatsApp(config WhatsApp) Carrier {
	config.API = cmp.Or(config.API, whatsAppAPI)
	secrets := append(addressSecrets(config.API), config.Token)
	return &whatsApp{config, newPoster(NameWhatsApp, secrets...)}
}

// Send posts the message as free text, or as a template if a language is set.
func (c *whatsApp) Send(ctx context.Context, m Message) (string, error) {
	u, ok := endpoint(c.config.API, c.config.PhoneID, "messages")
	if !ok {
		return "", c.misconfigured("its address is not valid")
	}
	body, err := json.Marshal(c.message(m))
	if err != nil {
		return "", c.notSent("could not be given the message", err)
	}

	header := http.Header{
		"Authorization": {"Bearer " + c.config.Token},
		"Content-Type":  {"application/json"},
	}
	return c.post(ctx, postRequest{u, header, body}, readWhatsApp)
}

// object is a JSON object.
type object = map[string]any

func (c *whatsApp) message(m Message) object {
	message := object{"messaging_product": "whatsapp", "recipient_type": "individual", "to": m.Phone}
	if c.config.TemplateLanguage == "" {
		message["type"] = "text"
		message["text"] = object{"preview_url": false, "body": m.Text}
		return message
	}

	// White space is folded, since WhatsApp refuses a parameter with a line break, a tab
	// or more than four spaces in a row.
	text := strings.Join(strings.Fields(m.Text), " ")
	message["type"] = "template"
	message["template"] = object{
		"name":       m.Template,
		"language":   object{"code": c.config.TemplateLanguage},
		"components": []object{{"type": "body", "parameters": []object{{"type": "text", "text": text}}}},
	}
	return message
}

func readWhatsApp(body []byte) (answer, error) {
	var v struct {
		Messages []struct {
			ID string `json:"id"`
		} `json:"messages"`
		Error struct {
			Message string `json:"message"`
			Code    any    `json:"code"`
		} `json:"error"`
	}
	if err := unmarshal(body, &v); err != nil {
		return answer{}, err
	}

	a := answer{reason: v.Error.Message, code: codeText(v.Error.Code)}
	if len(v.Messages) > 0 {
		a.id = strings.TrimSpace(v.Messages[0].ID)
	}
	return a, nil
}

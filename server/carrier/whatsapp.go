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

type whatsAppMessage struct {
	Product   string            `json:"messaging_product"`
	Recipient string            `json:"recipient_type"`
	To        string            `json:"to"`
	Type      string            `json:"type"`
	Text      *whatsAppText     `json:"text,omitempty"`
	Template  *whatsAppTemplate `json:"template,omitempty"`
}

type whatsAppText struct {
	PreviewURL bool   `json:"preview_url"`
	Body       string `json:"body"`
}

type whatsAppTemplate struct {
	Name       string              `json:"name"`
	Language   whatsAppLanguage    `json:"language"`
	Components []whatsAppComponent `json:"components"`
}

type whatsAppLanguage struct {
	Code string `json:"code"`
}

type whatsAppComponent struct {
	Type       string              `json:"type"`
	Parameters []whatsAppParameter `json:"parameters"`
}

type whatsAppParameter struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func (c *whatsApp) message(m Message) whatsAppMessage {
	out := whatsAppMessage{Product: "whatsapp", Recipient: "individual", To: m.Phone}
	if c.config.TemplateLanguage == "" {
		out.Type = "text"
		out.Text = &whatsAppText{Body: m.Text}
		return out
	}

	// White space is folded, since WhatsApp refuses a parameter with a line break, a tab
	// or more than four spaces in a row.
	text := strings.Join(strings.Fields(m.Text), " ")
	out.Type = "template"
	out.Template = &whatsAppTemplate{
		Name:     m.Template,
		Language: whatsAppLanguage{c.config.TemplateLanguage},
		Components: []whatsAppComponent{
			{Type: "body", Parameters: []whatsAppParameter{{"text", text}}},
		},
	}
	return out
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

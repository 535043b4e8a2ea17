package carrier

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"
)

const (
	twilioAPI      = "https://api.twilio.com"
	twilioWhatsApp = "whatsapp:"
)

// Twilio says how to reach an account at Twilio.
type Twilio struct {
	API   string // base address; empty: Twilio's own
	SID   string // of the account
	Token string
	From  string // the sending number; with the prefix "whatsapp:" messages go by WhatsApp, else by SMS
}

type twilio struct {
	config Twilio
	*poster
}

// NewTwilio returns the carrier for Twilio.
func NewTwilio(config Twilio) Carrier {
	config.API = cmp.Or(config.API, twilioAPI)
	secrets := append(addressSecrets(config.API),
		config.SID, config.Token, basicToken(config.SID, config.Token))
	return &twilio{config, newPoster(NameTwilio, secrets...)}
}

// Send posts the text. Twilio does not use our templates.
func (c *twilio) Send(ctx context.Context, m Message) (string, error) {
	u, ok := endpoint(c.config.API, "2010-04-01", "Accounts", c.config.SID, "Messages.json")
	if !ok {
		return "", c.misconfigured("its address is not valid")
	}

	to := m.Phone
	if strings.HasPrefix(c.config.From, twilioWhatsApp) {
		to = twilioWhatsApp + to
	}
	form := url.Values{"To": {to}, "From": {c.config.From}, "Body": {m.Text}}
	header := http.Header{
		"Authorization": {"Basic " + basicToken(c.config.SID, c.config.Token)},
		"Content-Type":  {"application/x-www-form-urlencoded"},
	}
	return c.post(ctx, postRequest{u, header, []byte(form.Encode())}, readTwilio)
}

func readTwilio(body []byte) (answer, error) {
	var v struct {
		SID     string `json:"sid"`
		Message string `json:"message"`
		Code    any    `json:"code"`
	}
	if err := unmarshal(body, &v); err != nil {
		return answer{}, err
	}
	return answer{id: strings.TrimSpace(v.SID), reason: v.Message, code: codeText(v.Code)}, nil
}

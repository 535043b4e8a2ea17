package carrier

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// Webhook is the operator's own receiver. It gets the message as JSON with the fields id,
// timestamp, phone, template and text, and the header X-Service-Signature with the
// lower-case hex HMAC-SHA256 of the raw body under the whole secret. It answers with 2xx
// and {"id": "<its message id>"}, a string, or with a status from 400 on and
// {"error": "<its reason>"}.
type Webhook struct {
	URL    string
	Secret string
}

type webhook struct {
	config Webhook
	*poster
}

// NewWebhook returns the carrier for the operator's own receiver.
func NewWebhook(config Webhook) Carrier {
	secrets := append(addressSecrets(config.URL), pathSecrets(config.URL)...)
	p := newPoster(NameWebhook, append(secrets, config.Secret)...)
	p.wanted = `, but must answer {"id":"<of the message>"}`
	return &webhook{config, p}
}

// Send posts the signed message. Without a secret it sends nothing: anybody can make a
// signature with an empty one.
func (c *webhook) Send(ctx context.Context, m Message) (string, error) {
	u, ok := parseAddress(c.config.URL)
	if !ok {
		return "", c.misconfigured("its address is not valid")
	}
	if c.config.Secret == "" {
		return "", c.misconfigured("it has no signing secret")
	}
	body, err := json.Marshal(webhookMessage{
		ID: m.ID, Timestamp: time.Now().UTC().Format(time.RFC3339), Phone: m.Phone, Template: m.Template, Text: m.Text,
	})
	if err != nil {
		return "", c.notSent("could not be given the message", err)
	}

	header := http.Header{
		"Content-Type":        {"application/json"},
		"X-Service-Signature": {sign(body, c.config.Secret)},
	}
	return c.post(ctx, postRequest{u, header, body}, readWebhook)
}

type webhookMessage struct {
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`
	Phone     string `json:"phone"`
	Template  string `json:"template"`
	Text      string `json:"text"`
}

func sign(body []byte, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func readWebhook(body []byte) (answer, error) {
	var v struct {
		ID    string `json:"id"`
		Error string `json:"error"`
	}
	if err := unmarshal(body, &v); err != nil {
		return answer{}, err
	}
	return answer{id: strings.TrimSpace(v.ID), reason: v.Error}, nil
}

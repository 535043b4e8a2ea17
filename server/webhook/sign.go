package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"svc/server/outbound"
)

// secretPrefix begins a signing secret; 32 random bytes in base64 follow (K1).
const secretPrefix = "whsec_"

func newSecret() string {
	raw := make([]byte, 32)
	rand.Read(raw) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(raw)
}

// Secrets are those that sign a delivery. Old is empty unless a rotation lasts.
type Secrets struct{ Current, Old string }

type headers []outbound.Header

func (h *headers) add(name, value string) {
	*h = append(*h, outbound.Header{Name: name, Value: value})
}

// lines writes the headers as the log of deliveries keeps them.
func (h headers) lines() string {
	lines := make([]string, len(h))
	for i, one := range h {
		lines[i] = strings.ToLower(one.Name) + ": " + one.Value
	}
	return strings.Join(lines, "\n")
}

// Sign returns the headers that prove a body's origin (K3): the three of Standard Webhooks,
// whose HMAC is over id, time and body with the bytes of the secret, and X-Service-Signature,
// whose HMAC is over the body alone with the secret as it is written. While a rotation lasts,
// receivers that have either secret accept what it returns.
func Sign(secrets Secrets, id string, at time.Time, body []byte) ([]outbound.Header, error) {
	seconds := strconv.FormatInt(at.Unix(), 10)
	signed := append([]byte(id+"."+seconds+"."), body...)
	signatures, err := standardSignature(secrets.Current, signed)
	if err != nil {
		return nil, err
	}
	var headers headers
	headers.add("webhook-id", id)
	headers.add("webhook-timestamp", seconds)
	if secrets.Old == "" {
		headers.add("webhook-signature", signatures)
		headers.add("X-Service-Signature", serviceSignature(secrets.Current, body))
		return headers, nil
	}
	old, err := standardSignature(secrets.Old, signed)
	if err != nil {
		return nil, err
	}
	headers.add("webhook-signature", signatures+" "+old)
	headers.add("X-Service-Signature", serviceSignature(secrets.Old, body))
	headers.add("X-Service-Signature-Next", serviceSignature(secrets.Current, body))
	return headers, nil
}

func standardSignature(secret string, signed []byte) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil || len(raw) == 0 {
		return "", fmt.Errorf("sign: the secret is not %s and base64", secretPrefix)
	}
	return "v1," + base64.StdEncoding.EncodeToString(sum(raw, signed)), nil
}

func serviceSignature(secret string, body []byte) string {
	return hex.EncodeToString(sum([]byte(secret), body))
}

func sum(key, message []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(message)
	return mac.Sum(nil)
}

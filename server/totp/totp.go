// Package totp makes and checks the codes of authenticator apps: RFC 6238 with SHA-1, six
// digits and steps of 30 seconds, which all of these apps know.
package totp

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

const (
	stepTime = 30 * time.Second
	digits   = 6
	modulus  = 1_000_000 // 10^digits
	// drift is how many steps a code may be ahead or behind: clocks differ, and people type.
	drift = 1
	// secretBytes is the length that RFC 4226 recommends, that of the hash.
	secretBytes = 20
)

// Secret is the key that the server shares with an app.
type Secret []byte

var encoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewSecret draws a secret.
func NewSecret() Secret {
	secret := make(Secret, secretBytes)
	rand.Read(secret) // never fails: crypto/rand ends the process instead
	return secret
}

// String returns the secret as apps read it: in base32, without padding.
func (s Secret) String() string { return encoding.EncodeToString(s) }

// Parse reads what String returns.
func Parse(text string) (Secret, error) {
	secret, err := encoding.DecodeString(text)
	if err != nil || len(secret) == 0 {
		return nil, fmt.Errorf("not a secret in base32")
	}
	return secret, nil
}

// Step is a stretch of 30 seconds, counted since 1970. Each has one code.
type Step int64

// StepOf returns the step of a time.
func StepOf(t time.Time) Step { return Step(t.Unix() / int64(stepTime/time.Second)) }

// Code returns the code of a step: the dynamic truncation of RFC 4226, 5.3.
func (s Secret) Code(at Step) string {
	mac := hmac.New(sha1.New, s)
	_ = binary.Write(mac, binary.BigEndian, int64(at)) // a hash takes everything
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xf
	number := binary.BigEndian.Uint32(sum[offset:]) & 0x7fff_ffff
	return fmt.Sprintf("%0*d", digits, number%modulus)
}

// Match returns the step whose code was typed, one beside that of now included. Spaces in
// the code do not count. All steps are compared, in constant time.
func (s Secret) Match(typed string, now time.Time) (found Step, ok bool) {
	code := []byte(strings.Join(strings.Fields(typed), ""))
	middle := StepOf(now)
	for at := middle - drift; at <= middle+drift; at++ {
		if subtle.ConstantTimeCompare([]byte(s.Code(at)), code) == 1 {
			found, ok = at, true
		}
	}
	return found, ok
}

// Latest returns the latest step whose code Match accepts at a time.
func Latest(now time.Time) Step { return StepOf(now) + drift }

// Address returns the otpauth:// address from which an app reads the secret. Issuer names
// the service and account whose it is; the app shows both.
func (s Secret) Address(issuer, account string) string {
	clean := strings.NewReplacer(":", " ").Replace // it parts issuer and account
	query := url.Values{"secret": {s.String()}, "issuer": {clean(issuer)}}
	u := url.URL{
		Scheme: "otpauth", Host: "totp", Path: "/" + clean(issuer) + ":" + clean(account),
		RawQuery: strings.ReplaceAll(query.Encode(), "+", "%20"), // apps do not read a plus as a space
	}
	return u.String()
}

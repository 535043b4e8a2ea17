package carrier

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
)

const webhookSecret = "whsec_c2VjcmV0"

func TestWebhook_Request(t *testing.T) {
	p := newProvider(t, answering(202, `{"id":"their-1"}`))
	before := time.Now().Truncate(time.Second)
	sends(t, NewWebhook(Webhook{URL: p.URL + "/in?tenant=7", Secret: webhookSecret}), "their-1")

	r := p.only(t)
	if r.RequestURI != "/in?tenant=7" {
		t.Errorf("address = %q", r.RequestURI)
	}
	mac := hmac.New(sha256.New, []byte("whsec_c2VjcmV0"))
	mac.Write(r.body)
	if got, want := r.Header.Get("X-Service-Signature"), hex.EncodeToString(mac.Sum(nil)); got != want {
		t.Errorf("signature = %q, want %q", got, want)
	}

	var got map[string]string
	if err := json.Unmarshal(r.body, &got); err != nil {
		t.Fatal(err)
	}
	stamp, err := time.Parse(time.RFC3339, got["timestamp"])
	if err != nil || stamp.Before(before) || stamp.After(time.Now()) || !strings.HasSuffix(got["timestamp"], "Z") {
		t.Errorf("timestamp = %q", got["timestamp"])
	}
	delete(got, "timestamp")
	want := map[string]string{"id": receipt.ID, "phone": receipt.Phone, "template": "receipt", "text": receipt.Text}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("body = %v\n want %v", got, want)
	}
}

func TestWebhook_UserOfTheAddress(t *testing.T) {
	p := newProvider(t, answering(200, `{"id":"their-1"}`))
	sends(t, NewWebhook(Webhook{URL: strings.Replace(p.URL, "//", "//op:p%40ss@", 1), Secret: webhookSecret}), "their-1")

	if user, password, ok := p.only(t).BasicAuth(); !ok || user != "op" || password != "p@ss" {
		t.Errorf("basic auth = %q, %q, %v", user, password, ok)
	}
}

func TestWebhook_NotSetUp(t *testing.T) {
	tests := []struct {
		name   string
		config Webhook
		reason string
	}{
		{"NoURL", Webhook{Secret: "s"}, "is not set up: its address is not valid"},
		{"NoScheme", Webhook{"sms.invalid/in", "s"}, "is not set up: its address is not valid"},
		{"OtherScheme", Webhook{"ftp://sms.invalid", "s"}, "is not set up: its address is not valid"},
		{"Unparsable", Webhook{"http://op:hunter2@sms.invalid:x%zz", "s"}, "is not set up: its address is not valid"},
		{"NoSecret", Webhook{URL: "http://sms.invalid"}, "is not set up: it has no signing secret"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fails(t, t.Context(), NewWebhook(test.config)).expect(t, false, test.reason)
		})
	}
}

func sameJSON(t *testing.T, got []byte, want string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatalf("body %s: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("body = %s\n want %s", got, want)
	}
}

func sameForm(t *testing.T, got []byte, want url.Values) {
	t.Helper()
	form, err := url.ParseQuery(string(got))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(form, want) {
		t.Errorf("form = %v\n want %v", form, want)
	}
}

package stripe

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76/webhook"

	"svc/server/datatest"
)

const (
	oldSecret = "whsec_old"
	newSecret = "whsec_new"
)

var secrets = []string{oldSecret, newSecret}

// sign returns the header of a payload.
func sign(payload []byte, secret string, at time.Time) string {
	return webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{
		Payload: payload, Secret: secret, Timestamp: at,
	}).Header
}

// plainEvent has only what every event has.
var plainEvent = []byte(`{"id":"evt_1","type":"ping"}`)

func verifies(t *testing.T, payload []byte, header string, secrets []string) Event {
	t.Helper()
	event, err := Verify(payload, header, secrets, noon)
	if err != nil {
		t.Fatalf("Verify: %v", err)
	}
	return event
}

func refuses(t *testing.T, payload []byte, header string, secrets []string, want error) {
	t.Helper()
	event, err := Verify(payload, header, secrets, noon)
	if !errors.Is(err, want) {
		t.Errorf("Verify = %v, want %v", err, want)
	}
	for _, other := range []error{ErrNoSecret, ErrSignature, ErrTimestamp, ErrPayload} {
		if other != want && errors.Is(err, other) {
			t.Errorf("Verify = %v, which is also %v", err, other)
		}
	}
	if event != (Event{}) {
		t.Errorf("event with an error: %+v", event)
	}
	for _, secret := range secrets {
		if strings.TrimSpace(secret) != "" && err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("error %q has a secret", err)
		}
	}
}

func TestVerifyEventOfFake(t *testing.T) {
	fake, p := newFake(t)
	made := create(t, p, order())
	fake.Pay(made.ID)
	payload := fake.Event(made.ID, "checkout.session.completed")

	got := verifies(t, payload, fake.Sign(payload, newSecret, noon), secrets)
	if !strings.HasPrefix(got.ID, "evt_") {
		t.Errorf("ID = %q", got.ID)
	}
	got.ID = ""
	want := Event{Type: "checkout.session.completed", SessionID: made.ID, Reference: order().Reference}
	if got != want {
		t.Errorf("event = %+v\n    want %+v", got, want)
	}
}

func TestVerifyAcceptsEitherSecret(t *testing.T) {
	for _, secret := range secrets {
		verifies(t, plainEvent, sign(plainEvent, secret, noon), secrets)
	}
	// During a rotation of the secret Stripe signs with both.
	both := sign(plainEvent, "whsec_other", noon) + "," + signature(t, plainEvent, newSecret)
	verifies(t, plainEvent, both, []string{newSecret})
}

// signature returns the v1 part of a header.
func signature(t *testing.T, payload []byte, secret string) string {
	t.Helper()
	_, v1, ok := strings.Cut(sign(payload, secret, noon), ",")
	if !ok {
		t.Fatal("no signature")
	}
	return v1
}

func TestVerifyRefusesBadSignature(t *testing.T) {
	good := sign(plainEvent, newSecret, noon)
	tampered := append([]byte(nil), plainEvent...)
	tampered[len(tampered)-3] ^= 1
	old := fmt.Sprintf("t=%d", noon.Add(-time.Hour).Unix())
	fresh := fmt.Sprintf("t=%d", noon.Unix())
	tests := []struct {
		name    string
		payload []byte
		header  string
	}{
		{"WrongSecret", plainEvent, sign(plainEvent, "whsec_wrong", noon)},
		{"EmptySecret", plainEvent, sign(plainEvent, "", noon)},
		{"Tampered", tampered, good},
		{"Longer", append([]byte(" "), plainEvent...), good},
		{"NoBody", nil, good},
		{"Unsigned", plainEvent, ""},
		{"Garbage", plainEvent, "garbage"},
		{"Commas", plainEvent, ",,,"},
		{"NoSignature", plainEvent, fresh},
		{"NoTime", plainEvent, signature(t, plainEvent, newSecret)},
		{"InvalidTime", plainEvent, "t=now," + signature(t, plainEvent, newSecret)},
		{"OtherTime", plainEvent, fmt.Sprintf("t=%d,%s", noon.Unix()+1, signature(t, plainEvent, newSecret))},
		{"OtherScheme", plainEvent, strings.Replace(good, "v1=", "v0=", 1)},
		{"NotHex", plainEvent, fresh + ",v1=zz"},
		{"EmptySignature", plainEvent, fresh + ",v1="},
		{"HalfASignature", plainEvent, good[:len(good)-32]},
		{"TwoTimes", plainEvent, fresh + "," + sign(plainEvent, newSecret, noon)},
		{"OldBehindFresh", plainEvent, fresh + "," + sign(plainEvent, newSecret, noon.Add(-time.Hour))},
		{"FreshBehindOld", plainEvent, old + "," + good},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			refuses(t, test.payload, test.header, secrets, ErrSignature)
		})
	}
}

// The library reads a header without a time as one of the zero time.
func TestVerifyRefusesHeaderWithoutTime(t *testing.T) {
	none := webhook.ComputeSignature(time.Time{}, plainEvent, newSecret)
	refuses(t, plainEvent, fmt.Sprintf("v1=%x", none), secrets, ErrSignature)
}

func TestVerifyWithoutSecret(t *testing.T) {
	empty := sign(plainEvent, "", noon)
	for _, none := range [][]string{nil, {}, {""}, {"", ""}, {" "}} {
		refuses(t, plainEvent, empty, none, ErrNoSecret)
		refuses(t, plainEvent, sign(plainEvent, " ", noon), none, ErrNoSecret)
	}
	refuses(t, plainEvent, empty, []string{"", newSecret}, ErrSignature)
	verifies(t, plainEvent, sign(plainEvent, newSecret, noon), []string{"", newSecret})
}

func TestVerifyTolerance(t *testing.T) {
	for _, edge := range []time.Duration{-300 * time.Second, 0, 300 * time.Second} {
		verifies(t, plainEvent, sign(plainEvent, newSecret, noon.Add(edge)), secrets)
	}
	for _, beyond := range []time.Duration{-301 * time.Second, 301 * time.Second, -24 * time.Hour, 24 * time.Hour} {
		refuses(t, plainEvent, sign(plainEvent, newSecret, noon.Add(beyond)), secrets, ErrTimestamp)
	}
	for _, far := range []int64{0, -1 << 62, 1 << 62} {
		refuses(t, plainEvent, sign(plainEvent, newSecret, time.Unix(far, 0)), secrets, ErrTimestamp)
	}
}

func TestWrongSignatureComesBeforeTimestamp(t *testing.T) {
	refuses(t, plainEvent, sign(plainEvent, "whsec_wrong", noon.Add(-time.Hour)), secrets, ErrSignature)
}

func TestVerifyReadsEvent(t *testing.T) {
	const session = `"object":"checkout.session","id":"cs_1","client_reference_id":"ch_1"`
	tests := []struct {
		name    string
		payload string
		want    Event
	}{
		{"Least", `{"id":"evt_1","type":"ping"}`, Event{}},
		{"Live", `{"id":"evt_1","type":"ping","livemode":true}`, Event{Live: true}},
		{"Session", `{"id":"evt_1","type":"ping","data":{"object":{` + session + `}}}`, Event{SessionID: "cs_1", Reference: "ch_1"}},
		{"NewerVersion", `{"id":"evt_1","type":"ping","api_version":"2099-01-01.zinnia","new":[1],"data":{"object":{` + session + `,"new":{}}}}`, Event{SessionID: "cs_1", Reference: "ch_1"}},
		{"NoReference", `{"id":"evt_1","type":"ping","data":{"object":{"object":"checkout.session","id":"cs_1","client_reference_id":null}}}`, Event{SessionID: "cs_1"}},
		{"OddReference", `{"id":"evt_1","type":"ping","data":{"object":{"object":"checkout.session","client_reference_id":7,"id":"cs_1"}}}`, Event{SessionID: "cs_1"}},
		{"OtherObject", `{"id":"evt_1","type":"ping","data":{"object":{"object":"charge","id":"ch_1"}}}`, Event{}},
		{"ObjectWithoutName", `{"id":"evt_1","type":"ping","data":{"object":{"id":"cs_1"}}}`, Event{}},
		{"NoObject", `{"id":"evt_1","type":"ping","data":{}}`, Event{}},
		{"NullObject", `{"id":"evt_1","type":"ping","data":{"object":null}}`, Event{}},
		{"TextForObject", `{"id":"evt_1","type":"ping","data":{"object":"cs_1"}}`, Event{}},
		{"NullData", `{"id":"evt_1","type":"ping","data":null}`, Event{}},
		{"ListForData", `{"id":"evt_1","type":"ping","data":[1]}`, Event{}},
		{"TextForData", `{"id":"evt_1","type":"ping","data":"x"}`, Event{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			payload := []byte(test.payload)
			test.want.ID, test.want.Type = "evt_1", "ping"
			if got := verifies(t, payload, sign(payload, newSecret, noon), secrets); got != test.want {
				t.Errorf("event = %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestVerifyRefusesPayload(t *testing.T) {
	for _, payload := range []string{
		``, ` `, `{`, `null`, `[]`, `"evt_1"`, `1`, `{}`, `{"id":"evt_1"}`, `{"type":"ping"}`,
		`{"id":"","type":"ping"}`, `{"id":"evt_1","type":""}`, `{"id":1,"type":"ping"}`,
		`{"id":"evt_1","type":["ping"]}`, `{"id":"evt_1","type":"ping","livemode":"yes"}`,
		`{"id":"evt_1","type":"ping"}{}`, `{"id":"evt_1","type":"ping"} x`, "\xff\xfe",
	} {
		refuses(t, []byte(payload), sign([]byte(payload), newSecret, noon), secrets, ErrPayload)
	}
}

// TestRealEvents verifies events that Stripe sent, also of other API versions.
func TestRealEvents(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(datatest.Path(t, "webhooks/stripe_events"), "*.json"))
	if err != nil || len(files) != 88 {
		t.Fatalf("%d events, want 88 (%v)", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			payload, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := verifies(t, payload, sign(payload, newSecret, noon), secrets)
			if want := readReal(t, payload); got != want {
				t.Errorf("event = %+v, want %+v", got, want)
			}
			if got.IsCheckout() != strings.HasPrefix(filepath.Base(file), "checkout.session.") {
				t.Errorf("IsCheckout = %v", got.IsCheckout())
			}
		})
	}
}

// readReal reads an event without the tested code.
func readReal(t *testing.T, payload []byte) Event {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(payload, &body); err != nil {
		t.Fatal(err)
	}
	event := Event{ID: body["id"].(string), Type: body["type"].(string), Live: body["livemode"].(bool)}
	object := body["data"].(map[string]any)["object"].(map[string]any)
	if object["object"] == "checkout.session" {
		event.SessionID = object["id"].(string)
	}
	return event
}

func TestIsCheckout(t *testing.T) {
	types := map[string]bool{
		"checkout.session.completed":               true,
		"checkout.session.async_payment_succeeded": true,
		"checkout.session.async_payment_failed":    true,
		"checkout.session.expired":                 true,
		"checkout.session.created":                 false,
		"checkout.session":                         false,
		"charge.succeeded":                         false,
		"":                                         false,
	}
	for name, want := range types {
		if got := (Event{Type: name}).IsCheckout(); got != want {
			t.Errorf("IsCheckout of %q = %v, want %v", name, got, want)
		}
	}
}

// FuzzVerify checks that Verify never panics and accepts only what is signed.
func FuzzVerify(f *testing.F) {
	f.Add(plainEvent, sign(plainEvent, newSecret, noon))
	f.Add([]byte(`{"id":"evt_1","type":"x","data":{"object":{"object":"checkout.session","id":"cs_1"}}}`), "t=1,v1=00")
	f.Add([]byte(`{"data":null}`), "t=,v1=,t")
	f.Add([]byte(nil), "")
	f.Fuzz(func(t *testing.T, payload []byte, header string) {
		if event, err := Verify(payload, header, []string{"whsec_other"}, noon); err == nil {
			t.Errorf("accepted %+v", event)
		}
		event, err := Verify(payload, sign(payload, newSecret, noon), secrets, noon)
		if err == nil && (event.ID == "" || event.Type == "") {
			t.Errorf("event without id or type: %+v", event)
		}
		if err != nil && !errors.Is(err, ErrPayload) {
			t.Errorf("with a good signature: got %v, want ErrPayload", err)
		}
	})
}

package cmd_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svc/cmd"
)

func TestEventsKinds(t *testing.T) {
	t.Parallel()
	f := newFolder(t) // without a database
	out := f.ok("events", "kinds")
	contains(t, out, "KIND", "sale.created", "The nightly scan")
	all := f.objects(f.ok("events", "kinds", "--json"))
	if len(all) != 8 || fieldsOf(all[0]) != "kind retried sample schema summary when" {
		t.Fatalf("%d kinds: %v", len(all), all[0])
	}
	for i, want := range []bool{true, true, true, false, false, false, false, false} {
		if all[i]["retried"] != want {
			t.Errorf("%v is retried: %v", all[i]["kind"], all[i]["retried"])
		}
	}
	one := f.object("events", "kinds", "stock.low")
	if sample := one["sample"].(map[string]any); sample["type"] != "stock.low" || one["schema"].(map[string]any)["title"] != "stock.low" {
		t.Errorf("stock.low: %v", one)
	}
	contains(t, f.ok("events", "kinds", "stock.low"), "at most once in 24 hours", "tried 10 times", `"reorder_point": 5`, "json-schema.org/draft/2020-12")
	contains(t, f.ok("events", "kinds", "brief.ready"), "It is sent once")

	contains(t, f.fails(2, "events", "kinds", "sale.create"), "did you mean sale.created?")
	contains(t, f.fails(2, "events", "kinds", "stock.low", "brief.ready"), "usage: svc events kinds [KIND]")
	if got := f.completed("events", "kinds", ""); !strings.HasPrefix(got, "sale.created purchase_order.received ") || !strings.HasSuffix(got, noFiles) {
		t.Errorf("completed %q", got)
	}
}

func TestEventsTrigger(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	contains(t, f.ok("events", "trigger", "stock.low"), "evt_", ": stock.low, queued for 0 webhooks")
	made := f.object("events", "trigger", "sale.created", "--account", owner, "--test=false")
	if fieldsOf(made) != "id kind queued sequence test_mode" || made["sequence"] != 2.0 || made["test_mode"] != false {
		t.Errorf("made %v", made)
	}
	contains(t, f.fails(2, "events", "trigger"), "usage: svc events trigger KIND")
	contains(t, f.fails(2, "events", "trigger", "stock.lo"), "did you mean stock.low?")
	contains(t, f.fails(1, "events", "trigger", "stock.low", "--account", "nobody@example.com"), "no account")
}

// received is a request to the developer's own server.
type received struct {
	header http.Header
	body   []byte
}

// TestEventsListen checks that events from now on, also those of other processes, are posted
// with both signatures and printed with what came of it, and that a receiver that is down
// ends nothing.
func TestEventsListen(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.ok("events", "trigger", "brief.ready") // before
	got := make(chan received, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- received{r.Header, body}
		w.WriteHeader(http.StatusTeapot)
	}))
	defer receiver.Close()
	out, end := f.listen("--forward-to", receiver.URL+"/x", "--events", "stock.low,sale.created")
	await(t, "the secret is printed", func() bool { return strings.Contains(out.String(), "whsec_") })
	_, rest, _ := strings.Cut(out.String(), "signing secret is ")
	secret := strings.TrimSpace(rest)

	f.ok("events", "trigger", "brief.ready") // not listened to
	id := f.object("events", "trigger", "stock.low")["id"].(string)
	checkSigned(t, <-got, secret, id)
	await(t, "the event is printed", func() bool { return strings.Contains(out.String(), id) })
	receiver.Close()
	second := f.object("events", "trigger", "sale.created")["id"].(string)
	await(t, "the next event is printed", func() bool { return strings.Contains(out.String(), second) })
	end()

	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 || len(got) != 0 {
		t.Fatalf("printed %q, %d more requests", lines, len(got))
	}
	contains(t, lines[2], "stock.low                "+id+"  418 I'm a teapot  ", " ms")
	contains(t, lines[3], "sale.created             "+second+"  the connection was refused  ")
}

// checkSigned verifies a request as a receiver would that knows the scheme alone (K3).
func checkSigned(t *testing.T, r received, secret, id string) {
	t.Helper()
	mac := func(key []byte, text string) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	signed := r.header.Get("webhook-id") + "." + r.header.Get("webhook-timestamp") + "." + string(r.body)
	if want := "v1," + base64.StdEncoding.EncodeToString(mac(key, signed)); r.header.Get("webhook-signature") != want {
		t.Errorf("webhook-signature %q, want %q", r.header.Get("webhook-signature"), want)
	}
	if want := hex.EncodeToString(mac([]byte(secret), string(r.body))); r.header.Get("X-Service-Signature") != want {
		t.Errorf("X-Service-Signature %q, want %q", r.header.Get("X-Service-Signature"), want)
	}
	var body struct{ ID string }
	if err := json.Unmarshal(r.body, &body); err != nil || body.ID != id || r.header.Get("webhook-id") != id {
		t.Errorf("body %s, %v; want %s", r.body, err, id)
	}
}

func TestEventsListenPrints(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	out, end := f.listen("--json")
	await(t, "it listens", func() bool { return out.String() == "{}\n" })
	id := f.object("events", "trigger", "sync.completed")["id"].(string)
	await(t, "the event is printed", func() bool { return strings.Contains(out.String(), id) })
	end()
	heard := f.objects(out.String())[1]
	if fieldsOf(heard) != "event id kind time" || heard["event"].(map[string]any)["type"] != "sync.completed" {
		t.Errorf("heard %v", heard)
	}

	contains(t, f.fails(2, "events", "listen", "--events", "stock.lo"), `events: has the unknown kind "stock.lo"`)
	for address, problem := range map[string]string{
		"http://10.0.0.1:8080/x": "forward_to: must", "https://u:p@example.com/x": "forward_to: must not have a user name", "example": "forward_to: must be",
	} {
		contains(t, f.fails(2, "events", "listen", "--forward-to", address), problem)
	}
}

// listen runs svc events listen in this process until end is called, which checks that it
// ends as Ctrl-C ends it.
func (f *folder) listen(args ...string) (out *output, end func()) {
	f.Helper()
	ctx, cancel := context.WithCancel(f.Context())
	f.Cleanup(cancel)
	out, status := &output{}, make(chan int, 1)
	var stderr output
	args = append([]string{"events", "listen", "--db", f.path("svc.db")}, args...)
	go func() {
		status <- cmd.Execute(ctx, args, cmd.Streams{In: strings.NewReader(""), Out: out, Err: &stderr})
	}()
	return out, func() {
		f.Helper()
		cancel()
		if got := <-status; got != 0 || stderr.String() != "" {
			f.Errorf("ended with %d and %q", got, stderr.String())
		}
	}
}

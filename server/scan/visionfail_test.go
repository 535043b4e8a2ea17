package scan_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"svc/server"
	"svc/server/llm/llmtest"
	"svc/server/scan"
	"svc/server/servertest"
)

// failing are failures of a model and the errors for the caller.
var failing = []struct {
	name string
	fail func(o *llmtest.Ollama)
	says string
}{
	{"Down", func(o *llmtest.Ollama) { o.Down() }, "Its server does not answer."},
	{"Slow", func(o *llmtest.Ollama) { o.Hang() }, "The model seer:7b did not answer in time."},
	{"Cut", func(o *llmtest.Ollama) { o.CutConnection() }, "The answer of the model seer:7b was cut off."},
	{"Missing", func(o *llmtest.Ollama) { o.Remove(seer) }, `Ollama does not have the model seer:7b; \"ollama pull seer:7b\" fetches it.`},
	{"Blind", func(o *llmtest.Ollama) { o.Add(seer) }, "The model seer:7b cannot see pictures."},
	{"Crashed", func(o *llmtest.Ollama) { o.Crash() }, "The model seer:7b could not be asked."},
	{"Busy", func(o *llmtest.Ollama) { o.Busy() }, "The Ollama server is busy. Please try again in a moment."},
	{"Refused", func(o *llmtest.Ollama) { o.Status(401, `{"error":"unauthorized"}`) }, "The model seer:7b could not be asked."},
	{"Elsewhere", func(o *llmtest.Ollama) { o.Redirect("http://example.com/") }, "The model seer:7b could not be asked."},
	{"AnotherServer", func(o *llmtest.Ollama) { o.Status(404, "no such page") }, "The server in Ollama's place is no Ollama."},
	{"OtherKind", func(o *llmtest.Ollama) {
		o.Answer(strings.Replace(sees("Sencha", "", ""), `"product"`, `"person"`, 1))
	}, "The model seer:7b gave no usable answer."},
	{"Page", func(o *llmtest.Ollama) { o.Status(200, "<html>It works</html>") }, "The model seer:7b gave no usable answer."},
	{"Prose", func(o *llmtest.Ollama) { o.Prose() }, "The model seer:7b gave no usable answer."},
	{"HalfJSON", func(o *llmtest.Ollama) { o.HalfJSON() }, "The model seer:7b gave no usable answer."},
	{"TooLongAnAnswer", func(o *llmtest.Ollama) { o.CutOff(`{"name":"Sen`) }, "The answer of the model seer:7b was cut off."},
	{"OtherSchema", func(o *llmtest.Ollama) { o.Answer(`{"product":"Sencha"}`) }, "The model seer:7b gave no usable answer."},
	{"OtherType", func(o *llmtest.Ollama) { o.Answer(`{"name":["Sencha"]}`) }, "The model seer:7b gave no usable answer."},
	{"LongName", func(o *llmtest.Ollama) { o.Answer(sees(strings.Repeat("x", 100_000), "", "")) }, "The model seer:7b gave no usable answer."},
	{"HTML", func(o *llmtest.Ollama) { o.Answer(sees("<script>alert(1)</script>", "", "")) }, "The model seer:7b gave no usable answer."},
	{"ControlCharacters", func(o *llmtest.Ollama) { o.Answer(sees("Sencha\u0007", "", "")) }, "The model seer:7b gave no usable answer."},
}

// A failed model call is free and frees its Idempotency-Key. The answer does not contain
// the model's address, and neither answer nor log its credentials.
func TestScanModelFails(t *testing.T) {
	const user, password, patient = "porter", "knock-twice", 2 * time.Second
	for _, row := range failing {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel() // two of them wait for a real timeout
			ollama := llmtest.New(t)
			ollama.Add(seer, "completion", "vision")
			address, _ := url.Parse(ollama.URL)
			address.User = url.UserPassword(user, password)
			s := newCounter(t, 1000, seeing(address.String()), func(c *server.Config) {
				if row.name == "Slow" || row.name == "Busy" {
					c.Ollama.Timeout = patient
				}
			})
			s.ollama = ollama
			s.stock(t, coffee)

			row.fail(ollama)
			began := time.Now()
			a := s.scan(t, blank(t), withKeyK)
			if took := time.Since(began); row.name == "Slow" && took >= patient+scan.Grace {
				t.Errorf("the question ended with the call, after %v, not with the model's timeout", took)
			}
			a.Expect(t, 502, "provider_failed")
			a.ExpectBody(t, 502, `{"error":"the vision model failed, and nothing was charged: `+row.says+`"}`+"\n")
			s.expectFree(t, 1000)
			if used := s.Meter(t).MonthUsed; used != 0 {
				t.Errorf("the month counts %d calls after a 502", used)
			}
			for what, secret := range map[string]string{"address": address.Host, "name": user, "password": password} {
				if strings.Contains(string(a.Body), secret) {
					t.Errorf("the answer contains the %s: %s", what, a.Body)
				}
			}
			if logged := s.Log.String(); strings.Contains(logged, password) || strings.Contains(logged, user) {
				t.Errorf("the log contains the credentials: %s", logged)
			}

			ollama.Up()
			ollama.Release()
			ollama.Add(seer, "completion", "vision")
			ollama.Answer(sees("Ground Coffee", "250 g", ""))
			again := s.scan(t, blank(t), withKeyK)
			if again.Status != 200 || again.Field(t, "found") != true || again.Header.Get("Idempotency-Replayed") != "" {
				t.Errorf("the next attempt: %d %s", again.Status, again.Body)
			}
			s.ExpectWallet(t, 1000-scanPrice, 0)
		})
	}
}

// A twin of a failed scan makes the next attempt (B4).
func TestScanTwinOfAFailure(t *testing.T) {
	s := newSeeingCounter(t, 1000)
	arrived := s.ollama.Hang()
	s.ollama.Answer(sees("Sencha", "", ""))
	first := s.scanAside(t, blank(t), withKeyK)
	servertest.Receive(t, arrived)
	twin := s.scanAside(t, blank(t), withKeyK)
	s.UntilCounted(t, 2)
	s.ollama.Release()
	servertest.Receive(t, first).Expect(t, 502, "provider_failed")
	servertest.Receive(t, twin).ExpectBody(t, 200, notInInventory("Sencha"))
	s.ExpectWallet(t, 1000-scanPrice, 0)
}

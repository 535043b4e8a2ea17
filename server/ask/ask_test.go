package ask_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/ask"
	"svc/server/ask/tell"
	"svc/server/servertest"
)

// withKeyK sends an Idempotency-Key.
var withKeyK = servertest.WithIdempotencyKey("k")

const askPath = "/api/v1/ask"

// books is a shop with questions about its business (seed 2.4, 4.1).
type books struct{ *servertest.Shop }

func newBooks(t *testing.T, plan db.Plan, change ...func(*server.Config)) *books {
	t.Helper()
	return &books{servertest.NewShop(t, plan, 1000, change...)}
}

// reply is an answer (seed 2.4), with the explanation if one was requested (H10).
type reply struct {
	Answer          string   `json:"answer"`
	InsightHeader   *string  `json:"insight_header"`
	Verdict         *string  `json:"verdict"`
	VerdictSentence *string  `json:"verdict_sentence"`
	Confidence      string   `json:"confidence"`
	Cards           []card   `json:"kpi_cards"`
	Chart           *chart   `json:"chart"`
	Table           *grid    `json:"table"`
	Recommendations []string `json:"recommendations"`
	FollowUps       []string `json:"follow_up_questions"`
	Meta            struct {
		Model     string          `json:"model"`
		LatencyMs json.Number     `json:"latency_ms"`
		Remaining json.RawMessage `json:"requests_remaining"`
	} `json:"meta"`
	Explain *struct {
		Plan   json.RawMessage `json:"plan"`
		Text   string          `json:"text"`
		SQL    []string        `json:"sql"`
		Source string          `json:"source"`
		Rows   int64           `json:"rows"`
		AsOf   string          `json:"as_of"`
	} `json:"explain"`
}

type card struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

type chart struct {
	Type   string         `json:"type"`
	Labels []string       `json:"labels"`
	Values []*json.Number `json:"values"`
	Label  string         `json:"label"`
}

type grid struct {
	Headers []string `json:"headers"`
	Rows    [][]any  `json:"rows"`
}

// replyKeys are the keys of an answer (seed 2.4).
var replyKeys = []string{
	"answer", "chart", "confidence", "follow_up_questions", "insight_header", "kpi_cards", "meta",
	"recommendations", "table", "verdict", "verdict_sentence",
}

// readReply checks that a call succeeded and that its answer has the fields of seed 2.4.
func readReply(t *testing.T, a servertest.Answer) (r reply) {
	t.Helper()
	a.Expect(t, 200, "")
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(a.Body, &fields); err != nil {
		t.Fatalf("%v: %s", err, a.Body)
	}
	decoder := json.NewDecoder(bytes.NewReader(a.Body))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	if err := decoder.Decode(&r); err != nil {
		t.Fatalf("%v: %s", err, a.Body)
	}
	for _, name := range replyKeys {
		value, ok := fields[name]
		isList := slices.Contains([]string{"follow_up_questions", "kpi_cards", "recommendations"}, name)
		if !ok || isList && value[0] != '[' {
			t.Errorf("%s is %q: %s", name, value, a.Body)
		}
	}
	if (r.Explain != nil) != (len(fields) > len(replyKeys)) || strings.TrimSpace(r.Answer) == "" {
		t.Errorf("answer %s", a.Body)
	}
	r.check(t)
	return r
}

// check checks what holds for every answer.
func (r reply) check(t *testing.T) {
	t.Helper()
	if !slices.Contains([]string{"high", "medium", "low"}, r.Confidence) {
		t.Errorf("confidence %q", r.Confidence)
	}
	if r.Verdict != nil && !slices.Contains([]string{"act", "watch", "problem"}, *r.Verdict) || (r.Verdict == nil) != (r.VerdictSentence == nil) {
		t.Errorf("verdict %v, %v", r.verdict(), r.VerdictSentence)
	}
	if ms, err := r.Meta.LatencyMs.Int64(); r.Meta.Model != "askbiz-v1" || err != nil || ms < 1 || ms > 60_000 {
		t.Errorf("meta %+v", r.Meta)
	}
	if c := r.Chart; c != nil && (!slices.Contains([]string{"bar", "line", "pie"}, c.Type) || len(c.Labels) < 2 || len(c.Labels) != len(c.Values) || c.Label == "") {
		t.Errorf("chart %+v", c)
	}
	if r.Table != nil {
		for _, row := range r.Table.Rows {
			if len(row) != len(r.Table.Headers) {
				t.Errorf("row %v under %v", row, r.Table.Headers)
			}
		}
	}
}

func (r reply) verdict() string {
	if r.Verdict == nil {
		return ""
	}
	return *r.Verdict
}

// texts returns all texts of an answer that people read.
func (r reply) texts() []string {
	all := append([]string{r.Answer}, r.Recommendations...)
	for _, p := range []*string{r.InsightHeader, r.VerdictSentence} {
		if p != nil {
			all = append(all, *p)
		}
	}
	for _, c := range r.Cards {
		all = append(all, c.Label, c.Value)
	}
	return all
}

// says reports whether the texts of the answer contain a text.
func (r reply) says(text string) bool { return strings.Contains(strings.Join(r.texts(), "\n"), text) }

func (r reply) expectSays(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !r.says(text) {
			t.Errorf("%q is not in %q", text, r.texts())
		}
	}
}

// expectRefusal checks that the answer has no figures.
func (r reply) expectRefusal(t *testing.T) {
	t.Helper()
	if r.Confidence != "low" || r.Chart != nil || r.Table != nil || len(r.Cards) > 0 || r.Verdict != nil {
		t.Errorf("%q, want a refusal: %+v", r.Answer, r)
	}
}

// post posts any body to ask with the shop's live key, which an option may replace.
func (b *books) post(t *testing.T, body any, options ...servertest.Option) servertest.Answer {
	t.Helper()
	options = slices.Insert(options, 0, servertest.WithKey(b.Secret))
	return b.Call(t, http.MethodPost, askPath, body, options...)
}

// ask asks a question and requests the explanation.
func (b *books) ask(t *testing.T, question string, options ...servertest.Option) reply {
	t.Helper()
	return readReply(t, b.post(t, map[string]any{"question": question, "options": map[string]bool{"explain": true}}, options...))
}

func (b *books) setProfile(t *testing.T, p db.Profile) {
	t.Helper()
	dbtest.Update(t, b.Store, func(tx *db.Tx) error { return tx.SetProfile(b.LiveKey.AccountID, p) })
}

// generic makes a generic key of the shop, whose questions bring their own context.
func (b *books) generic(t *testing.T, env db.Env) servertest.Option {
	t.Helper()
	_, secret := b.Key(t, b.Email, env, db.GenericMode)
	return servertest.WithKey(secret)
}

const revenueBody = `{"question":"What is our revenue?"}`

// Every answer has every field, for all questions and keys.
func TestAskShape(t *testing.T) {
	servertest.Sequential(t)
	b := newBooks(t, db.Business)
	_, test := b.TestKey(t)
	keys := map[string]servertest.Option{
		"Live": servertest.WithKey(b.Secret), "Test": servertest.WithKey(test),
		"Generic": b.generic(t, db.Live), "GenericTest": b.generic(t, db.Test),
	}
	for _, data := range []string{"WithoutData", "WithData"} {
		if data == "WithData" {
			b.importFile(t, "sales.csv", csvFile(makeLines("2026-01-01", 60)))
		}
		for name, key := range keys {
			t.Run(name+data, func(t *testing.T) {
				for _, question := range []string{
					"What is our revenue?", "What is our revenue by product?", "Which products lost money?",
					"How did last month do against the month before?", "What about flibbertigibbets?",
				} {
					a := b.post(t, map[string]any{"question": question, "context": map[string]any{"revenue": 12}}, key)
					r := readReply(t, a)
					if n := len(a.Fields(t)); n != len(replyKeys) || r.Explain != nil {
						t.Errorf("%d keys: %s", n, a.Body)
					}
					if n := len(a.Field(t, "meta").(map[string]any)); n != 3 {
						t.Errorf("meta of %d keys: %s", n, a.Body)
					}
				}
			})
		}
	}
}

// Empty fields are null or an empty list (H3, H4).
func TestAskWithoutData(t *testing.T) {
	b := newBooks(t, db.Business)
	for _, question := range []string{"What is our revenue?", "What is out of stock?", "🍵"} {
		a := b.post(t, map[string]string{"question": question})
		r := readReply(t, a)
		r.expectRefusal(t)
		for name, want := range map[string]any{
			"kpi_cards": []any{}, "recommendations": []any{}, "follow_up_questions": []any{},
			"chart": nil, "table": nil, "verdict": nil, "verdict_sentence": nil, "insight_header": nil,
		} {
			if got, ok := a.Fields(t)[name]; !ok || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s is %v, want %v", name, got, want)
			}
		}
	}
}

// A question is free, even with an empty wallet, and is counted.
func TestAskIsFree(t *testing.T) {
	b := newBooks(t, db.Growth)
	for range 3 {
		b.post(t, revenueBody).Expect(t, 200, "")
	}
	b.post(t, `{}`).Expect(t, 400, "invalid_request")
	b.ExpectWallet(t, 1000, 0)
	if entries := b.Ledger(t, b.Email); len(entries) != 1 {
		t.Errorf("ledger %+v", entries)
	}
	if m := b.Meter(t); m.MonthUsed != 4 || m.WindowUsed != 4 {
		t.Errorf("the month counts %d and the minute %d, want 4", m.MonthUsed, m.WindowUsed)
	}
	b.Credit(t, -1000)
	b.post(t, revenueBody).Expect(t, 200, "")
	b.ExpectWallet(t, 0, 0)
}

// The Idempotency-Key is ignored (seed 5.7, B6).
func TestAskIgnoresIdempotencyKey(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "sales.csv", csvFile(makeLines("2026-01-01", 60)))
	first := b.ask(t, "What is our revenue?", withKeyK)
	second := b.ask(t, "How many units did we sell?", withKeyK)
	if first.Answer == second.Answer {
		t.Errorf("the second question got the first answer: %q", second.Answer)
	}
	a := b.post(t, revenueBody, withKeyK)
	if len(a.Header.Values("Idempotency-Replayed")) > 0 {
		t.Error("replayed")
	}
	if m := b.Meter(t); m.MonthUsed != 3 {
		t.Errorf("the month counts %d, want 3", m.MonthUsed)
	}
}

func TestAskRequestsRemaining(t *testing.T) {
	for _, row := range []struct {
		plan db.Plan
		used int
		want []string // of calls, one after another
	}{
		{db.Free, 0, []string{"99", "98", "97"}},
		{db.Free, 98, []string{"1", "0"}},
		{db.Growth, 0, []string{"9999", "9998"}},
		{db.Business, 0, []string{`"unlimited"`, `"unlimited"`}},
	} {
		t.Run(fmt.Sprint(row.plan, row.used), func(t *testing.T) {
			b := newBooks(t, row.plan)
			b.PlantCalls(t, row.used)
			for _, want := range row.want {
				if got := string(b.ask(t, "What is our revenue?").Meta.Remaining); got != want {
					t.Errorf("%s requests remain, want %s", got, want)
				}
			}
		})
	}
	t.Run("OtherCallsCountToo", func(t *testing.T) {
		b := newBooks(t, db.Free)
		b.Shop.Send(t).Expect(t, 200, "")
		b.post(t, `{}`).Expect(t, 400, "invalid_request")
		if got := string(b.ask(t, "What is our revenue?").Meta.Remaining); got != "97" {
			t.Errorf("%s requests remain, want 97", got)
		}
	})
}

func TestAskLimits(t *testing.T) {
	t.Run("Minute", func(t *testing.T) {
		b := newBooks(t, db.Free)
		for range 5 {
			b.post(t, revenueBody).Expect(t, 200, "")
		}
		a := b.post(t, revenueBody)
		a.Expect(t, 429, "rate_limited")
		if fields := a.Fields(t); fields["error"] != "rate_limit_exceeded" || fields["plan"] != nil || fields["retry_after"] == nil {
			t.Errorf("body %s", a.Body)
		}
		b.Clock.Advance(db.Window)
		b.post(t, revenueBody).Expect(t, 200, "")
	})
	t.Run("Month", func(t *testing.T) {
		b := newBooks(t, db.Free)
		b.PlantCalls(t, 99)
		b.post(t, revenueBody).Expect(t, 200, "")
		a := b.post(t, revenueBody)
		a.Expect(t, 429, "quota_exceeded")
		if fields := a.Fields(t); fields["plan"] != "free" || fields["limit"] != 100.0 || fields["used"] != 100.0 {
			t.Errorf("body %s", a.Body)
		}
	})
}

// If several things are wrong with a call, the first check answers (A3).
func TestAskOrderOfChecks(t *testing.T) {
	b := newBooks(t, db.Free)
	b.PlantCalls(t, 100)
	b.UseMinute(t)
	b.SetKeyEnabled(t, false)
	wrong := servertest.WithKey("svc_live_nonsense")
	big := `{"question":"` + strings.Repeat("x", 70_000)

	b.Call(t, http.MethodPut, askPath, big, wrong).Expect(t, 405, "method_not_allowed")
	b.post(t, big, wrong).Expect(t, 401, "invalid_key")
	b.post(t, big).Expect(t, 403, "key_disabled")
	b.SetKeyEnabled(t, true)
	b.post(t, big).Expect(t, 429, "rate_limited")
	b.Clock.Advance(db.Window)
	b.post(t, big).Expect(t, 429, "quota_exceeded")
	b.Clock.Set(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC))
	b.post(t, big).Expect(t, 400, "invalid_request")
	b.post(t, revenueBody).Expect(t, 200, "")
	if m := b.Meter(t); m.MonthUsed != 2 {
		t.Errorf("April counts %d, want 2", m.MonthUsed)
	}
}

// A test key gets answers from the same data as a live key (seed 5.6).
func TestAskTestKeyUsesRealData(t *testing.T) {
	b := newBooks(t, db.Business)
	lines := makeLines("2026-01-01", 60)
	b.importFile(t, "sales.csv", csvFile(lines))
	_, test := b.TestKey(t)
	r := b.ask(t, "What is our revenue?", servertest.WithKey(test))
	r.expectFigures(t, total(lines, line.revenue, everyLine))
	if live := b.ask(t, "What is our revenue?"); live.Answer != r.Answer || r.Confidence != "high" {
		t.Errorf("%q with the test key, %q with the live key", r.Answer, live.Answer)
	}
}

// Two accounts with files and products of the same names do not see each other's data.
func TestAskKeepsAccountsApart(t *testing.T) {
	b := newBooks(t, db.Business)
	mine := makeLines("2026-01-01", 60)
	theirs := makeLines("2026-02-01", 29)
	source := b.importFile(t, "sales.csv", csvFile(mine))
	email := b.Account(t, "other@example.com", string(db.Business), 0)
	key, secret := b.Key(t, email, db.Live, db.AccountMode)
	none, emptySecret := b.Key(t, b.Account(t, "third@example.com", string(db.Business), 0), db.Live, db.AccountMode)
	importFor(t, b.Server, key.AccountID, "sales.csv", csvFile(theirs))
	b.sell(t, key.AccountID, "s1", b.Clock.Now(), "Assam", 7000, 99_999)

	for _, question := range []string{"What is our revenue?", "What is our revenue by product?", "Assam revenue"} {
		passes, other := everyLine, servertest.WithKey(secret)
		if question == "Assam revenue" {
			passes = of("Assam")
		}
		own, foreign := b.ask(t, question), b.ask(t, question, other)
		own.expectFigures(t, total(mine, line.revenue, passes))
		foreign.expectFigures(t, total(theirs, line.revenue, passes))
		b.ask(t, question, servertest.WithKey(emptySecret)).expectRefusal(t)
	}
	for _, id := range []string{key.AccountID, none.AccountID} {
		if _, err := b.answer(t, id, ask.Question{Text: "What is our revenue?", Dataset: source.ID}); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("another account's dataset: %v", err)
		}
	}
	if _, err := b.answer(t, b.LiveKey.AccountID, ask.Question{Text: "What is our revenue?", Dataset: source.ID}); err != nil {
		t.Error(err)
	}
}

// answer asks as svc ask does.
func (b *books) answer(t *testing.T, accountID string, q ask.Question) (tell.Answer, error) {
	t.Helper()
	var owner db.Account
	dbtest.View(t, b.Store, func(tx *db.Tx) (err error) {
		owner, err = tx.Account(accountID)
		return err
	})
	return b.App.Asks.Answer(t.Context(), owner, q)
}

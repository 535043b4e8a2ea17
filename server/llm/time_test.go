package llm

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Turns.

// kept is a client whose questions stay with Ollama until end is called once for
// each of them. Loading a model takes no time.
func kept(t *testing.T, config Config) (c *Client, underWay *atomic.Int32, end func()) {
	t.Helper()
	underWay = &atomic.Int32{}
	ends := make(chan struct{})
	c = faked(t, config, func(r *http.Request) (*http.Response, error) {
		if body, _ := io.ReadAll(r.Body); bytes.Contains(body, []byte(`"messages":null`)) {
			return respond(200, `{"done":true,"done_reason":"load"}`), nil
		}
		underWay.Add(1)
		defer underWay.Add(-1)
		select {
		case <-ends:
			return respond(200, `{"message":{"content":"{}"},"done":true,"done_reason":"stop"}`), nil
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	})
	return c, underWay, func() { ends <- struct{}{} }
}

func TestTwoQuestionsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, underWay, end := kept(t, Config{})
		var running sync.WaitGroup
		for range 5 {
			running.Go(func() { ask(t, c, question()) })
		}
		for _, want := range []int32{2, 2, 2, 2, 1} {
			synctest.Wait()
			if n := underWay.Load(); n != want {
				t.Errorf("%d questions under way, want %d", n, want)
			}
			end()
		}
		running.Wait()
	})
}

func TestWaitForATurnEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, underWay, end := kept(t, Config{})
		var running sync.WaitGroup
		for range maxCalls {
			running.Go(func() { ask(t, c, question()) })
		}
		synctest.Wait()

		began := time.Now()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Ask(short, question())
		expectKind(t, err, Slow)
		canceled, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err = c.Ask(canceled, question())
		expectKind(t, err, Canceled)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("gave up after %v", took)
		}
		if err := c.Preload(t.Context(), reader); err != nil {
			t.Errorf("loading a model waits for a turn: %v", err)
		}
		if n := underWay.Load(); n != maxCalls {
			t.Errorf("%d questions under way, want %d", n, maxCalls)
		}

		for range maxCalls {
			end()
		}
		running.Wait()
		running.Go(end)
		ask(t, c, question())
		running.Wait()
	})
}

// A question that fails gives its turn back.
func TestTurnsComeBack(t *testing.T) {
	o, c := newStandIn(t)
	o.Crash()
	for range 3 * maxCalls {
		fails(t, c, question(), Failed)
	}
}

// Time.

func TestTimeout(t *testing.T) {
	o, _ := newStandIn(t)
	arrived := o.Hang()
	c := client(t, Config{URL: o.URL, Timeout: 50 * time.Millisecond})
	e := fails(t, c, question(), Slow)
	<-arrived
	if n := strings.Count(e.Error(), "deadline"); n != 1 {
		t.Errorf("error = %v: it tells of the deadline %d times", e, n)
	}
}

func TestDefaultTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := faked(t, Config{}, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		began := time.Now()
		fails(t, c, question(), Slow)
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("gave up after %v", took)
		}

		began = time.Now()
		expectKind(t, c.Preload(t.Context(), reader), Slow)
		if took := time.Since(began); took != loadTimeout {
			t.Errorf("gave up loading after %v", took)
		}
	})
}

func TestCancelIsPrompt(t *testing.T) {
	o, c := newStandIn(t)
	arrived := o.Hang()
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := c.Ask(ctx, question())
		failed <- err
	}()
	<-arrived
	cancel()
	select {
	case err := <-failed:
		expectKind(t, err, Canceled)
	case <-time.After(5 * time.Second):
		t.Fatal("still waits")
	}
}

func TestCanceledBefore(t *testing.T) {
	o, c := newStandIn(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		_, err := c.Ask(ctx, question())
		expectKind(t, err, Canceled)
	}
	if n := len(o.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// A full queue.

// faked is a client whose requests go to respond, for a test in a bubble.
func faked(t *testing.T, config Config, respond roundTripper) *Client {
	t.Helper()
	config.URL = "http://user:s3cret@ollama.example:11434/under"
	c, err := newClient(config, respond)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func respond(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{}}
}

const busyBody = `{"error":"server busy, please try again.  maximum pending requests exceeded"}`

func TestBusyIsTriedAgain(t *testing.T) {
	o, c := newStandIn(t)
	o.Busy()
	o.Answer(object)
	if got := ask(t, c, question()); got != object {
		t.Errorf("answer = %s", got)
	}
	if n := len(o.Questions()); n != 2 {
		t.Errorf("%d questions, want 2", n)
	}
}

func TestBusyToTheEnd(t *testing.T) {
	for _, body := range []string{busyBody, "<html>t0ken</html>", ""} {
		synctest.Test(t, func(t *testing.T) {
			var calls []time.Time
			c := faked(t, Config{}, func(r *http.Request) (*http.Response, error) {
				calls = append(calls, time.Now())
				return respond(503, body), nil
			})
			if e := fails(t, c, question(), Busy); strings.Contains(e.Error(), "t0ken") {
				t.Errorf("error = %v: it quotes the answer", e)
			}
			if len(calls) != 1+len(busyDelays) {
				t.Fatalf("%d calls", len(calls))
			}
			for i, delay := range busyDelays {
				if pause := calls[i+1].Sub(calls[i]); pause < delay/2 || pause >= delay*3/2 {
					t.Errorf("pause %d = %v", i, pause)
				}
			}
		})
	}
}

func TestBusyHasAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		c := faked(t, Config{Timeout: 100 * time.Millisecond}, func(*http.Request) (*http.Response, error) {
			calls++
			return respond(503, busyBody), nil
		})
		began := time.Now()
		fails(t, c, question(), Busy)
		if took := time.Since(began); calls != 1 || took != 0 {
			t.Errorf("%d calls, %v: it waits for what it cannot have", calls, took)
		}
	})
}

func TestCancelWhileBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := faked(t, Config{}, func(*http.Request) (*http.Response, error) { return respond(503, busyBody), nil })
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		began := time.Now()
		_, err := c.Ask(ctx, question())
		expectKind(t, err, Canceled)
		if took := time.Since(began); took != time.Millisecond {
			t.Errorf("gave up after %v", took)
		}
	})
}

package stripe

import (
	"bufio"
	"cmp"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// startMock starts Stripe's own stripe-mock, which checks the names, types and values of
// parameters against Stripe's specification and has no state. It is the program in
// STRIPE_MOCK, or stripe-mock on the PATH; without one the test fails in CI and is
// skipped elsewhere.
func startMock(t *testing.T) (address string) {
	t.Helper()
	path, err := exec.LookPath(cmp.Or(os.Getenv("STRIPE_MOCK"), "stripe-mock"))
	if err != nil {
		missing := "no stripe-mock: go install github.com/stripe/stripe-mock@v0.183.0, then put it on the PATH or its path in STRIPE_MOCK (" + err.Error() + ")"
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}

	mock := exec.Command(path, "-http-addr", "127.0.0.1:0", "-https-addr", "127.0.0.1:0", "-strict-version-check")
	output, err := mock.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := mock.Start(); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	t.Cleanup(func() {
		mock.Process.Kill()
		mock.Wait()
	})

	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if address, ok := strings.CutPrefix(lines.Text(), "Listening for HTTP at address: "); ok {
			go io.Copy(io.Discard, output)
			return "http://" + address
		}
	}
	t.Fatalf("%s ended before it listened", path)
	return ""
}

func TestStripeMock(t *testing.T) {
	mock := startMock(t)
	p := New(Config{Key: "sk_test_123", API: mock})

	t.Run("IsStrict", func(t *testing.T) {
		if status := postToMock(t, mock, url.Values{"mode": {"payment"}, "no_such_parameter": {"1"}}, "2023-10-16"); status != 400 {
			t.Errorf("unknown parameter: status %d, want 400", status)
		}
		if status := postToMock(t, mock, url.Values{"mode": {"payment"}}, "2020-08-27"); status != 400 {
			t.Errorf("another version: status %d, want 400", status)
		}
		if status := postToMock(t, mock, url.Values{"mode": {"payment"}}, "2023-10-16"); status != 200 {
			t.Errorf("valid request: status %d, want 200", status)
		}
	})

	t.Run("Create", func(t *testing.T) {
		o := order()
		o.Description = strings.Repeat("long ", 100)
		o.ExpiresAt = time.Now().Add(31 * time.Minute)
		s := create(t, p, o)
		if s.Reference != o.Reference || s.Status != "open" {
			t.Errorf("session = %+v", s)
		}
	})

	t.Run("Session", func(t *testing.T) {
		s, err := p.Session(t.Context(), "cs_test_a1")
		if err != nil || s.ID != "cs_test_a1" {
			t.Errorf("Session = %+v, %v", s, err)
		}
	})

	t.Run("Expire", func(t *testing.T) {
		// The mock always answers with the same session.
		if _, err := p.Expire(t.Context(), "cs_test_a1"); err != nil {
			t.Errorf("Expire: %v", err)
		}
	})

	t.Run("WrongKey", func(t *testing.T) {
		_, err := New(Config{Key: "pk_test_123", API: mock}).Session(t.Context(), "cs_test_a1")
		fails(t, err, Misconfigured)
	})
}

func postToMock(t *testing.T, mock string, form url.Values, version string) (status int) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, mock+"/v1/checkout/sessions", strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer sk_test_123")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Stripe-Version", version)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

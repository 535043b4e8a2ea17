package tell_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"svc/server/ask/tell"
)

// H10: a refusal says why, and that no row was read.
func TestRefusalIsExplained(t *testing.T) {
	s := open(t, sales())
	if a, _ := s.ask(t, "how many returns did North have?", tell.Options{}); a.Explain != nil {
		t.Error("explained without the option")
	}
	a, _ := s.ask(t, "how many returns did North have?", tell.Options{Explain: true})
	if e := a.Explain; e == nil || !strings.Contains(e.Text, a.Answer) || e.Rows != 0 || e.Source != s.source.Name || e.AsOf != "2024-03-31" {
		t.Fatalf("got %+v", a.Explain)
	}
	if body, err := json.Marshal(a.Explain); err != nil || strings.Contains(string(body), "null") {
		t.Errorf("got %s, %v", body, err)
	}
}

// H4: data of two days ago are not old, in any time zone and at any hour.
func TestAgeIsCountedInDays(t *testing.T) {
	s := open(t, sales())
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("", 13*3600), time.FixedZone("", -10*3600)} {
		for days, want := range map[int]string{0: tell.High, 2: tell.High, 3: tell.Medium} {
			for _, hour := range []int{0, 9, 23} {
				now := time.Date(2024, 3, 31+days, hour, 30, 0, 0, zone)
				a, _ := s.ask(t, "sales last month", tell.Options{Today: now})
				if a.Confidence != want {
					t.Errorf("%s: got %s, want %s: %s", now, a.Confidence, want, a.Answer)
				}
			}
		}
	}
}

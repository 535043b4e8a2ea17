package server_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"svc/server"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// failing runs an appliance whose job "previews" fails.
func failing(t *testing.T) (*servertest.House, *servertest.Running) {
	t.Helper()
	s := servertest.NewHouse(t)
	s.Person(t, servertest.Boss)
	s.Exec(t, `ALTER TABLE previews RENAME TO lost`)
	return s, servertest.Run(t, server.Config{DB: s.Path, Clock: s.Clock.Now})
}

// The operator sees which job fails and why, and when each runs again.
func TestJobsOnTheServerPage(t *testing.T) {
	t.Parallel()
	s, r := failing(t)
	session := s.Enter(t, servertest.Boss).Cookie(t, "svc_session")
	var shown string // the last page
	rows := regexp.MustCompile(`(?s)<tr><th scope="row">.*?</tr>|<li><div><h3>.*?</li>`)
	row := func(job string) string {
		request, err := http.NewRequest(http.MethodGet, r.URL+"/console/operator/server", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.AddCookie(&http.Cookie{Name: "svc_session", Value: session})
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		page, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		shown = string(page)
		for _, found := range rows.FindAllString(shown, -1) {
			if strings.Contains(found, `<th scope="row">`+job+`</th>`) || strings.Contains(found, `<h3>`+job+`</h3>`) {
				return found
			}
		}
		return ""
	}
	servertest.Until(t, "the failing job", func() bool { return strings.Contains(row("previews"), "failing") })
	if got := row("previews"); !strings.Contains(got, ", every 1 min.") || !strings.Contains(got, "<details><summary>What went wrong</summary>") || !strings.Contains(got, "no such table: previews") {
		t.Errorf("the failing job: %s in %s", got, shown)
	}
	if strings.Contains(shown, `<th scope="row">previews</th>`) {
		t.Error("the failing job stands in the table, too")
	}
	servertest.Until(t, "a run of another job", func() bool {
		return strings.Contains(row("payments"), ">Works<") && strings.Contains(row("payments"), " ms<")
	})
	if got := row("payments"); strings.Contains(got, "failing") || strings.Count(got, "<time") != 2 {
		t.Errorf("the row of a job that works: %s", got)
	}
	if a := s.Enter(t, servertest.Boss).Get(t, "/console/operator/server"); !a.Says("This process runs no jobs") {
		t.Errorf("a process without jobs: %s", a.Body)
	}
}

func TestBrowserJobs(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	_, r := failing(t)
	enter(b, &servertest.Server{URL: r.URL}, servertest.Boss)
	servertest.Until(t, "the failing job", func() bool {
		b.Go(r.URL + "/console/operator/server")
		return strings.Contains(b.Text(), "Failing")
	})
	look(b, "operator-jobs")
	if text := b.Text(); strings.Contains(text, "no such table") {
		t.Errorf("the error of the database stands open: %s", text)
	}
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

package account_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/server/account"
	"svc/server/servertest"
)

// upload posts a form with a logo, if it has one.
func upload(t *testing.T, b *servertest.Browser, path string, fields map[string]string, logo []byte) servertest.Answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := form.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if logo != nil {
		part, err := form.CreateFormFile("logo", "logo.png")
		if err == nil {
			_, err = part.Write(logo)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Send(t, http.MethodPost, path, body.Bytes(), servertest.WithHeader("Content-Type", form.FormDataContentType()))
}

func (s *bench) apps(t *testing.T) []db.App {
	t.Helper()
	all, err := s.App.Accounts.Apps(t.Context(), "dev@example.com")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAppPage(t *testing.T) {
	servertest.Sequential(t)
	s := newBench(t)
	s.b.Get(t, "/console/apps").ExpectPage(t, 200, "No apps yet")
	s.b.Get(t, "/console/apps?new=1").ExpectPage(t, 200, "Make the app")
	made := upload(t, s.b, "/console/apps", map[string]string{"app-name": " Shelf Counter "}, picture(t, "jpeg", 600, 600))
	app := s.apps(t)[0]
	made.ExpectRedirect(t, "/console/apps?open="+app.ID)
	if app.Name != "Shelf Counter" || app.LogoType != "image/png" {
		t.Errorf("app %s, logo %s", app.Name, app.LogoType)
	}
	form := s.newKeyForm(t, "live", "account", "Till")
	form.Set("app", "Shelf Counter")
	s.b.Post(t, "/console/keys", form).Expect(t, 200, "")
	s.b.Get(t, "/console/apps?open="+app.ID).ExpectPage(t, 200, "Shelf Counter", "/connect/"+app.ID+"/logo", ">Till<", "Preview the consent page")

	// A name is taken, a logo is none: the page keeps what was typed.
	upload(t, s.b, "/console/apps", map[string]string{"app-name": "Shelf Counter"}, nil).
		ExpectErrorPage(t, 400, "invalid_request", "The name of the app is that of another app of yours.", `value="Shelf Counter"`)
	upload(t, s.b, "/console/apps", map[string]string{"app-name": "Other"}, []byte("<svg/>")).
		ExpectErrorPage(t, 400, "invalid_request", "The logo must be a PNG, JPEG or GIF picture.", `value="Other"`)
	upload(t, s.b, "/console/apps", map[string]string{"app-name": "Other"}, make([]byte, account.LogoUpload)).Expect(t, 400, "invalid_request")

	edit := func(fields map[string]string, logo []byte) servertest.Answer {
		fields["id"] = app.ID
		return upload(t, s.b, "/console/apps/edit", fields, logo)
	}
	edit(map[string]string{"app-name": "Counter"}, nil).ExpectRedirect(t, "/console/apps?done=saved&open="+app.ID)
	if now := s.apps(t)[0]; now.Name != "Counter" || !bytes.Equal(now.Logo, app.Logo) {
		t.Errorf("after a new name: %s with a logo of %d bytes", now.Name, len(now.Logo))
	}
	edit(map[string]string{"app-name": ""}, nil).ExpectErrorPage(t, 400, "invalid_request", "The name of the app is required.")
	edit(map[string]string{"app-name": "Counter"}, picture(t, "png", 8, 8)).Expect(t, 303, "")
	if now := s.apps(t)[0]; bytes.Equal(now.Logo, app.Logo) {
		t.Error("the logo is the old one")
	}
	edit(map[string]string{"app-name": "Counter", "drop": "1"}, nil).Expect(t, 303, "")
	if now := s.apps(t)[0]; now.Logo != nil || now.LogoType != "" {
		t.Error("the logo is still there")
	}
}

// The owner of an app sees its consent page, on which nothing can be decided. For others
// neither the app nor its logo exists.
func TestAppPreview(t *testing.T) {
	s := newBench(t)
	upload(t, s.b, "/console/apps", map[string]string{"app-name": "Shelf Counter"}, picture(t, "png", 8, 8)).Expect(t, 303, "")
	app := s.apps(t)[0]
	page := s.b.Get(t, "/connect/"+app.ID)
	page.ExpectPage(t, 200, "Preview of your app.", "Shelf Counter", "/connect/"+app.ID+"/logo", "/console/apps?open="+app.ID, "Cost price")
	page.ExpectNoForms(t)
	logo := s.b.Get(t, "/connect/"+app.ID+"/logo")
	if logo.Status != 200 || logo.Header.Get("Content-Type") != "image/png" || !bytes.Equal(logo.Body, app.Logo) {
		t.Errorf("logo: %d %v", logo.Status, logo.Header)
	}

	before := s.Query(t, `SELECT id, name, hex(logo) FROM apps`)
	_, other := s.Member(t, "other@example.com")
	for _, b := range []*servertest.Browser{other, s.Browser(t)} {
		b.Get(t, "/connect/"+app.ID).Expect(t, 404, "not_found")
		b.Get(t, "/connect/"+app.ID+"/logo").Expect(t, 404, "not_found")
	}
	other.Get(t, "/console/apps?open="+app.ID).Expect(t, 404, "not_found")
	upload(t, other, "/console/apps/edit", map[string]string{"id": app.ID, "app-name": "Mine"}, nil).Expect(t, 404, "not_found")
	for _, action := range []string{"approve", "decline", "narrow", "revoke"} {
		if a := s.b.Post(t, "/connect/"+app.ID+"/"+action, nil); a.Status < 400 && !strings.HasPrefix(a.Header.Get("Location"), "/connect/") {
			t.Errorf("%s: %d %s", action, a.Status, a.Header.Get("Location"))
		}
	}
	if after := s.Query(t, `SELECT id, name, hex(logo) FROM apps`); !slices.Equal(before, after) {
		t.Errorf("changed: %q", after)
	}
	if n := s.Count(t, `SELECT count(*) FROM connections`); n != 0 {
		t.Errorf("%d connections", n)
	}
}

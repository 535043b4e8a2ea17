package server_test

import (
	"context"
	"encoding/base64"
	"os"
	"testing"

	"svc/server/account"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// chooseFile puts a file into a field, as somebody does who picks it.
func chooseFile(b *viewstest.Tab, selector, name, kind string, content []byte) {
	viewstest.Evaluate[any](b, `(() => {
		const bytes = Uint8Array.from(atob("`+base64.StdEncoding.EncodeToString(content)+`"), c => c.charCodeAt(0));
		const chosen = new DataTransfer();
		chosen.items.add(new File([bytes], "`+name+`", {type: "`+kind+`"}));
		document.querySelector("`+selector+`").files = chosen.files;
	})()`)
}

// A developer makes an app with a logo, previews its consent page, and makes a key of it.
func TestBrowserApps(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t)
	s.Person(t, "boss@example.com")
	s.Person(t, "dev@example.com")
	theirs, err := s.App.Accounts.CreateApp(context.Background(), account.NewApp{Account: "boss@example.com", Name: "Theirs"})
	if err != nil {
		t.Fatal(err)
	}
	logo, err := os.ReadFile("../embed/static/coffee.jpg")
	if err != nil {
		t.Fatal(err)
	}
	enter(b, s, "dev@example.com")
	b.Go(s.URL + "/console/apps")
	look(b, "apps-empty")
	b.Click("main a[href='/console/apps?new=1']")
	b.Until(`document.querySelector("input[name=app-name]") !== null`)
	b.Type("input[name=app-name]", "Shelf Counter")
	chooseFile(b, "input[type=file]", "logo.jpg", "image/jpeg", logo)
	look(b, "apps-new")
	b.Press("Make the app")
	b.Until(`document.querySelector("aside img.logo")?.naturalWidth > 0`)
	look(b, "apps-open")

	b.Click("aside a[href^='/connect/app_']")
	b.Until(`document.body.innerText.includes("Preview of your app")`)
	look(b, "apps-preview")
	b.Click("a[href^='/console/apps?open=']")
	b.Until(`document.querySelector("aside #open") !== null`)
	b.Click("aside a[href^='/console/keys?new=1']")
	b.Until(`document.querySelector("select[name=app]")?.value === "Shelf Counter"`)
	b.Type("input[name=label]", "Till in the shop")
	b.Press("Make the key")
	b.Until(`document.querySelector("#secret-text") !== null`)
	b.Go(s.URL + "/console/apps")
	b.Click("tbody th a")
	b.Until(`document.querySelector("aside .lines")?.innerText.includes("Till in the shop")`)
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
	b.Go(s.URL + "/console/apps?open=" + theirs.ID)
	b.Until(`document.body.innerText.includes("here is no such app")`)
}

package dataset_test

import (
	"bytes"
	"context"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"

	"svc/server/servertest"
)

// sendFile posts a file to the page of data.
func sendFile(t *testing.T, b *servertest.Browser, name, text string) servertest.Answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, err := form.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.Write([]byte(text))
	_ = form.Close()
	return b.Send(t, "POST", "/console/data/upload", body.Bytes(), servertest.WithHeader("Content-Type", form.FormDataContentType()))
}

func TestDataPages(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	id, b := s.Member(t, "shop@example.com")
	sendFile(t, b, "bad.csv", "only words").ExpectErrorPage(t, 400, "invalid_request", "The file cannot be used")
	sendFile(t, b, "", "").ExpectErrorPage(t, 400, "invalid_request", "The file is missing: choose one.")

	sent := sendFile(t, b, "till.csv", january)
	sent.Expect(t, 303, "")
	at := sent.Header.Get("Location")
	b.Get(t, at).ExpectPage(t, 200, "£10.50", "2 rows", "2 Jan 2026 to 5 Jan 2026")
	b.Get(t, "/console/data").ExpectPage(t, 200, "till.csv", "is not used yet")
	choice := url.Values{"do": {"create"}, "name": {"ds_x"}}
	b.Post(t, at, choice).ExpectErrorPage(t, 400, "invalid_request", "The name must not begin with ds_, as ids do.")
	choice.Set("name", "")
	used := b.Post(t, at, choice)
	used.Expect(t, 303, "")
	b.Get(t, used.Header.Get("Location")).ExpectPage(t, 200, "questions can be asked of it", "read by ask")
	b.Get(t, at).ExpectErrorPage(t, 404, "not_found", "This file is not kept any more")

	// A name that is taken, and a choice of a dataset that is not the account's.
	sent = sendFile(t, b, "till.csv", february)
	at = sent.Header.Get("Location")
	b.Get(t, at).ExpectPage(t, 200, "New to <bdi>till</bdi>")
	b.Post(t, at, url.Values{"do": {"create"}}).ExpectErrorPage(t, 400, "invalid_request", "The name is that of a dataset that you have")
	b.Post(t, at, url.Values{"do": {"add"}, "target": {"ds_none"}}).ExpectErrorPage(t, 404, "not_found", "There is no such dataset.")
	b.Post(t, at, url.Values{"do": {"discard"}}).ExpectRedirect(t, "/console/data?done=discarded")

	source, err := s.App.Datasets.Find(context.Background(), id, "till")
	if err != nil {
		t.Fatal(err)
	}
	set := "/console/data/set/" + source.ID
	b.Post(t, set+"/roles", url.Values{"role-0": {"revenue"}}).ExpectErrorPage(t, 400, "invalid_request", "cannot be the revenue")
	b.Post(t, set+"/words", url.Values{"word": {"brew"}, "target": {"Tee"}}).ExpectErrorPage(t, 400, "invalid_request", "The target is not clear", "Tee")
	b.Post(t, set+"/undo", nil).ExpectErrorPage(t, 409, "conflict", "Nothing of till can be undone.")
	csv := b.Get(t, set+"/rows.csv")
	if csv.Status != 200 || string(csv.Body) != strings.ReplaceAll(january, "\r", "") {
		t.Errorf("%d %s", csv.Status, csv.Body)
	}
	b.Post(t, set+"/use", nil).Expect(t, 303, "")
	b.Get(t, "/console/data").ExpectPage(t, 200, "the one that you chose", "Read the newest again")
	b.Post(t, "/console/data/newest", nil).ExpectRedirect(t, "/console/data?done=newest")
}

// The sample sales are there at once, and again in place of themselves.
func TestSampleSales(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	id, b := s.Member(t, "shop@example.com")
	for range 2 {
		b.Post(t, "/console/data/sample", nil).ExpectRedirect(t, "/console/ask?done=sample")
		source, err := s.App.Datasets.Find(context.Background(), id, "Sample sales")
		if err != nil || source.Rows < 2000 || source.First != "2025-03-02" || source.Last != "2026-03-01" {
			t.Errorf("%d rows, %s to %s, %v", source.Rows, source.First, source.Last, err)
		}
	}
}

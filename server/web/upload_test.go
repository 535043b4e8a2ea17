package web

import (
	"bytes"
	"errors"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svc/server/fault"
)

// upload builds a posted form of fields and one file.
func upload(t *testing.T, fields map[string]string, name, content string) *http.Request {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for field, value := range fields {
		if err := form.WriteField(field, value); err != nil {
			t.Fatal(err)
		}
	}
	file, err := form.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = file.Write([]byte(content))
	_ = form.Close()
	r := httptest.NewRequest(http.MethodPost, "/", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return r
}

func readUpload(r *http.Request, limit int64) (Form, error) {
	return ReadUpload(&Response{ResponseWriter: httptest.NewRecorder()}, r, limit, func(int64) error { return nil })
}

func TestReadUpload(t *testing.T) {
	form, err := readUpload(upload(t, map[string]string{"mode": "add"}, `C:\sales\may.csv`, "a,b\r\n1,2\r\n"), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	file, ok := form.File("file")
	if form.Value("mode") != "add" || !ok || file.Name != "may.csv" || string(file.Body) != "a,b\r\n1,2\r\n" {
		t.Errorf("%v, %v", form, file)
	}
	if _, ok := form.File("mode"); ok {
		t.Error("a field is a file")
	}
}

// A field for a file in which none was chosen is no file.
func TestReadUploadWithoutAFile(t *testing.T) {
	form, err := readUpload(upload(t, nil, "", ""), 1<<20)
	if _, ok := form.File("file"); err != nil || ok {
		t.Errorf("%v, %v", form, err)
	}
}

func TestReadUploadRefusesBadForms(t *testing.T) {
	many := map[string]string{}
	for i := range maxParts {
		many[strings.Repeat("x", i+1)] = ""
	}
	broken := upload(t, nil, "may.csv", "a,b")
	broken.Header.Set("Content-Type", "multipart/form-data; boundary=other")
	plain := upload(t, nil, "may.csv", "a,b")
	plain.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, bad := range map[string]struct {
		request *http.Request
		field   string
	}{
		"too large":       {upload(t, nil, "may.csv", strings.Repeat("x", 1<<20+formRoom)), "file"},
		"too many fields": {upload(t, many, "may.csv", "a"), "body"},
		"other boundary":  {broken, "body"},
		"no files":        {plain, "body"},
		"not text":        {upload(t, map[string]string{"mode": "\xff"}, "may.csv", "a"), "mode"},
	} {
		_, err := readUpload(bad.request, 1<<20)
		var refused *fault.Error
		if !errors.As(err, &refused) || refused.Code != fault.InvalidRequest || refused.Field != bad.field {
			t.Errorf("%s: %v", name, err)
		}
	}
}

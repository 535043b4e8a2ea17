package web

import (
	"bytes"
	"cmp"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"strings"

	"svc/server/fault"
)

const (
	// maxParts bounds the fields and files of one upload.
	maxParts = 64
	// formRoom is what a form may have beside its file, in bytes.
	formRoom = 64 << 10
)

// File is a file of a posted form.
type File struct {
	Name string // without folders, as the sender calls it
	Body []byte
}

// ReadUpload reads a posted form (multipart/form-data) with a file of at most limit bytes, or so;
// take is as for ReadBodyIn. The errors are those of ReadForm and of take.
func ReadUpload(w *Response, r *http.Request, limit int64, take func(bytes int64) error) (Form, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return Form{}, fault.Invalid("body", "must be a form with a file (multipart/form-data)")
	}
	body, err := readBody(w, r, limit+formRoom, take, fault.Invalid("file", "must be at most "+size(limit)))
	if err != nil {
		return Form{}, err
	}
	return parseUpload(multipart.NewReader(bytes.NewReader(body), params["boundary"]))
}

func parseUpload(parts *multipart.Reader) (Form, error) {
	form := Form{values: url.Values{}, files: map[string]File{}}
	for range maxParts {
		part, err := parts.NextPart()
		if err == io.EOF { // wrapped, it is a body that ends too early
			return form, checkText(form.values)
		}
		if err != nil {
			return Form{}, fault.Invalid("body", "broke off, or is not a form")
		}
		content, err := io.ReadAll(part) // bounded by the body
		if err != nil {
			return Form{}, fault.Invalid(cmp.Or(part.FormName(), "body"), "broke off")
		}
		form.add(part, content)
	}
	return Form{}, fault.Invalid("body", "has too many fields")
}

// add keeps a field, or the first file of its name. Browsers send an empty file without a
// name for a field in which none was chosen.
func (f Form) add(part *multipart.Part, content []byte) {
	name := part.FormName()
	if part.FileName() == "" {
		if part.Header.Get("Content-Type") == "" {
			f.values.Add(name, string(content))
		}
		return
	}
	if _, ok := f.files[name]; !ok {
		fileName := path.Base(strings.ReplaceAll(part.FileName(), `\`, "/"))
		f.files[name] = File{Name: strings.ToValidUTF8(fileName, ""), Body: content}
	}
}

// File returns the file of a field of ReadUpload's form; ok is false if none was chosen.
func (f Form) File(name string) (file File, ok bool) {
	file, ok = f.files[name]
	return file, ok
}

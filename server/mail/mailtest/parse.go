package mailtest

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"
)

// Mail is a mail as it arrived.
type Mail struct {
	From  string // of the envelope, as are the recipients
	To    []string
	Hello string // the client's name in EHLO
	TLS   bool   // it came over TLS
	UTF8  bool   // it was announced with SMTPUTF8
	Raw   []byte

	// The rest is read from Raw. Texts are decoded, with \n at the ends of lines.
	Header     mail.Header
	Subject    string
	Text, HTML string
}

// parse reads plain text, or a multipart of plain text and HTML.
func (m *Mail) parse(raw []byte) error {
	m.Raw = raw
	read, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	m.Header = read.Header
	if m.Subject, err = new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject")); err != nil {
		return err
	}
	_, params, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	if params["boundary"] == "" {
		return m.add(textproto.MIMEHeader(read.Header), read.Body)
	}
	for parts := multipart.NewReader(read.Body, params["boundary"]); err == nil; {
		var part *multipart.Part
		if part, err = parts.NextRawPart(); err == nil {
			err = m.add(part.Header, part)
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

func (m *Mail) add(header textproto.MIMEHeader, body io.Reader) error {
	decoded, err := io.ReadAll(quotedprintable.NewReader(body))
	text := strings.ReplaceAll(string(decoded), "\r\n", "\n")
	switch kind := header.Get("Content-Type") + ", " + header.Get("Content-Transfer-Encoding"); kind {
	case "text/plain; charset=UTF-8, quoted-printable":
		m.Text = text
	case "text/html; charset=UTF-8, quoted-printable":
		m.HTML = text
	default:
		return fmt.Errorf("a part is %s", kind)
	}
	return err
}

package mailtest

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
)

// Mail is a mail as it arrived.
type Mail struct {
	From  string // of the envelope, as are the recipients
	To    []string
	Hello string // what the client called itself
	TLS   bool   // it came over TLS
	UTF8  bool   // it was announced with SMTPUTF8
	Raw   []byte

	// What follows is read from Raw. Texts are decoded, with \n at the ends of lines.
	Header     mail.Header
	Subject    string
	Text, HTML string
}

// parse reads a multipart/alternative of plain text and HTML, or one of both alone.
func (m *Mail) parse() error {
	read, err := mail.ReadMessage(bytes.NewReader(m.Raw))
	if err != nil {
		return err
	}
	m.Header = read.Header
	if m.Subject, err = new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject")); err != nil {
		return fmt.Errorf("subject: %w", err)
	}

	kind, params, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("content type: %w", err)
	}
	if kind == "multipart/alternative" {
		return m.readParts(multipart.NewReader(read.Body, params["boundary"]))
	}
	return m.readPart(read.Header, read.Body)
}

func (m *Mail) readParts(parts *multipart.Reader) error {
	for {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("next part: %w", err)
		}
		if err := m.readPart(mail.Header(part.Header), part); err != nil {
			return err
		}
	}
}

func (m *Mail) readPart(header mail.Header, body io.Reader) error {
	kind, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("content type of a part: %w", err)
	}
	if encoding := header.Get("Content-Transfer-Encoding"); encoding != "quoted-printable" || params["charset"] != "UTF-8" {
		return fmt.Errorf("part is %s in %s, want quoted-printable in UTF-8", encoding, params["charset"])
	}
	decoded, err := io.ReadAll(quotedprintable.NewReader(body))
	if err != nil {
		return fmt.Errorf("decode %s: %w", kind, err)
	}

	switch kind {
	case "text/plain":
		m.Text = trimCR(string(decoded))
	case "text/html":
		m.HTML = trimCR(string(decoded))
	default:
		return fmt.Errorf("a part is %s", kind)
	}
	return nil
}

// trimCR makes the line ends of a mail those of a Go string.
func trimCR(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

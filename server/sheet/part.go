package sheet

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// What the library makes structures of, or holds as a whole.
const (
	maxStrings = 2_000_000
	maxSheets  = 1_000
	maxToken   = 1 << 20   // the longest cell allowed, 32,767 characters, takes a quarter
	maxRow     = 128 << 20 // what the cells of one row may hold
	maxEscapes = 1_000     // _x000D_ in one text: it is copied for each of them
)

// partReader reads the XML of a part, and fails where a token, or all that stands in
// one cell or shared text, is longer than maxToken. What it measures goes into the
// sums of the workbook.
type partReader struct {
	in   io.Reader
	xml  *xml.Decoder
	name string
	sums *sums

	left   int    // bytes until the token or text must have ended
	depth  int    // of elements that are cells or shared texts
	text   []byte // what stands in the outermost of these
	filled bool   // there is a value in it
	cells  int    // with a value, in the row
}

// sums is what the parts of a workbook add up to. Each cell of the widest row may
// have the longest text.
type sums struct{ strings, sheets, widest, longest int }

func newPartReader(part *zip.File, in io.Reader, total *sums) *partReader {
	p := &partReader{in: in, name: part.Name, sums: total, left: maxToken}
	p.xml = xml.NewDecoder(p)
	p.xml.CharsetReader = charset
	return p
}

// charset reads parts in the encodings that their first line names.
func charset(label string, in io.Reader) (io.Reader, error) {
	encoding, err := htmlindex.Get(label)
	if err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	return transform.NewReader(in, encoding.NewDecoder()), nil
}

// Read implements io.Reader for the decoder, which asks for more while its token
// goes on.
func (p *partReader) Read(b []byte) (int, error) {
	n, err := p.in.Read(b)
	if p.left -= n; p.left < 0 {
		return 0, faulty(0, "the workbook is too complex: a text in %s is larger than %s", p.name, sizeText(maxToken))
	}
	return n, err
}

// root is the name of the first element; io.EOF in an empty part.
func (p *partReader) root() (string, error) {
	for {
		token, err := p.xml.Token()
		if err != nil {
			return "", err
		}
		p.left = maxToken
		if start, ok := token.(xml.StartElement); ok {
			return start.Name.Local, nil
		}
	}
}

// readOut reads to the end.
func (p *partReader) readOut() error {
	for {
		token, err := p.xml.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = p.start(t.Name.Local)
		case xml.CharData:
			if p.depth > 0 {
				p.text = append(p.text, t...)
			}
		case xml.EndElement:
			err = p.end(t.Name.Local)
		}
		if err != nil {
			return err
		}
		if p.depth == 0 {
			p.left = maxToken
		}
	}
}

// isText knows the elements that the library reads as a whole.
func isText(element string) bool { return element == "c" || element == "si" }

func (p *partReader) start(element string) error {
	switch element {
	case "row":
		p.cells = 0
	case "v", "is", "f":
		p.filled = true
	case "si":
		if p.sums.strings++; p.sums.strings > maxStrings {
			return faulty(0, "the workbook has more than %s texts", grouped(maxStrings))
		}
	case "sheet":
		if p.sums.sheets++; p.sums.sheets > maxSheets {
			return faulty(0, "the workbook has more than %s worksheets", grouped(maxSheets))
		}
	}
	if isText(element) {
		p.depth++
	}
	return nil
}

func (p *partReader) end(element string) error {
	if !isText(element) {
		return nil
	}
	if p.depth--; p.depth > 0 {
		return nil
	}
	if bytes.Count(p.text, []byte("_x")) > maxEscapes {
		return faulty(0, "the workbook is too complex: a text in %s has more than %s line breaks", p.name, grouped(maxEscapes))
	}
	if p.filled {
		p.cells++
	}
	p.sums.longest = max(p.sums.longest, len(p.text))
	p.sums.widest = max(p.sums.widest, p.cells)
	p.text, p.filled = p.text[:0], false
	return nil
}

// check refuses a workbook of which one row could take more memory than maxRow.
func (s *sums) check() error {
	const header = 16 // bytes of a string without its text
	if s.widest*(s.longest+header) > maxRow {
		return faulty(0, "the workbook is too complex: its longest row and its longest text are too long beside one another")
	}
	return nil
}

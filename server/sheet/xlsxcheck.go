package sheet

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// Bounds on the parts other than worksheets and shared texts, in bytes. The library
// builds structures that are many times as large.
const (
	maxPart      = 8 << 20
	maxCalcChain = 32 << 20 // also for unknown parts
	maxParts     = 10_000   // number of parts
)

// checkWorkbook checks a workbook before the library opens it. The library trusts the
// sizes in the archive, silently ends a worksheet where its XML is invalid, and ignores
// checksums. So checkWorkbook reads all parts with cells to their end.
func checkWorkbook(r io.ReaderAt, size, unzipped int64) error {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return errorAt(0, damaged)
	}
	if len(archive.File) > maxParts {
		return errorAt(0, "the workbook has more than %s parts", grouped(maxParts))
	}
	total, isWorkbook := uint64(0), false
	for _, part := range archive.File {
		name := strings.ToLower(part.Name)
		if part.UncompressedSize64 > uint64(unzipped)-total {
			return errorAt(0, "the workbook unpacks to more than %s", sizeText(unzipped))
		}
		total += part.UncompressedSize64
		isWorkbook = isWorkbook || strings.HasSuffix(name, "workbook.xml")
	}
	if !isWorkbook {
		return errorAt(0, "the file is neither CSV nor XLSX: %s", archiveKind(archive))
	}

	totals := &workbookTotals{}
	var shared []*zip.File
	for _, part := range archive.File {
		err := checkPart(part, totals)
		if errors.Is(err, errShared) {
			shared, err = append(shared, part), nil
		}
		if err != nil {
			return err
		}
	}
	totals.hasCells = true
	for _, part := range shared {
		if err := checkPart(part, totals); err != nil {
			return err
		}
	}
	return totals.check()
}

// errShared is returned for shared texts that are met before all cells are counted.
var errShared = errors.New("shared texts")

// archiveKind describes an archive that is not a workbook.
func archiveKind(archive *zip.Reader) string {
	for _, part := range archive.File {
		switch name := strings.ToLower(part.Name); {
		case strings.HasSuffix(name, "workbook.bin"):
			return "it is a binary workbook (.xlsb); save it as XLSX"
		case name == "mimetype", name == "content.xml":
			return "it is an OpenDocument file (.ods); save it as XLSX"
		case strings.HasSuffix(name, ".iwa"):
			return "it is a Numbers file; export it as XLSX or CSV"
		case strings.HasPrefix(name, "word/"), strings.HasPrefix(name, "ppt/"):
			return "it is a document"
		}
	}
	return "it is a ZIP archive; unpack it"
}

// checkPart reads one part. Of parts that the library does not use, such as drawings, only the
// size and the depth are checked: a workbook may call any part a worksheet.
func checkPart(part *zip.File, totals *workbookTotals) error {
	name := strings.ToLower(part.Name)
	if part.Flags&1 != 0 {
		return errorAt(0, "the workbook is protected with a password; save it without one")
	}
	if ext := path.Ext(name); ext != ".xml" && ext != ".rels" {
		return nil
	}
	in, err := part.Open()
	if err != nil {
		return errorAt(0, damaged)
	}
	defer in.Close()

	content := newPartReader(part, in, totals)
	root, err := content.root()
	if err != nil && !strings.HasPrefix(name, "xl/") {
		return nil // another program's own part
	}
	if err != nil {
		return partError(part, err)
	}
	switch root {
	case "sst":
		if !totals.hasCells {
			return errShared
		}
	case "worksheet":
	case "workbook", "styleSheet", "Relationships", "Types":
		if part.UncompressedSize64 > maxPart {
			return errorAt(0, "the workbook is too complex: %s is larger than %s", part.Name, sizeText(maxPart))
		}
	default:
		if part.UncompressedSize64 > maxCalcChain {
			return errorAt(0, "the workbook is too complex: %s is larger than %s", part.Name, sizeText(maxCalcChain))
		}
		if e, ok := errors.AsType[*Error](content.readRest()); ok { // it need not be valid
			return e
		}
		return nil
	}
	return partError(part, content.readAll())
}

// partError returns the error for a part that cannot be read, or nil for io.EOF.
func partError(part *zip.File, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return errorAt(0, "%s: %s cannot be read", damaged, part.Name)
}

// Bounds on the XML elements that the library keeps in memory.
const (
	maxStrings = 2_000_000 // shared texts
	maxUnused  = 100_000   // shared texts more than twice the cells that show one
	maxSheets  = 1_000
	maxToken   = 1 << 20   // bytes; the longest cell allowed, 32,767 characters, takes a quarter
	maxRow     = 128 << 20 // bytes of the cells of one row
	maxEscapes = 1_000     // _x000D_ in one text: the library copies the text for each
	maxNested  = 100       // elements in one another, each of which a decoder keeps
)

// partReader reads the XML of a part. It fails if a token, or the content of one cell or
// shared text, is longer than maxToken. It adds its counts to the totals of the workbook.
type partReader struct {
	in     io.Reader
	xml    *xml.Decoder
	name   string
	totals *workbookTotals

	nested int    // open elements
	left   int    // bytes until the token or text must have ended
	depth  int    // of nested cells and shared texts
	text   []byte // content of the outermost cell or shared text
	filled bool   // it has a value
	cells  int    // cells of the row that have a value
}

// workbookTotals counts the contents of all parts of a workbook.
type workbookTotals struct {
	strings, sheets int
	shown           int  // cells that show a shared text
	hasCells        bool // all cells are counted
	widest          int  // cells of the widest row
	longest         int  // bytes of the longest text, which each cell of that row may have
}

func newPartReader(part *zip.File, in io.Reader, totals *workbookTotals) *partReader {
	p := &partReader{in: in, name: part.Name, totals: totals, left: maxToken}
	p.xml = xml.NewDecoder(p)
	p.xml.CharsetReader = charset
	return p
}

// charset decodes a part in the encoding that its first line declares.
func charset(label string, in io.Reader) (io.Reader, error) {
	encoding, err := htmlindex.Get(label)
	if err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	return transform.NewReader(in, encoding.NewDecoder()), nil
}

// Read implements io.Reader for the decoder, and bounds the bytes of one token.
func (p *partReader) Read(b []byte) (int, error) {
	n, err := p.in.Read(b)
	if p.left -= n; p.left < 0 {
		return 0, errorAt(0, "the workbook is too complex: a text in %s is larger than %s", p.name, sizeText(maxToken))
	}
	return n, err
}

// root returns the name of the first element, or io.EOF if the part is empty.
func (p *partReader) root() (string, error) {
	for {
		token, err := p.next()
		if err != nil {
			return "", err
		}
		p.left = maxToken
		if start, ok := token.(xml.StartElement); ok {
			return start.Name.Local, nil
		}
	}
}

// next returns the next token. It bounds the open elements.
func (p *partReader) next() (xml.Token, error) {
	token, err := p.xml.Token()
	switch token.(type) {
	case xml.StartElement:
		if p.nested++; p.nested > maxNested {
			return nil, errorAt(0, "the workbook is too complex: %s has more than %d elements in one another", p.name, maxNested)
		}
	case xml.EndElement:
		p.nested--
	}
	return token, err
}

// readRest reads a part whose content does not matter to its end. It may be one long text.
func (p *partReader) readRest() error {
	p.left = maxCalcChain
	for {
		if _, err := p.next(); err != nil {
			return err
		}
	}
}

// readAll reads the part to its end.
func (p *partReader) readAll() error {
	for {
		token, err := p.next()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = p.start(t)
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

// isText reports whether the library keeps the whole element in memory: a cell or a
// shared text.
func isText(element string) bool { return element == "c" || element == "si" }

func (p *partReader) start(t xml.StartElement) error {
	element := t.Name.Local
	switch element {
	case "c":
		if slices.ContainsFunc(t.Attr, func(a xml.Attr) bool { return a.Name.Local == "t" && a.Value == "s" }) {
			p.totals.shown++
		}
	case "row":
		p.cells = 0
	case "v", "is", "f":
		p.filled = true
	case "si":
		if p.totals.strings++; p.totals.strings > maxStrings {
			return errorAt(0, "the workbook has more than %s texts", grouped(maxStrings))
		}
		if p.totals.strings > 2*p.totals.shown+maxUnused {
			return errorAt(0, "the workbook is too complex: it has far more texts than cells that show one; save it again in a spreadsheet")
		}
	case "sheet":
		if p.totals.sheets++; p.totals.sheets > maxSheets {
			return errorAt(0, "the workbook has more than %s worksheets", grouped(maxSheets))
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
		return errorAt(0, "the workbook is too complex: a text in %s has more than %s line breaks", p.name, grouped(maxEscapes))
	}
	if p.filled {
		p.cells++
	}
	p.totals.longest = max(p.totals.longest, len(p.text))
	p.totals.widest = max(p.totals.widest, p.cells)
	p.text, p.filled = p.text[:0], false
	return nil
}

// check returns an error if one row could need more memory than maxRow.
func (t *workbookTotals) check() error {
	const header = 16 // bytes of a string without its text
	if t.widest*(t.longest+header) > maxRow {
		return errorAt(0, "the workbook is too complex: its longest row and its longest text are too long beside one another")
	}
	return nil
}

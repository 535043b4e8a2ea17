package sheet

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// What a workbook may unpack to outside its worksheets and strings: the library
// builds structures of what it finds there, many times as large.
const (
	maxPart      = 8 << 20
	maxCalcChain = 32 << 20
	maxParts     = 10_000
	maxStrings   = 2_000_000
)

// vet looks at a workbook before the library does, which takes the size that the
// archive claims for the truth, ends a worksheet without a word where its XML
// breaks, and does not look at checksums. All parts that make up the cells are
// read to their end.
func vet(r io.ReaderAt, size, unzipped int64) error {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return faulty(0, damaged)
	}
	if len(archive.File) > maxParts {
		return faulty(0, "the workbook has more than %s parts", grouped(maxParts))
	}
	total, isWorkbook := uint64(0), false
	for _, part := range archive.File {
		name := strings.ToLower(part.Name)
		if part.UncompressedSize64 > uint64(unzipped)-total {
			return faulty(0, "the workbook unpacks to more than %s", sizeText(unzipped))
		}
		total += part.UncompressedSize64
		isWorkbook = isWorkbook || strings.HasSuffix(name, "workbook.xml")
	}
	if !isWorkbook {
		return faulty(0, "the file is neither CSV nor XLSX: %s", archiveKind(archive))
	}

	for _, part := range archive.File {
		if err := vetPart(part); err != nil {
			return err
		}
	}
	return nil
}

// archiveKind names an archive that is no workbook.
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

// vetPart reads one part. Drawings, comments and the like may be what they are.
func vetPart(part *zip.File) error {
	name := strings.ToLower(part.Name)
	if part.Flags&1 != 0 {
		return faulty(0, "the workbook is protected with a password; save it without one")
	}
	if ext := path.Ext(name); ext != ".xml" && ext != ".rels" {
		return nil
	}
	in, err := part.Open()
	if err != nil {
		return faulty(0, damaged)
	}
	defer in.Close()

	decoder := xml.NewDecoder(in)
	decoder.CharsetReader = charset
	root, err := rootOf(decoder)
	if err != nil && !strings.HasPrefix(name, "xl/") {
		return nil // somebody's own
	}
	if err != nil {
		return vetFault(part, err)
	}
	switch root {
	case "worksheet", "sst":
	case "workbook", "styleSheet", "Relationships", "Types":
		if part.UncompressedSize64 > maxPart {
			return faulty(0, "the workbook is too complex: %s is larger than %s", part.Name, sizeText(maxPart))
		}
	default:
		if part.UncompressedSize64 > maxCalcChain {
			return faulty(0, "the workbook is too complex: %s is larger than %s", part.Name, sizeText(maxCalcChain))
		}
		return nil
	}
	return vetFault(part, readOut(decoder))
}

func vetFault(part *zip.File, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return faulty(0, "%s: %s cannot be read", damaged, part.Name)
}

// rootOf is the name of the first element; io.EOF in an empty part.
func rootOf(decoder *xml.Decoder) (string, error) {
	for {
		token, err := decoder.Token()
		if err != nil {
			return "", err
		}
		if start, ok := token.(xml.StartElement); ok {
			return start.Name.Local, nil
		}
	}
}

// readOut reads a part to its end and counts the shared strings, of which the
// library makes structures.
func readOut(decoder *xml.Decoder) error {
	for shared := 0; ; {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "si" {
			shared++
		}
		if shared > maxStrings {
			return faulty(0, "the workbook has more than %s texts", grouped(maxStrings))
		}
	}
}

// charset reads parts in the encodings that their first line names.
func charset(label string, in io.Reader) (io.Reader, error) {
	encoding, err := htmlindex.Get(label)
	if err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	return transform.NewReader(in, encoding.NewDecoder()), nil
}

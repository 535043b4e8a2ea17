package sheet

import (
	"archive/zip"
	"errors"
	"io"
	"path"
	"strings"
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
	for _, part := range archive.File {
		if err := checkPart(part, totals); err != nil {
			return err
		}
	}
	return totals.check()
}

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

// checkPart reads one part. Parts that the library does not use, such as drawings, are
// not checked.
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
	case "worksheet", "sst":
	case "workbook", "styleSheet", "Relationships", "Types":
		if part.UncompressedSize64 > maxPart {
			return errorAt(0, "the workbook is too complex: %s is larger than %s", part.Name, sizeText(maxPart))
		}
	default:
		if part.UncompressedSize64 > maxCalcChain {
			return errorAt(0, "the workbook is too complex: %s is larger than %s", part.Name, sizeText(maxCalcChain))
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

package sheet

import (
	"archive/zip"
	"errors"
	"io"
	"path"
	"strings"
)

// What a workbook may unpack to outside its worksheets and strings: the library
// builds structures of what it finds there, many times as large.
const (
	maxPart      = 8 << 20
	maxCalcChain = 32 << 20
	maxParts     = 10_000
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

	all := &sums{}
	for _, part := range archive.File {
		if err := vetPart(part, all); err != nil {
			return err
		}
	}
	return all.check()
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
func vetPart(part *zip.File, all *sums) error {
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

	content := newPartReader(part, in, all)
	root, err := content.root()
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
	return vetFault(part, content.readOut())
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

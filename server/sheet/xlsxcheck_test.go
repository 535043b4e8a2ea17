package sheet

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"
)

// The library silently ends a worksheet where its XML is invalid.
func TestOpenRefusesInvalidWorksheets(t *testing.T) {
	good := plainWorkbook(t)
	text := func(s string) string { return `<c t="inlineStr"><is><t>` + s + `</t></is></c>` }
	head := text("Name") + text("Price")
	whole := worksheet(head, text("Chai")+`<c><v>18</v></c>`)
	mustOpen(t, "x", withParts(t, good, map[string]string{firstSheet: whole}), Limits{})
	for name, xml := range map[string]string{
		"CutOff":       whole[:len(whole)-40],
		"CutBetween":   strings.TrimSuffix(whole, "</sheetData></worksheet>"),
		"BareAmper":    worksheet(head, text("Salt & pepper")),
		"ControlByte":  worksheet(head, text("Salt\x01pepper")),
		"WrongEndTag":  worksheet(head, `<c><v>18</v></row>`),
		"NotUTF8":      worksheet(head, text("K\xe4se")),
		"UnknownCoded": `<?xml version="1.0" encoding="klingon"?>` + whole,
	} {
		t.Run(name, func(t *testing.T) {
			expectRefusal(t, withParts(t, good, map[string]string{firstSheet: xml}), Limits{}, "the workbook is damaged: "+firstSheet+" cannot be read")
		})
	}
	latin := `<?xml version="1.0" encoding="ISO-8859-1"?>` + worksheet(head, text("K\xe4se"))
	if got, want := table(t, mustOpen(t, "x", withParts(t, good, map[string]string{firstSheet: latin}), Limits{})), lines("1 Name|Price", "2 Käse|"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOpenRefusesWrongChecksums(t *testing.T) {
	good := plainWorkbook(t)
	r, err := zip.NewReader(strings.NewReader(good), int64(len(good)))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range r.File {
		if part.Name == firstSheet {
			sum := binary.LittleEndian.AppendUint32(nil, part.CRC32)
			good = strings.ReplaceAll(good, string(sum), "\x01\x02\x03\x04")
		}
	}
	expectRefusal(t, good, Limits{}, "the workbook is damaged: "+firstSheet+" cannot be read")
	expectRefusal(t, good[:len(good)-100], Limits{}, "the workbook is damaged")
}

func TestOpenRefusesBombs(t *testing.T) {
	good := plainWorkbook(t)
	t.Run("Size", func(t *testing.T) {
		bomb := withParts(t, good, map[string]string{firstSheet: worksheet(strings.Repeat(" ", 2<<20))})
		if len(bomb) > 20_000 {
			t.Fatalf("the packed file has %d bytes, want at most 20,000", len(bomb))
		}
		expectRefusal(t, bomb, Limits{Unzipped: 1 << 20}, "the workbook unpacks to more than 1 MiB")
	})
	t.Run("SumOfParts", func(t *testing.T) {
		with := map[string]string{}
		for i := range 20 {
			with[fmt.Sprintf("xl/media/%d.bin", i)] = strings.Repeat("x", 100_000)
		}
		expectRefusal(t, withParts(t, good, with), Limits{Unzipped: 1 << 20}, "the workbook unpacks to more than 1 MiB")
	})
	t.Run("ClaimOfMinusOne", func(t *testing.T) {
		expectRefusal(t, lying(t, good, "xl/media/x.bin", "x", 1<<63|1), Limits{}, "the workbook unpacks to more than 512 MiB")
	})
	t.Run("MoreThanClaimed", func(t *testing.T) {
		expectRefusal(t, lying(t, good, firstSheet, worksheet("<c/>"), 10), Limits{}, "the workbook is damaged: "+firstSheet+" cannot be read")
	})
	t.Run("OtherParts", func(t *testing.T) {
		expectRefusal(t, lying(t, good, "xl/styles.xml", "<styleSheet/>", maxPart+1), Limits{}, "the workbook is too complex: xl/styles.xml is larger than 8 MiB")
		expectRefusal(t, lying(t, good, "xl/calcChain.xml", "<calcChain/>", maxCalcChain+1), Limits{}, "the workbook is too complex: xl/calcChain.xml is larger than 32 MiB")
	})
	t.Run("Strings", func(t *testing.T) {
		rows := strings.Repeat(`<c t="s"><v>0</v></c>`, maxStrings/2)
		text := `<sst>` + strings.Repeat("<si/>", maxStrings+1) + `</sst>`
		expectRefusal(t, withParts(t, good, map[string]string{firstSheet: worksheet(rows), "xl/sharedStrings.xml": text}), Limits{}, "the workbook has more than 2,000,000 texts")
	})
	t.Run("UnusedStrings", func(t *testing.T) { // 80 kB that took ten seconds to open
		const want = "the workbook is too complex: it has far more texts than cells that show one; save it again in a spreadsheet"
		text := func(n int) string {
			return `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` + strings.Repeat("<si><t>a</t></si>", n) + `</sst>`
		}
		expectRefusal(t, withParts(t, good, map[string]string{"xl/sharedStrings.xml": text(1_950_000)}), Limits{}, want)
		cells := worksheet(`<c t="s"><v>0</v></c>`, `<c t="s"><v>1</v></c>`)
		mustOpen(t, "x", withParts(t, good, map[string]string{firstSheet: cells, "xl/sharedStrings.xml": text(maxUnused + 4)}), Limits{})
		expectRefusal(t, withParts(t, good, map[string]string{firstSheet: cells, "xl/sharedStrings.xml": text(maxUnused + 5)}), Limits{}, want)
	})
	t.Run("Parts", func(t *testing.T) {
		with := map[string]string{}
		for i := range maxParts + 1 {
			with[fmt.Sprintf("p/%d", i)] = "x"
		}
		expectRefusal(t, withParts(t, good, with), Limits{}, "the workbook has more than 10,000 parts")
	})
	t.Run("Columns", func(t *testing.T) {
		wide := worksheet(`<c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c>`)
		expectRefusal(t, withParts(t, good, map[string]string{firstSheet: wide}), Limits{}, "line 1: the row has more than 1000 cells")
	})
}

// lying returns the archive with an additional part whose declared size is wrong.
func lying(t *testing.T, archive, name, content string, claimed uint64) string {
	t.Helper()
	archive = withParts(t, archive, map[string]string{name: ""})
	r, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, part := range r.File {
		if err := w.Copy(part); err != nil {
			t.Fatal(err)
		}
	}
	header := &zip.FileHeader{Name: name, Method: zip.Store, CRC32: crc32.ChecksumIEEE([]byte(content)), CompressedSize64: uint64(len(content)), UncompressedSize64: claimed}
	out, err := w.CreateRaw(header)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(out, content)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestOpenRefusesOtherArchives(t *testing.T) {
	for what, names := range map[string][]string{
		"it is an OpenDocument file (.ods); save it as XLSX": {"mimetype", "content.xml"},
		"it is a binary workbook (.xlsb); save it as XLSX":   {"xl/workbook.bin"},
		"it is a Numbers file; export it as XLSX or CSV":     {"Index/Document.iwa"},
		"it is a document":               {"word/document.xml"},
		"it is a ZIP archive; unpack it": {"products.csv"},
	} {
		content := map[string]string{}
		for _, name := range names {
			content[name] = "x"
		}
		if got := refusal(t, parts(t, content), Limits{}); got != "the file is neither CSV nor XLSX: "+what {
			t.Errorf("%s: got %q, want %q", names, got, what)
		}
	}
	expectRefusal(t, parts(t, nil), Limits{}, "the file is neither CSV nor XLSX: it is a ZIP archive; unpack it")
	if got := refusal(t, parts(t, map[string]string{"xl/workbook.xml": "<workbook/>"}), Limits{}); !strings.HasPrefix(got, "the workbook ") {
		t.Errorf("got %q, want an error of a workbook", got)
	}
}

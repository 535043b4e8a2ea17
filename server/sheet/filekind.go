package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// signatures are the first bytes of files that merchants upload by mistake.
var signatures = []struct{ start, what string }{
	{"%PDF-", "it is a PDF"},
	{"\x89PNG", "it is a picture"},
	{"\xff\xd8\xff", "it is a picture"},
	{"GIF8", "it is a picture"},
	{"\x1f\x8b", "it is compressed with gzip"},
	{"Rar!", "it is a RAR archive"},
	{"7z\xbc\xaf", "it is a 7z archive"},
	{"SQLite format 3", "it is a database"},
	{"{\\rtf", "it is a text document"},
	{"<!doctype html", "it is a web page"},
	{"<html", "it is a web page, which some programs call .xls; open it in a spreadsheet and save it as XLSX"},
	{"<table", "it is a web page, which some programs call .xls; open it in a spreadsheet and save it as XLSX"},
	{"<?xml", "it is XML; open it in a spreadsheet and save it as XLSX"},
}

// openBook detects the format by the first bytes.
func openBook(name string, r io.ReaderAt, size int64, limits Limits) (book, Dialect, error) {
	start := make([]byte, min(size, 4096))
	if _, err := r.ReadAt(start, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, Dialect{}, fmt.Errorf("read: %w", err)
	}
	switch other := otherKind(start); {
	case bytes.HasPrefix(start, []byte("PK\x03\x04")), bytes.HasPrefix(start, []byte("PK\x05\x06")): // ZIP
		return openXLSX(r, size, limits)
	case bytes.HasPrefix(start, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")): // OLE
		return nil, Dialect{}, oleFault(r, size)
	case other != "":
		return nil, Dialect{}, errorAt(0, "the file is neither CSV nor XLSX: %s", other)
	}
	return openCSV(name, r, size, limits)
}

// otherKind describes a file that is not a table, or returns "".
func otherKind(start []byte) string {
	start = bytes.TrimLeft(bytes.TrimPrefix(start, []byte(bomUTF8)), " \t\r\n")
	for _, s := range signatures {
		if len(start) >= len(s.start) && strings.EqualFold(string(start[:len(s.start)]), s.start) {
			return s.what
		}
	}
	return ""
}

// oleFault returns the error for a file in the old Excel container format: a workbook
// with a password, or one in the old format itself.
func oleFault(r io.ReaderAt, size int64) error {
	const window = 64 << 10
	wanted := []byte(strings.Join(strings.Split("EncryptedPackage", ""), "\x00")) // in UTF-16
	buf := make([]byte, window)
	for at := int64(0); at < size; at += window - int64(len(wanted)) {
		n, err := r.ReadAt(buf, at)
		if bytes.Contains(buf[:n], wanted) {
			return errorAt(0, "the workbook is protected with a password; save it without one")
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
	}
	return errorAt(0, "the file is in the old Excel format (.xls); save it as XLSX or CSV")
}

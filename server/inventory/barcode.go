package inventory

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"svc/server/gtin"
	"svc/server/sheet"
)

// shortened matches a code that a spreadsheet has converted to a number such as
// 5.01E+12, which loses its digits.
var shortened = regexp.MustCompile(`^\d([.,]\d+)?[eE]\+\d+$`)

// withDecimals matches a code that a program has written with decimals: 5012345678900.0.
var withDecimals = regexp.MustCompile(`^\d+[.,]0+$`)

// withoutSeparators removes the separators between groups of digits on a pack.
var withoutSeparators = strings.NewReplacer(" ", "", "-", "")

// maxCodes bounds the barcodes and the aliases of one product.
const maxCodes = 100

var errMany = fmt.Errorf("the product has more than %d of them", maxCodes)

// parseSKU returns a SKU without the apostrophe or the ="…" with which spreadsheets mark
// text.
func parseSKU(text string) (string, error) {
	text = withoutTextMark(text)
	if isBlankValue(text) {
		return "", nil
	}
	if shortened.MatchString(text) {
		return "", errShortened(text)
	}
	return strings.Clone(text), nil
}

func errShortened(text string) error {
	return fmt.Errorf("%s was shortened by the spreadsheet; format the column as text and export the file again", sheet.Quote(text))
}

func withoutTextMark(text string) string {
	if inner, ok := strings.CutPrefix(text, `="`); ok {
		text = strings.TrimSuffix(inner, `"`)
	}
	return strings.TrimSpace(strings.TrimPrefix(text, "'"))
}

// parseBarcodes parses a cell with barcodes, separated by commas, semicolons, bars, line
// breaks or spaces. A barcode may have spaces and hyphens, as printed on the pack:
// 5 012345 678900. More than maxCodes are an error.
func parseBarcodes(text string) ([]string, error) {
	if text = withoutTextMark(text); isBlankValue(text) || strings.Trim(text, "0") == "" {
		return nil, nil
	}
	separates := func(r rune) bool { return strings.ContainsRune(",;|\n", r) }
	if shortened.MatchString(text) || withDecimals.MatchString(text) {
		separates = func(rune) bool { return false } // the comma is a decimal comma
	}
	var all []string
	for part := range strings.FieldsFuncSeq(text, separates) {
		words := strings.Fields(part)
		if joined := withoutSeparators.Replace(part); gtin.Valid(joined) {
			words = []string{joined}
		}
		for _, word := range words {
			barcode, err := parseBarcode(word)
			if err != nil {
				return nil, err
			}
			if all = append(all, barcode); len(all) > maxCodes {
				return nil, errMany
			}
		}
	}
	return all, nil
}

// fullLength maps the length of a barcode, perhaps without its leading zeros, to the
// length with them.
var fullLength = map[int]int{6: 8, 7: 8, 8: 8, 9: 12, 10: 12, 11: 12, 12: 12, 13: 13, 14: 14}

// parseBarcode parses one barcode. It restores the leading zeros that a spreadsheet has
// removed, if the check digit is correct: zeros do not change the sum.
func parseBarcode(text string) (string, error) {
	digits := strings.ReplaceAll(withoutTextMark(text), "-", "")
	switch {
	case shortened.MatchString(digits):
		return "", errShortened(text)
	case withDecimals.MatchString(digits):
		digits = digits[:strings.IndexAny(digits, ".,")]
	}
	noBarcode := fmt.Errorf("%s is not a barcode of 8, 12, 13 or 14 digits", sheet.Quote(text))
	size := fullLength[len(digits)]
	if size == 0 || strings.Trim(digits, "0123456789") != "" {
		return "", noBarcode
	}
	full := strings.Repeat("0", size-len(digits)) + digits
	if _, ok := gtin.ParseUPCE(full); ok {
		return full, nil
	}
	last, check := digits[len(digits)-1], gtin.CheckDigit(digits[:len(digits)-1])
	switch {
	case full != digits && check != last:
		return "", noBarcode
	case isISBN10(digits):
		return "", errors.New(sheet.Quote(text) + " is an ISBN of ten digits; its barcode has thirteen")
	case check != last:
		return "", fmt.Errorf("%s is not a barcode: its last digit should be %c", sheet.Quote(text), check)
	}
	return full, nil
}

// isISBN10 reports whether digits are a valid ISBN-10, which books had before barcodes.
func isISBN10(digits string) bool {
	if len(digits) != 10 {
		return false
	}
	sum := 0
	for i := range digits {
		sum += (10 - i) * int(digits[i]-'0')
	}
	return sum%11 == 0
}

package inventory

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"svc/server/gtin"
	"svc/server/sheet"
)

// shortened is a code that a spreadsheet took for a number and wrote as
// 5.01E+12: the digits are gone.
var shortened = regexp.MustCompile(`^\d([.,]\d+)?[eE]\+\d+$`)

// whole is a code that a program wrote with decimals: 5012345678900.0.
var whole = regexp.MustCompile(`^\d+[.,]0+$`)

// ungrouped takes out what groups the digits on a pack.
var ungrouped = strings.NewReplacer(" ", "", "-", "")

// maxCodes is how many barcodes, or how many aliases, one product may have.
const maxCodes = 100

var errMany = fmt.Errorf("the product has more than %d of them", maxCodes)

// code reads a SKU: text as it stands, without the apostrophe or the ="…" that
// keep a spreadsheet from reckoning with it.
func code(text string) (string, error) {
	text = bare(text)
	if isNothing(text) {
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

func bare(text string) string {
	if inner, ok := strings.CutPrefix(text, `="`); ok {
		text = strings.TrimSuffix(inner, `"`)
	}
	return strings.TrimSpace(strings.TrimPrefix(text, "'"))
}

// barcodes reads a cell with one barcode or several, between commas, semicolons,
// bars, line breaks or spaces. Spaces and hyphens may also stand within one, as
// printed on the pack: 5 012345 678900. More than maxCodes are a mistake.
func barcodes(text string) ([]string, error) {
	if text = bare(text); isNothing(text) || strings.Trim(text, "0") == "" {
		return nil, nil
	}
	cut := func(r rune) bool { return strings.ContainsRune(",;|\n", r) }
	if shortened.MatchString(text) || whole.MatchString(text) {
		cut = func(rune) bool { return false } // its comma is before decimals
	}
	var all []string
	for part := range strings.FieldsFuncSeq(text, cut) {
		words := strings.Fields(part)
		if joined := ungrouped.Replace(part); gtin.Valid(joined) {
			words = []string{joined}
		}
		for _, word := range words {
			barcode, err := barcode(word)
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

// barcode reads one, and puts back the zeros that a spreadsheet took from its
// beginning, where the check digit fits: they do not change the sum.
func barcode(text string) (string, error) {
	digits := strings.ReplaceAll(bare(text), "-", "")
	switch {
	case shortened.MatchString(digits):
		return "", errShortened(text)
	case whole.MatchString(digits):
		digits = digits[:strings.IndexAny(digits, ".,")]
	}
	if strings.Trim(digits, "0123456789") != "" || digits == "" {
		return "", fmt.Errorf("%s is not a barcode of 8, 12, 13 or 14 digits", sheet.Quote(text))
	}
	size := 0
	switch len(digits) {
	case 6, 7:
		size = 8
	case 9, 10, 11:
		size = 12
	case 8, 12, 13, 14:
		size = len(digits)
	}
	if size == 0 {
		return "", fmt.Errorf("%s is not a barcode of 8, 12, 13 or 14 digits", sheet.Quote(text))
	}
	full := strings.Repeat("0", size-len(digits)) + digits
	if _, ok := gtin.ParseUPCE(full); ok {
		return full, nil
	}
	last, check := digits[len(digits)-1], gtin.CheckDigit(digits[:len(digits)-1])
	switch {
	case full != digits && check != last:
		return "", fmt.Errorf("%s is not a barcode of 8, 12, 13 or 14 digits", sheet.Quote(text))
	case isISBN10(digits):
		return "", errors.New(sheet.Quote(text) + " is an ISBN of ten digits; its barcode has thirteen")
	case check != last:
		return "", fmt.Errorf("%s is not a barcode: its last digit should be %c", sheet.Quote(text), check)
	}
	return full, nil
}

// isISBN10 knows the numbers that books had before barcodes, by their own sum.
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

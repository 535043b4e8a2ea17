package push

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"svc/db"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/sheet"
	"svc/server/web"
)

const (
	maxColumns = 100
	maxHeading = 100
	maxCell    = 2000
)

// dayFields are the fields of a row whose times are checked as those of other records are.
var dayFields = []string{"date", "day", "timestamp", "occurred_at", "created_at", "ordered_at", "sold_at"}

// row reads a record without a type. Its fields are columns, in their order.
func (p *parser) row(in web.Object, raw []byte, id string, digest []byte) (content, error) {
	r := &row{db.PushedRow{AccountID: p.owner.ID, ExternalID: id, Digest: digest}}
	names, err := fieldNames(raw)
	if err != nil {
		return nil, err
	}
	isBlank := true
	for _, name := range names {
		if name == "type" || name == "external_id" {
			continue
		}
		heading := strings.Join(strings.Fields(name), " ")
		if heading == "" || utf8.RuneCountInString(heading) > maxHeading || strings.ContainsRune(heading, 0) {
			return nil, fault.Invalid("record", fmt.Sprintf("the name of a field must have from 1 to %d characters", maxHeading))
		}
		value := cell(in, name)
		if slices.Contains(dayFields, strings.ToLower(name)) {
			p.checkDay(in, name, value)
		}
		isBlank = isBlank && strings.TrimSpace(value) == ""
		r.Cells = append(r.Cells, heading, value)
	}
	in.Require(!isBlank, "record", "must have a field with a value")
	in.Require(len(r.Cells) <= 2*maxColumns, "record", fmt.Sprintf("must have at most %d fields", maxColumns))
	return r, nil
}

// fieldNames returns the names of an object's fields in their order, each once.
func fieldNames(raw []byte) (names []string, err error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var skipped json.RawMessage
		if err := decoder.Decode(&skipped); err != nil {
			return nil, err
		}
		if name, ok := token.(string); ok && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names, nil
}

// cell returns the value of a field as a file would have it.
func cell(in web.Object, field string) string {
	switch raw := string(in.Fields[field]); {
	case raw == "null":
		return ""
	case raw == "true" || raw == "false":
		return raw
	case raw == `""`:
		return ""
	case raw[0] == '"':
		return in.TextOr(field, maxCell, "")
	case raw[0] == '{' || raw[0] == '[':
		in.Require(false, field, "must be a text, a number, true, false or null")
		return ""
	default:
		return plainNumber(raw)
	}
}

// plainNumber writes a JSON number without an exponent and so that its point cannot be taken
// for one between thousands.
func plainNumber(raw string) string {
	d, err := new(sheet.Numbers).ParseDecimal(raw)
	if err != nil || d.Exponent > 18 || d.Exponent < -18 {
		return raw
	}
	if d.Exponent >= 0 {
		if n, err := d.Units(0); err == nil {
			return fmt.Sprint(n)
		}
		return raw
	}
	text := strings.ReplaceAll(money.Digits(d.Mantissa, -d.Exponent), ",", "")
	if d.Exponent == -3 {
		text += "0"
	}
	return text
}

// checkDay refuses a day or a time that is out of bounds. What is neither is a text.
func (p *parser) checkDay(in web.Object, field, value string) {
	if at, ok := parseMoment(strings.ToUpper(value), p.zone); ok {
		p.checkBounds(in, field, at)
	}
}

package message

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"svc/db"
	"svc/server/fault"
	"svc/server/money"
)

// Draft is a receipt or a purchase order as a person fills it in. Its text is made of the
// fields, and of nothing else (G5).
type Draft struct {
	Template string
	Phone    string // may have spaces, dashes and brackets
	Number   string // of the receipt or the order; may be empty
	Lines    string // what was bought or is ordered, a line each
	Total    string // of a receipt, in the account's currency
	Supplier string // of an order; may be empty
	By       string // the day by which an order is needed, like 2026-03-31; may be empty
	Note     string // may be empty
}

// Blank is what a prefilled line has in the place of a quantity that nobody knows yet.
const Blank = "[how many]"

const (
	maxField = 200 // characters of a field that is one line
	maxLines = 40
	maxTotal = 1_000_000_000 // of a receipt, in units of the currency
)

// Request returns the message of a draft as it is sent on a day: the phone number in
// international format and the whole text. An Invalid names the field.
func (d Draft) Request(from db.Account, today time.Time) (Request, error) {
	for _, field := range []struct{ name, value string }{{"number", d.Number}, {"supplier", d.Supplier}, {"note", d.Note}} {
		if n := utf8.RuneCountInString(field.value); n > maxField {
			return Request{}, fault.Invalid(field.name, fmt.Sprintf("must have at most %d characters", maxField))
		}
		if strings.ContainsFunc(field.value, breaksLine) {
			return Request{}, fault.Invalid(field.name, "must be one line, without characters that cannot be seen")
		}
	}
	req := Request{Phone: dialled(d.Phone), Template: d.Template}
	if req.Phone == "" {
		return req, fault.Invalid("phone", "is required")
	}
	if err := phoneFault(d.Phone, req.Phone); err != nil {
		return req, err
	}
	lines, err := goods(d.Lines)
	if err != nil {
		return req, err
	}
	if d.Template == "receipt" {
		req.Text, err = d.receipt(from, today, lines)
	} else {
		req.Text, err = d.order(from, today, lines)
	}
	if n := utf8.RuneCountInString(req.Text); err == nil && n > maxText {
		err = fault.Invalid("lines", fmt.Sprintf("makes the message %d characters long; %d are the most", n, maxText))
	}
	return req, err
}

// phoneFault says what is wrong with a phone number as it was typed and as it would be dialled;
// nil if it can be called.
func phoneFault(typed, number string) error {
	digits, international := strings.CutPrefix(number, "+")
	switch {
	case strings.Contains(typed, "(0)"):
		return fault.Invalid("phone", "has a (0), which is dialled only inside the country: leave it out")
	case strings.Trim(digits, "0123456789") != "":
		return fault.Invalid("phone", "must have only digits after the +, like +44 7700 900123")
	case !international:
		return fault.Invalid("phone", "must begin with + and the code of the country, like +44 7700 900123")
	case strings.HasPrefix(digits, "0"):
		return fault.Invalid("phone", "has a 0 after the +: the code of a country never begins with one")
	case len(digits) < 8:
		return fault.Invalid("phone", "is too short: with the code of the country it has 8 digits or more")
	case !validPhone(number):
		return fault.Invalid("phone", "is too long: with the code of the country it has 15 digits at most")
	}
	return nil
}

// dialled removes what people put between the digits of a phone number.
func dialled(phone string) string {
	phone = strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -()./\u00a0", r) {
			return -1
		}
		return r
	}, phone)
	if rest, ok := strings.CutPrefix(phone, "00"); ok {
		phone = "+" + rest
	}
	return phone
}

// breaksLine reports whether a character ends a line or turns its direction, with which one field
// could pass for another part of the message.
func breaksLine(c rune) bool {
	return unicode.IsControl(c) || unicode.In(c, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// isSeen reports whether a character takes ink.
func isSeen(c rune) bool { return unicode.IsGraphic(c) && !unicode.IsSpace(c) }

// goods returns the lines of a list without blank ones.
func goods(text string) (lines []string, err error) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.ContainsFunc(line, isSeen) {
			lines = append(lines, line)
		}
	}
	switch {
	case len(lines) == 0:
		return nil, fault.Invalid("lines", "is required")
	case len(lines) > maxLines:
		return nil, fault.Invalid("lines", fmt.Sprintf("must have at most %d lines", maxLines))
	case strings.Contains(text, Blank):
		return nil, fault.Invalid("lines", "still has "+Blank+": write a number there, or remove the line")
	}
	return lines, nil
}

// receipt is the text of a receipt.
func (d Draft) receipt(from db.Account, today time.Time, lines []string) (string, error) {
	if strings.TrimSpace(d.Total) == "" {
		return "", fault.Invalid("total", "is required")
	}
	currency := from.Profile.Currency
	total, err := money.Parse(d.Total, currency)
	most := int64(maxTotal)
	for range money.Decimals(currency) {
		most *= 10
	}
	if err == nil && (total <= 0 || total > most) {
		err = fmt.Errorf("must be above 0 and at most %s", money.Format(most, currency))
	}
	if err != nil {
		return "", fault.Invalid("total", err.Error())
	}
	return paragraphs(
		"Receipt"+d.numbered()+" from "+from.Name+", "+dayOf(today),
		strings.Join(lines, "\n"),
		"Total "+money.Format(total, currency),
		strings.TrimSpace(d.Note),
	), nil
}

// order is the text of a purchase order.
func (d Draft) order(from db.Account, today time.Time, lines []string) (string, error) {
	head, foot := "Purchase order"+d.numbered()+" from "+from.Name+", "+dayOf(today), ""
	if supplier := strings.TrimSpace(d.Supplier); supplier != "" {
		head += "\nTo " + supplier
	}
	if d.By != "" {
		by, err := time.ParseInLocation(time.DateOnly, d.By, today.Location())
		if err != nil {
			return "", fault.Invalid("by", "must be a day, like 2026-03-31")
		}
		if by.Before(today.AddDate(0, 0, -1)) {
			return "", fault.Invalid("by", "is over already")
		}
		foot = "Needed by " + dayOf(by)
	}
	return paragraphs(head, strings.Join(lines, "\n"), foot, strings.TrimSpace(d.Note)), nil
}

func (d Draft) numbered() string {
	if number := strings.TrimSpace(d.Number); number != "" {
		return " " + number
	}
	return ""
}

func dayOf(t time.Time) string { return t.Format("2 January 2006") }

// paragraphs joins the texts that are not empty, with an empty line between.
func paragraphs(texts ...string) string {
	var all []string
	for _, text := range texts {
		if text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n\n")
}

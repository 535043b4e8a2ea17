package message

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
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
	Lines    []Line // what was bought or is ordered; blank ones are left out
	Supplier string // of an order; may be empty
	By       string // the day by which an order is needed, like 2026-03-31; may be empty
	Note     string // may be empty
}

// Line is a line of a draft, as typed.
type Line struct {
	Item     string
	Quantity string
	Price    string // of one, in the account's currency; of an order it may be empty
	SKU      string // of the item of the inventory that it is; may be empty

	stock string // of that item, in words; may be empty
}

// blank reports whether nothing is on the line that says what it is of.
func (l Line) blank() bool {
	return !strings.ContainsFunc(l.Item, isSeen) && strings.TrimSpace(l.Price) == ""
}

const (
	maxField    = 200 // characters of a field that is one line
	maxLines    = 40
	maxTotal    = 1_000_000_000     // of a message, in units of the currency
	maxQuantity = 1_000_000 * 1_000 // in thousandths
)

// Faults are all that is wrong with a draft, by field, in the order of the form. The fields of a
// line are named by lineField.
type Faults []*fault.Error

func (f *Faults) add(field, says string) { *f = append(*f, fault.Invalid(field, says)) }

// Request returns the message of a draft as it is sent on a day: the phone number in
// international format and the whole text.
func (d Draft) Request(from db.Account, today time.Time) (req Request, faults Faults) {
	req = Request{Phone: dialled(d.Phone), Template: d.Template}
	switch err := phoneFault(d.Phone, req.Phone); {
	case req.Phone == "":
		faults.add("phone", "is required")
	case err != nil:
		faults = append(faults, err)
	}
	if d.Template == "purchase_order" {
		faults.checkLine("supplier", d.Supplier)
	}
	goods, total := d.goods(from.Profile.Currency, &faults)
	faults.checkLine("number", d.Number)
	by := d.neededBy(today, &faults)
	faults.checkLine("note", d.Note)
	if len(faults) > 0 {
		return req, faults
	}
	req.Text = d.text(from, today, goods, total, by)
	if n := utf8.RuneCountInString(req.Text); n > maxText {
		faults.add("lines", fmt.Sprintf("makes the message %d characters long; %d are the most", n, maxText))
	}
	return req, faults
}

// lineField names a field of a line, which counts from 1, as the page does: line-1-price.
func lineField(n int, part string) string { return fmt.Sprintf("line-%d-%s", n, part) }

// checkLine adds a fault if a field is not one line of some length.
func (f *Faults) checkLine(field, value string) {
	if n := utf8.RuneCountInString(value); n > maxField {
		f.add(field, fmt.Sprintf("must have at most %d characters", maxField))
	} else if strings.ContainsFunc(value, breaksLine) {
		f.add(field, "must be one line, without characters that cannot be seen")
	}
}

// phoneFault says what is wrong with a phone number as it was typed and as it would be dialled;
// nil if it can be called.
func phoneFault(typed, number string) *fault.Error {
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

// goods returns the lines as they are sent, and their total like "£18.50", which is empty unless
// each has a price.
func (d Draft) goods(currency string, faults *Faults) (lines []string, total string) {
	sum, unpriced := int64(0), false
	if len(d.Lines) > maxLines {
		faults.add("lines", fmt.Sprintf("must have at most %d lines", maxLines))
		return nil, ""
	}
	for n, l := range d.Lines {
		if l.blank() {
			continue
		}
		text, amount, priced := l.text(n+1, d.Template == "receipt", currency, faults)
		lines = append(lines, text)
		sum, unpriced = sum+amount, unpriced || !priced
	}
	most := int64(maxTotal)
	for range money.Decimals(currency) {
		most *= 10
	}
	switch {
	case len(lines) == 0:
		faults.add(lineField(1, "item"), "is required")
	case sum > most:
		faults.add("lines", "comes to more than "+money.Format(most, currency))
	case !unpriced:
		total = money.Format(sum, currency)
	}
	return lines, total
}

// text is a line as it is sent, like "2 x Ground Coffee at £4.50: £9.00", and what it comes to if
// it has a price, which a receipt's must have. N is its number in the form.
func (l Line) text(n int, mustPrice bool, currency string, faults *Faults) (text string, amount int64, priced bool) {
	name := strings.TrimSpace(l.Item)
	field := lineField(n, "item")
	if !strings.ContainsFunc(name, isSeen) {
		faults.add(field, "is required")
	}
	faults.checkLine(field, name)
	if sku := strings.TrimSpace(l.SKU); sku != "" && !mustPrice { // an order says it, a receipt does not
		name += " (" + sku + ")"
	}
	quantity, err := parseQuantity(l.Quantity)
	if err != nil {
		faults.add(lineField(n, "quantity"), err.Error())
	}
	text = money.Number(quantity, 3) + " x " + name
	if strings.TrimSpace(l.Price) == "" {
		if mustPrice {
			faults.add(lineField(n, "price"), "is required; 0 if it was free")
		}
		return text, 0, false
	}
	price, err := money.Parse(l.Price, currency)
	if err == nil && (price < 0 || price > maxTotal*1000) {
		err = errors.New("must be 0 or more, and no more than anything costs")
	}
	if err != nil {
		faults.add(lineField(n, "price"), err.Error())
		return text, 0, false
	}
	amount = times(price, quantity)
	if quantity != 1000 {
		text += " at " + money.Format(price, currency)
	}
	return text + ": " + money.Format(amount, currency), amount, true
}

// times is a price of one times a quantity in thousandths, rounded half up. Both are bounded, but
// not their product.
func times(price, quantity int64) int64 {
	product := new(big.Int).Mul(big.NewInt(price), big.NewInt(quantity))
	product.Div(product.Add(product, big.NewInt(500)), big.NewInt(1000))
	if !product.IsInt64() || product.Int64() > math.MaxInt64/(maxLines+1) {
		return math.MaxInt64 / (maxLines + 1)
	}
	return product.Int64()
}

var quantityText = regexp.MustCompile(`^\d{1,7}([.,]\d{1,3})?$`)

// parseQuantity reads a quantity above 0, in thousandths.
func parseQuantity(text string) (int64, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, errors.New("is required")
	}
	if !quantityText.MatchString(text) {
		return 0, errors.New("must be a number like 2 or 1.5")
	}
	whole, part, _ := strings.Cut(strings.ReplaceAll(text, ",", "."), ".")
	n, err := strconv.ParseInt(whole+(part + "000")[:3], 10, 64)
	if err == nil && (n <= 0 || n > maxQuantity) {
		err = errors.New("must be above 0 and at most 1,000,000")
	}
	return n, err
}

// neededBy returns the last paragraph of an order, about its day.
func (d Draft) neededBy(today time.Time, faults *Faults) string {
	if d.Template != "purchase_order" || d.By == "" {
		return ""
	}
	by, err := time.ParseInLocation(time.DateOnly, d.By, today.Location())
	switch {
	case err != nil:
		faults.add("by", "must be a day, like 2026-03-31")
	case by.Before(today.AddDate(0, 0, -1)):
		faults.add("by", "is over already")
	default:
		return "Needed by " + dayOf(by)
	}
	return ""
}

// text is the whole text of a draft without faults.
func (d Draft) text(from db.Account, today time.Time, goods []string, total, by string) string {
	head := kindWords[d.Template] + d.numbered() + " from " + from.Name + ", " + dayOf(today)
	if supplier := strings.TrimSpace(d.Supplier); supplier != "" && d.Template == "purchase_order" {
		head += "\nTo " + supplier
	}
	if total != "" {
		total = "Total " + total
	}
	return paragraphs(head, strings.Join(goods, "\n"), total, by, strings.TrimSpace(d.Note))
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

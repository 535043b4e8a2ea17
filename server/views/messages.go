package views

import (
	"html/template"
	"net/url"
	"strings"
	"time"
)

// Messages is `/console/messages`: what the account sent, one of it beside the list, and sends
// of which nobody knows whether they arrived. Its form gets the same page with `q`: a part of a
// phone number, of the name of its customer, or of a text. A message that is saved and not sent
// is posted as `id` to /console/messages/sent by who has sent it themselves, and with `undo` to
// take that back.
type Messages struct {
	Frame
	Provider string // how this server sends, in words
	NoSender bool   // it sends nothing: messages are saved
	Search   string // as it was typed
	Kept     []Pair // what else the search form sends
	Groups   []Group
	Filtered bool
	Rows     []MessageRow
	Unknown  []UnknownSend
	Detail   *MessageDetail
	Pager    Pager
	Curl     string
	Zone     *time.Location
}

// MessageRow is a message in a list.
type MessageRow struct {
	At         time.Time
	To         string // the name of who gets it, or the number
	Phone      string // empty if To is it
	Kind, Gist string
	State, Tag string
	From, Link string // From is the key's label or the console; no key for staff, here and below
	Open       bool
}

// MessageDetail is the open message.
type MessageDetail struct {
	ID, To, Phone, Kind, Text, State, Tag string
	At                                    time.Time
	Zone                                  *time.Location
	Provider, ProviderID, RequestID       string
	From, By                              string // By is a person; empty if none sent it
	Close                                 string
	Again                                 string // address of a new one to the same number
	Later                                 string // what is known of it since
	Saved                                 bool   // it is kept and not sent
	MarkedSent                            bool   // a person has sent it, which can be taken back
	NoSender                              bool   // the server sends nothing
}

// ByHand are the ways to send the message oneself.
func (d MessageDetail) ByHand() byHand { return byHand{d.Phone, d.Text} }

// byHand is a message that a person sends from their own phone.
type byHand struct{ phone, text string }

// WhatsApp is the address that opens the message in WhatsApp.
func (m byHand) WhatsApp() template.URL {
	return template.URL("https://wa.me/" + m.digits() + "?text=" + escaped(m.text))
}

// SMS is the address that opens the message in the phone's own app. With both ? and & it is
// understood by iPhones and by Android.
func (m byHand) SMS() template.URL {
	return template.URL("sms:+" + m.digits() + "?&body=" + escaped(m.text))
}

func (m byHand) digits() string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, m.phone)
}

// escaped writes a text for an address in which a plus is a plus.
func escaped(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// UnknownSend is a call that may have sent a message. It was not charged.
type UnknownSend struct {
	At                  time.Time
	Phone, Name         string // of the recipient; the name is that of a known customer, or ""
	RequestID, From, By string
}

func (Messages) template() string { return "console_messages" }

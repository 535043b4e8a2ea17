package views

import "time"

// Messages is `/console/messages`: what the account sent, one of it beside the list, and sends
// of which nobody knows whether they arrived. Its form gets the same page with `q`, a part of a
// phone number, and `template`.
type Messages struct {
	Frame
	Provider  string // how this server sends, in words
	Phone     string // as it was typed
	Templates []Option
	Filtered  bool
	Rows      []MessageRow
	Unknown   []UnknownSend
	Detail    *MessageDetail
	Pager     Pager
	Curl      string
	Zone      *time.Location
}

// Compose is `/console/messages/new`. Its form posts the fields, `template`, `once` and `act`
// to the same address: preview shows the message, and send, with the `seen` of the preview,
// sends it.
type Compose struct {
	Frame
	Kinds                                           []Group
	Template                                        string // receipt or purchase_order
	Phone, Number, Lines, Total, Supplier, By, Note string // as they were typed
	Field                                           string // that Problem is about; may be empty
	Missing                                         string // what the preview of a form that is being filled in lacks
	Once                                            string
	Currency                                        string // of Total, like "GBP"
	Cost                                            string // like "$0.02"
	Credit                                          string // empty for staff
	Short                                           bool   // the credit does not cover the cost
	Provider                                        string // how this server sends, in words
	CanSend                                         bool
	Outbox                                          bool // it sends nothing and keeps messages
	Ready                                           bool // the form was filled in
	Preview                                         *MessagePreview
}

// MessagePreview is a message as it will be sent.
type MessagePreview struct {
	Phone, Text string
	Seen        string
	Length      int // characters
}

// Order reports whether it is a purchase order.
func (c Compose) Order() bool { return c.Template == "purchase_order" }

func (Compose) template() string { return "console_compose" }

// MessageRow is a message in a list.
type MessageRow struct {
	At                      time.Time
	Phone, Kind, State, Tag string
	By, Link                string // By is the key or the person that sent it; no key for staff, here and below
	Open                    bool
}

// MessageDetail is the open message.
type MessageDetail struct {
	ID, Phone, Kind, Text, Provider, ProviderID, By, RequestID, Close string
	Again                                                             string // address of a new one to the same number
	Person                                                            bool   // By is a person
	Later                                                             string // what is known of it since
	States                                                            []MessageState
}

// MessageState is a state that a message reached.
type MessageState struct {
	At   time.Time
	Text string
}

// UnknownSend is a call that may have sent a message. It was not charged.
type UnknownSend struct {
	At            time.Time
	RequestID, By string
}

func (Messages) template() string { return "console_messages" }

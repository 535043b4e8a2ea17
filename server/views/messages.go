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

// MessageRow is a message in a list.
type MessageRow struct {
	At                      time.Time
	Phone, Kind, State, Tag string
	Key, Link               string // Key is empty for staff, here and below
	Open                    bool
}

// MessageDetail is the open message.
type MessageDetail struct {
	ID, Phone, Kind, Text, Provider, ProviderID, Key, RequestID, Close string
	States                                                             []MessageState
}

// MessageState is a state that a message reached.
type MessageState struct {
	At   time.Time
	Text string
}

// UnknownSend is a call that may have sent a message. It was not charged.
type UnknownSend struct {
	At             time.Time
	RequestID, Key string
}

func (Messages) template() string { return "console_messages" }

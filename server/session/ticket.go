package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"svc/server/fault"
)

// Ticket returns a hidden field for a form that makes something: the id of what it will
// make, and a proof that a page of this session chose it. A form that is sent a second
// time, by a reload or a double click, asks for the same id again, and the store has it
// already. So nothing is made twice, and no secret is shown twice.
func (v Visitor) Ticket(id string) string { return id + "." + v.ticketProof(id) }

// The refusals of TicketID, which a page shows above the form with a new ticket.
var (
	errNoTicket    = &fault.Error{Code: fault.InvalidRequest, Message: "this form came without its ticket, so nothing was done; look at it and send it again"}
	errOtherTicket = &fault.Error{Code: fault.Conflict, Message: "this form is not of this sign-in, so nothing was done: you may have signed in again since it was opened; look at it and send it again"}
)

// TicketID returns the id of a ticket. The error is a *fault.Error: there is no ticket, or no
// page of this session made it.
func (v Visitor) TicketID(ticket string) (id string, err error) {
	if ticket == "" {
		return "", errNoTicket
	}
	id, proof, _ := strings.Cut(ticket, ".")
	if !v.SignedIn() || id == "" || !hmac.Equal([]byte(proof), []byte(v.ticketProof(id))) {
		return "", errOtherTicket
	}
	return id, nil
}

func (v Visitor) ticketProof(id string) string {
	mac := hmac.New(sha256.New, []byte(v.proof))
	mac.Write([]byte("ticket\x00" + id))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

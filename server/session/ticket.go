package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Ticket returns a hidden field for a form that makes something: the id of what it will
// make, and a proof that a page of this session chose it. A form that is sent a second
// time, by a reload or a double click, asks for the same id again, and the store has it
// already. So nothing is made twice, and no secret is shown twice.
func (v Visitor) Ticket(id string) string { return id + "." + v.ticketProof(id) }

// TicketID returns the id of a ticket; ok is false if no page of this session made it.
func (v Visitor) TicketID(ticket string) (id string, ok bool) {
	id, proof, _ := strings.Cut(ticket, ".")
	return id, v.SignedIn() && id != "" && hmac.Equal([]byte(proof), []byte(v.ticketProof(id)))
}

func (v Visitor) ticketProof(id string) string {
	mac := hmac.New(sha256.New, []byte(v.proof))
	mac.Write([]byte("ticket\x00" + id))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

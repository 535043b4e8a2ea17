package requestlog

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"svc/db"
	"svc/server/fault"
)

// outcome is what became of a call, in words.
type outcome struct {
	short  string // for a table
	answer string // a sentence
	advice string // what to do; may be empty
	way    string // the address where that is done, and its name; may be empty
	name   string
}

// outcomes are the words for the codes of answers that are no success.
var outcomes = map[fault.Code]outcome{
	fault.InvalidRequest:    {"a mistake in the request", "The request had a mistake, so nothing was done. The answer named the field.", "Mend the request and send it again.", "", ""},
	fault.InsufficientFunds: {"no credit", "The wallet could not cover this call, so nothing was done.", "Add credit, then send the call again.", "/console/wallet", "Add credit"},
	fault.KeyDisabled:       {"key disabled", "The key or its account was disabled.", "Enable the key, or use another one.", "/console/keys", "Your keys"},
	fault.ModeForbidden:     {"needs another mode", "A key in generic mode cannot do this.", "Use a key in account mode.", "/console/keys", "Your keys"},
	fault.Forbidden:         {"no access", "The merchant has not given this key access to what it asked for, or has taken it back.", "Ask the merchant for access again.", "", ""},
	fault.NotFound:          {"not found", "There is no such thing.", "", "", ""},
	fault.Conflict:          {"exists already", "What the call asks for exists already.", "", "", ""},
	fault.Gone:              {"gone", "What the call asks for is over.", "", "", ""},
	fault.NotIdentified:     {"no product seen", "No product was recognised in the photo.", "Take the photo closer, with the barcode in it.", "", ""},
	fault.QuotaExceeded:     {"month used up", "The key has used up its month.", "Wait for the next month, or change to a larger plan.", "/console/usage#plans", "Plans and limits"},
	fault.Internal:          {"our fault", "This server failed. The call is not counted.", "Send it again; if it fails again, give its request id to the people who run this server.", "", ""},
	fault.ProviderFailed:    {"the provider failed", "The provider behind this call failed.", "Send it again with the same Idempotency-Key.", "", ""},
	fault.InProgress:        {"still running", "A call with the same Idempotency-Key was still running.", "Send it again later with the same key.", "", ""},
	fault.OutcomeUnknown:    {"outcome unknown", "It is not known whether this call had its effect. It is not sent again under its Idempotency-Key.", "Ask the recipient before you send it anew.", "", ""},
	fault.Busy:              {"busy", "This server could not take the call.", "Send it again.", "", ""},
	fault.Unavailable:       {"busy", "This server could not take the call.", "Send it again.", "", ""},
}

// outcomeOf words what became of a call of an account on a plan.
func outcomeOf(r db.Request, plan db.Plan) outcome {
	if r.Status < 400 {
		return outcome{answer: "The call succeeded."}
	}
	if fault.Code(r.ErrorCode) == fault.RateLimited {
		return overLimit(r, plan)
	}
	if known, ok := outcomes[fault.Code(r.ErrorCode)]; ok {
		return known
	}
	text := cmp.Or(http.StatusText(r.Status), "Refused")
	return outcome{short: strings.ToLower(text), answer: text + "."}
}

// overLimit words the refusal of the plan's minute, or of an endpoint's rolling windows.
func overLimit(r db.Request, plan db.Plan) outcome {
	o := outcome{
		short: "over the limit", advice: "Send calls more slowly: the answer says when the next is possible.",
		way: "/console/usage#limits", name: "What the key has left",
	}
	if _, windowed := db.DefaultLimits(endpointOf(r.Route)); windowed && r.Route != "/api/v1/ask" {
		o.answer = "The key has made as many calls to this endpoint as it may in a minute or an hour."
		return o
	}
	o.answer = fmt.Sprintf("The key made more than the %d calls a minute of the plan %s.", plan.Limits().Minute, plan)
	o.advice += " A larger plan has more."
	return o
}

// endpointOf returns a route without what all addresses of the API begin with.
func endpointOf(route string) string {
	return strings.TrimPrefix(strings.TrimPrefix(route, "/api/v1"), "/")
}

// TagOf returns the class of a status; empty if the call succeeded.
func TagOf(status int) string {
	switch {
	case status < 400:
		return ""
	case status < 500:
		return "warn"
	}
	return "bad"
}

// costText says why a call cost what it did.
func costText(r db.Request, test bool) string {
	switch {
	case r.ChargeCents > 0:
		return "Taken from the wallet once the call had succeeded."
	case r.ReplayOf != "":
		return "A replay is free."
	case test:
		return "Calls with a test key are free."
	case r.Status >= 400:
		return "A call that does not succeed is free."
	}
	return "This endpoint is free."
}

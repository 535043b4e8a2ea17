package tool

import "strings"

// term is a rule of Incoterms 2020. It tells which costs the seller pays, so that the price
// contains them (the articles "Allocation of costs" of each rule).
type term struct {
	code string
	// freight is the carriage to the place of importation. Under EXW, FCA, FAS and FOB the
	// buyer pays it from the place of delivery on.
	freight bool
	// insurance is obligatory under CIF and CIP. Under DAP, DPU and DDP the seller bears the
	// risk to the destination, so what it costs is in the price.
	insurance bool
	// inland is the transport from the place of importation to the destination.
	inland bool
	// duties are import clearance, duty and VAT.
	duties bool
}

// terms are the eleven rules, from the least that the seller pays to the most.
var terms = []term{
	{code: "exw"}, {code: "fca"}, {code: "fas"}, {code: "fob"},
	{code: "cfr", freight: true}, {code: "cpt", freight: true},
	{code: "cif", freight: true, insurance: true}, {code: "cip", freight: true, insurance: true},
	{code: "dap", freight: true, insurance: true, inland: true},
	{code: "dpu", freight: true, insurance: true, inland: true},
	{code: "ddp", freight: true, insurance: true, inland: true, duties: true},
}

// formerTerms are rules of earlier editions and other names, with the rule of 2020 that is
// nearest.
var formerTerms = map[string]string{
	"dat": "dpu", "ddu": "dap", "daf": "dap", "des": "dap", "deq": "dpu",
	"c&f": "cfr", "cnf": "cfr", "fot": "fca", "for": "fca",
}

// findTerm returns the rule of a code in any case. problem is empty if there is one.
func findTerm(code string) (t term, problem string) {
	code = strings.ToLower(code)
	var all []string
	for _, t := range terms {
		if t.code == code {
			return t, ""
		}
		all = append(all, t.code)
	}
	if now := formerTerms[code]; now != "" {
		return t, code + " is not in Incoterms 2020; " + now + " is the nearest rule"
	}
	return t, "must be a rule of Incoterms 2020: " + strings.Join(all, ", ")
}

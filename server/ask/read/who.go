package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/schema"
)

// workWords are what the people of a shop do, whatever they are called.
var workWords = []string{"work", "works", "worked", "working", "serve", "serves", "served", "serving"}

// raiseWords are what they do to a purchase order, which its supplier does not.
var raiseWords = []string{"raise", "raises", "raised", "order", "orders", "ordered", "place", "places", "placed", "buy", "buys", "bought"}

// helpingVerbs may stand between "who" and its verb.
var helpingVerbs = []string{"did", "does", "do", "has", "have", "had", "is", "was", "were", "are", "been", "be", "'s", "'ve", ""}

// findAgent finds whom "who" asks for by the verb after it, and leaves that verb out: who cleans asks for the
// Cleaner, who worked for the staff.
func (c *chart) findAgent() {
	if c.agent != nil {
		return
	}
	for i, t := range c.tokens {
		if t.Text != "who" {
			continue
		}
		at := i + 1
		for at < len(c.tokens) && slices.Contains(helpingVerbs, c.tokens[at].Text) {
			at++
		}
		if at == len(c.tokens) {
			return
		}
		if c.agent = c.x.agentOf(c.tokens[at]); c.agent == nil {
			continue
		}
		isVerb := func(it *item) bool {
			return it.to == at+1 && (it.cat == valueCat || it.cat == nameCat || it.cat == "row")
		}
		c.starts[at] = slices.DeleteFunc(c.starts[at], isVerb)
		c.skips[at] = append(c.skips[at], at+1)
		return
	}
}

// colleagues are what owners call those who work for them.
var colleagues = []string{"girl", "lad", "lass", "guy", "bloke", "boy", "lady", "woman", "man"}

// findColleagues reads which girl, which of the lads, as the staff, in a source where nothing is called so.
func (c *chart) findColleagues() {
	staff, ok := c.x.source.ByRole(schema.Staff)
	if !ok || c.x.source.Kind == schema.Customers {
		return
	}
	for i, t := range c.tokens {
		at := i - 1
		for at > 0 && slices.Contains([]string{"of", "the", "our", "my"}, c.tokens[at].Text) {
			at--
		}
		isNamed := slices.ContainsFunc(c.mentions, func(m link.Mention) bool {
			return m.From <= i && i < m.To && (m.Kind == link.Value || m.Kind == link.Column) && m.Quality > link.Hint
		})
		if at >= 0 && c.tokens[at].Text == "which" && slices.Contains(colleagues, t.Lemma) && !isNamed {
			c.add(i, i+1, nameCat, costFlag, sketch{names: []name{{span: span{i, i + 1}, column: &staff, role: schema.Staff, text: t.Raw}}})
			c.nouns = join(c.nouns, []noun{{span: span{i, i + 1}, of: "the " + staff.Heading, isName: true}})
		}
	}
}

// agentOf returns the column of the people who do what a verb says, or nil.
func (x *lexicon) agentOf(verb link.Token) *schema.Column {
	for i := range x.source.Columns {
		c := &x.source.Columns[i]
		if c.Type != schema.Text || c.Role != schema.Staff && c.Role != schema.None {
			continue
		}
		if c.Role == schema.Staff && slices.Contains(workWords, verb.Text) {
			return c
		}
		for w := range strings.FieldsSeq(strings.ToLower(link.Spaced(c.Heading))) {
			of, ok := strings.CutSuffix(w, "er")
			if !ok {
				of, ok = strings.CutSuffix(w, "or")
			}
			if ok && len(of) > 2 && (undoubled(of) == stem(verb.Text) || undoubled(of) == stem(verb.Lemma)) {
				return c
			}
		}
	}
	return nil
}

// whoRoles returns the roles of the people that "who" may ask for, the likely one first.
func (b *builder) whoRoles() []schema.Role {
	m := b.s.find("sell")
	of := b.s.find("sell", "buy")
	isPurchase := b.x.source.Kind == schema.Purchases
	switch {
	case b.hasWord("tips", "commission") && b.hasWord("getting", "gets", "get", "got", "earning", "earned", "earns", "makes", "made", "making"):
		return []schema.Role{schema.Staff, schema.Customer} // whos getting the most in tips
	case isPurchase && b.hasWord(raiseWords...) && !b.shopPays() && !b.hasWord("from"):
		return []schema.Role{schema.Staff}
	case isPurchase, b.s.has("supply"), b.buysFrom(), b.x.source.Kind == schema.Stocklist && b.asksSource():
		return []schema.Role{schema.Supplier}
	case m != nil && b.wordAt(m.from, "sell", "sells", "sold", "selling", "earns", "earned", "made", "makes", "took", "takes"), b.phraseOf("gives away", "gave away", "give away", "given away", "gives the", "gave the"):
		return []schema.Role{schema.Staff, schema.Customer}
	case of != nil && b.wordAt(of.from, "spend", "spends", "spent", "spending", "pay", "pays", "paid", "buy", "buys", "bought", "order", "orders", "ordered"):
		return []schema.Role{schema.Customer} // staff do not spend
	}
	return []schema.Role{schema.Customer, schema.Staff}
}

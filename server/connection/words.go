package connection

import "svc/db"

var scopeWords = map[string]struct{ title, details string }{
	db.ReadInventory: {
		"Read your inventory",
		"Name, price, cost price, stock and unit of the products that the app scans.",
	},
}

func scopeTitles(names []string) (titles []string) {
	for _, name := range names {
		titles = append(titles, scopeWords[name].title)
	}
	return titles
}

func scopesInWords(names []string) (words []string) {
	for _, name := range names {
		words = append(words, scopeWords[name].title+": "+scopeWords[name].details)
	}
	return words
}

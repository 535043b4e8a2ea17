package money

import (
	"strings"

	cldr "golang.org/x/text/currency"
	"golang.org/x/text/language"
)

// OfLanguages returns the currency of the first language with a region in the text of an
// Accept-Language header, like "gbp" for "en-GB,en;q=0.9", or "".
func OfLanguages(accepted string) string {
	tags, _, err := language.ParseAcceptLanguage(accepted)
	if err != nil {
		return ""
	}
	for _, tag := range tags {
		region, sure := tag.Region()
		if sure != language.Exact {
			continue
		}
		if unit, ok := cldr.FromRegion(region); ok {
			if code, known := Known(strings.ToLower(unit.String())); known {
				return code
			}
		}
	}
	return ""
}

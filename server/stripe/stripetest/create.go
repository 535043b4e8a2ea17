package stripetest

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxAmount        = 99999999
	maxNameRunes     = 250
	maxMetadataRunes = 500
	maxReference     = 200
	minLifetime      = 30 * time.Minute
	maxLifetime      = 24 * time.Hour

	priceData   = "line_items[0][price_data]"
	productData = priceData + "[product_data]"
)

var (
	// parameters are those of a new session that are accepted, besides metadata.
	parameters = []string{
		"mode", "client_reference_id", "success_url", "cancel_url", "expires_at",
		"line_items[0][quantity]",
		priceData + "[currency]", priceData + "[unit_amount]",
		productData + "[name]", productData + "[description]",
	}
	required = []string{
		"mode", "success_url", "line_items[0][quantity]",
		priceData + "[currency]", priceData + "[unit_amount]", productData + "[name]",
	}
	metadata        = regexp.MustCompile(`^metadata\[([^\[\]]+)\]$`)
	paymentMetadata = regexp.MustCompile(`^payment_intent_data\[metadata\]\[([^\[\]]+)\]$`)
	currencyCode    = regexp.MustCompile(`^[a-z]{3}$`)
	referenceText   = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
)

// newSession returns an open session with the parameters of the form, or Stripe's error.
func newSession(form url.Values, now time.Time) (*Session, *refusal) {
	for _, check := range []func(url.Values) *refusal{checkKnown, checkRequired, checkTexts, checkAddresses} {
		if e := check(form); e != nil {
			return nil, e
		}
	}
	total, e := total(form)
	if e != nil {
		return nil, e
	}
	expires, e := expiry(form, now)
	if e != nil {
		return nil, e
	}
	return &Session{
		Status:          "open",
		PaymentStatus:   "unpaid",
		Reference:       form.Get("client_reference_id"),
		Currency:        form.Get(priceData + "[currency]"),
		AmountTotal:     total,
		Name:            form.Get(productData + "[name]"),
		Description:     form.Get(productData + "[description]"),
		Metadata:        collect(form, metadata),
		PaymentMetadata: collect(form, paymentMetadata),
		SuccessURL:      form.Get("success_url"),
		CancelURL:       form.Get("cancel_url"),
		Created:         now,
		ExpiresAt:       expires,
		Params:          form,
	}, nil
}

func checkKnown(form url.Values) *refusal {
	for _, name := range slices.Sorted(maps.Keys(form)) {
		values := form[name]
		if !slices.Contains(parameters, name) && !metadata.MatchString(name) && !paymentMetadata.MatchString(name) {
			return invalid("parameter_unknown", name, "Received unknown parameter: %s", name)
		}
		if len(values) != 1 {
			return invalid("", name, "Invalid request: %s is given %d times.", name, len(values))
		}
		if values[0] == "" {
			return invalid("parameter_invalid_empty", name, "You passed an empty string for '%s'.", name)
		}
	}
	return nil
}

func checkRequired(form url.Values) *refusal {
	for _, name := range required {
		if !form.Has(name) {
			return invalid("parameter_missing", name, "Missing required param: %s.", name)
		}
	}
	if mode := form.Get("mode"); mode != "payment" {
		return invalid("", "mode", "The fake Stripe does not support the mode %q.", mode)
	}
	return nil
}

func checkTexts(form url.Values) *refusal {
	if code := form.Get(priceData + "[currency]"); !currencyCode.MatchString(code) {
		return invalid("", priceData+"[currency]", "Invalid currency: %s.", code)
	}
	if reference := form.Get("client_reference_id"); reference != "" && !referenceText.MatchString(reference) {
		return invalid("", "client_reference_id", "Invalid client_reference_id.")
	}
	limits := map[string]int{productData + "[name]": maxNameRunes, "client_reference_id": maxReference}
	for name, values := range form {
		limit, ok := limits[name]
		if strings.Contains(name, "metadata") {
			limit, ok = maxMetadataRunes, true
		}
		if ok && utf8.RuneCountInString(values[0]) > limit {
			return invalid("", name, "Invalid string: must be at most %d characters.", limit)
		}
	}
	return nil
}

func checkAddresses(form url.Values) *refusal {
	for _, name := range []string{"success_url", "cancel_url"} {
		if !form.Has(name) {
			continue
		}
		u, err := url.Parse(form.Get(name))
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return invalid("url_invalid", name, "Not a valid URL: %s", form.Get(name))
		}
	}
	return nil
}

// total returns the amount, within Stripe's bounds.
func total(form url.Values) (int64, *refusal) {
	unit, e := integer(form, priceData+"[unit_amount]")
	if e != nil {
		return 0, e
	}
	quantity, e := integer(form, "line_items[0][quantity]")
	if e != nil {
		return 0, e
	}
	if quantity != 1 {
		return 0, invalid("", "line_items[0][quantity]", "The fake Stripe does not support the quantity %d.", quantity)
	}
	least := minimumOf(form.Get(priceData + "[currency]"))
	if unit < least.amount {
		return 0, invalid("amount_too_small", "",
			"The Checkout Session's total amount must convert to at least %d %s.", least.amount, least.unit)
	}
	if unit > maxAmount {
		return 0, invalid("amount_too_large", "",
			"The Checkout Session's total amount due must be no more than %d.", maxAmount)
	}
	return unit, nil
}

// minimum is the least amount in a currency, with the name of the unit in Stripe's error.
type minimum struct {
	amount int64
	unit   string
}

func minimumOf(currency string) minimum {
	switch currency {
	case "gbp":
		return minimum{30, "pence"}
	case "jpy":
		return minimum{50, "yen"}
	}
	return minimum{50, "cents"}
}

// expiry returns the end of the session, by default a day from now.
func expiry(form url.Values, now time.Time) (time.Time, *refusal) {
	if !form.Has("expires_at") {
		return now.Add(maxLifetime), nil
	}
	seconds, e := integer(form, "expires_at")
	if e != nil {
		return time.Time{}, e
	}
	expires := time.Unix(seconds, 0)
	// Stripe's times are in whole seconds.
	now = now.Truncate(time.Second)
	if expires.Before(now.Add(minLifetime)) {
		return time.Time{}, invalid("", "expires_at",
			"The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.")
	}
	if expires.After(now.Add(maxLifetime)) {
		return time.Time{}, invalid("", "expires_at",
			"The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.")
	}
	return expires, nil
}

func integer(form url.Values, name string) (int64, *refusal) {
	n, err := strconv.ParseInt(form.Get(name), 10, 64)
	if err != nil || n < 0 {
		return 0, invalid("parameter_invalid_integer", name, "Invalid integer: %s", form.Get(name))
	}
	return n, nil
}

// collect returns the parameters whose name matches, by the first group of the match.
func collect(form url.Values, name *regexp.Regexp) map[string]string {
	entries := map[string]string{}
	for parameter, values := range form {
		if match := name.FindStringSubmatch(parameter); match != nil {
			entries[match[1]] = values[0]
		}
	}
	return entries
}

package asktest

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

const monthPattern = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`

func monthNumber(name string) int {
	return strings.Index("jan feb mar apr may jun jul aug sep oct nov dec", name[:3])/4 + 1
}

// num is a number in a text.
type num struct {
	value     float64
	negative  bool
	percent   bool
	half      float64 // half a unit of its last digit
	hasSuffix bool    // k, m, million
}

var (
	notNumbers = []*regexp.Regexp{
		regexp.MustCompile(`\b\d{4}-\d{2}(-\d{2})?\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b|\b\d{1,2}:\d{2}(:\d{2})?\b`),
		regexp.MustCompile(`(?i)\b[QH][1-4]\b|\b\d{1,2}(?:st|nd|rd|th)\b|\btop[- ]\d+\b`),
	}
	monthDay = regexp.MustCompile(`(?i)\b` + monthPattern + `\.? \d{1,2},? ?(\d{4})`)
	dayMonth = regexp.MustCompile(`(?i)\b\d{1,2} ` + monthPattern + `\b`)
	number   = regexp.MustCompile(`(?i)([-\x{2212}\x{2013}(]\s*)?(US\$|[$£€]|USD|GBP|EUR)?\s*([-\x{2212}])?(\d{1,3}(?:[,\x{202f}\x{00a0} ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s*(bn|billion|million|mn|thousand|[km])?\s*(%|percent|per cent|pct)?`)
	yearText = regexp.MustCompile(`^(19[89]|20[0-4])\d$`)
	between  = strings.NewReplacer(",", "", "\u202f", "", "\u00a0", "", " ", "")
	times    = map[string]float64{"k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}
)

// numbers returns the numbers of a text other than dates, times, years and ranks.
func numbers(t string) []num {
	for _, re := range notNumbers {
		t = re.ReplaceAllString(t, " ~ ")
	}
	t = monthDay.ReplaceAllString(t, " ~ $2")
	t = dayMonth.ReplaceAllString(t, " ~ ")
	var out []num
	for from := 0; from < len(t); {
		m := number.FindStringSubmatchIndex(t[from:])
		if m == nil {
			break
		}
		n, ok, end := readNumber(t, from, m)
		if ok {
			out = append(out, n)
		}
		from = end
	}
	return out
}

// readNumber reads one match. A letter after k or m makes it a word.
func readNumber(t string, from int, m []int) (num, bool, int) {
	group := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return t[from+m[2*i] : from+m[2*i+1]]
	}
	suffix, end := strings.ToLower(group(5)), from+m[1]
	if len(suffix) == 1 && followedByLetter(t, from+m[11]) {
		suffix, end = "", from+m[9]
	}
	raw, percent := group(4), group(6)
	if suffix == "" && group(5) != "" {
		percent = ""
	}
	v, err := strconv.ParseFloat(between.Replace(raw), 64)
	if err != nil || suffix == "" && percent == "" && group(2) == "" && yearText.MatchString(raw) {
		return num{}, false, end
	}
	mult := 1.0
	if f, ok := times[suffix]; ok {
		mult = f
	}
	decimals := 0
	if _, after, ok := strings.Cut(raw, "."); ok {
		decimals = len(after)
	}
	sign := strings.TrimSpace(group(1))
	start := from + m[0]
	negative := group(3) != "" || (sign == "-" || sign == "−") && (start == 0 || !letterBefore(t, start))
	return num{value: v * mult, negative: negative, percent: percent != "", half: 0.5 * math.Pow10(-decimals) * mult, hasSuffix: suffix != ""}, true, end
}

func followedByLetter(t string, i int) bool {
	return i < len(t) && (t[i] >= 'a' && t[i] <= 'z' || t[i] >= 'A' && t[i] <= 'Z')
}

func letterBefore(t string, i int) bool {
	r := []rune(t[:i])
	return unicode.IsLetter(r[len(r)-1]) || unicode.IsDigit(r[len(r)-1])
}

// close reports whether two numbers agree within the tolerance, or within the rounding of
// the text.
func close(n num, gold float64, tol Tolerance, unit string) bool {
	gold = math.Abs(gold)
	limit := max(tol.Abs, tol.Rel*gold)
	if n.hasSuffix || unit == "currency" {
		limit = max(limit, min(n.half, 0.01*gold))
	}
	if unit == "percent" && n.half >= 0.5 {
		limit = max(limit, 0.5)
	}
	return math.Abs(n.value-gold) <= limit+1e-9
}

func cellNumbers(v any) []num {
	switch v := v.(type) {
	case float64:
		return []num{{value: math.Abs(v), negative: v < 0}}
	case nil:
		return nil
	}
	return numbers(fmt.Sprint(v))
}

var dateReaders = []struct {
	re  *regexp.Regexp
	key func(m []string) []string
}{
	{regexp.MustCompile(`\b(\d{4})-(\d{2})-(\d{2})\b`), func(m []string) []string { return []string{m[0]} }},
	{regexp.MustCompile(`\b(\d{1,2})[/.-](\d{1,2})[/.-](\d{2,4})\b`), slashKeys},
	{regexp.MustCompile(`\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? ` + monthPattern + `\.?,? (\d{4})\b`), func(m []string) []string {
		return []string{dayKey(m[3], monthNumber(m[2]), atoi(m[1]))}
	}},
	{regexp.MustCompile(`\b` + monthPattern + `\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b`), func(m []string) []string {
		return []string{dayKey(m[3], monthNumber(m[1]), atoi(m[2]))}
	}},
	{regexp.MustCompile(`\b` + monthPattern + `\.?[ ,'-]+(?:of )?(\d{4}|\d{2})\b`), monthKeys},
	{regexp.MustCompile(`\b(\d{1,2})/(\d{4})\b`), func(m []string) []string {
		if n := atoi(m[1]); n >= 1 && n <= 12 {
			return []string{fmt.Sprintf("%s-%02d", m[2], n)}
		}
		return nil
	}},
	{regexp.MustCompile(`\bq([1-4])\b[ ,-]*(\d{4})`), func(m []string) []string { return []string{m[2] + "-Q" + m[1]} }},
	{regexp.MustCompile(`\b(\d{4})[ ,-]*q([1-4])\b`), func(m []string) []string { return []string{m[1] + "-Q" + m[2]} }},
}

var monthIn = regexp.MustCompile(`\b(\d{4})[-/](\d{1,2})\b`)

// dateKeys returns every reading of a text as a month, a quarter or a day.
func dateKeys(s string) map[string]bool {
	t := strings.ToLower(strings.TrimSpace(s))
	out := map[string]bool{}
	for _, r := range dateReaders {
		for _, m := range r.re.FindAllStringSubmatch(t, -1) {
			for _, k := range r.key(m) {
				out[k] = true
			}
		}
	}
	for _, m := range monthIn.FindAllStringSubmatchIndex(t, -1) {
		if end := m[1]; end+1 < len(t) && (t[end] == '-' || t[end] == '/') && t[end+1] >= '0' && t[end+1] <= '9' {
			continue // a day, not a month
		}
		out[fmt.Sprintf("%s-%02d", t[m[2]:m[3]], atoi(t[m[4]:m[5]]))] = true
	}
	return out
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func dayKey(year string, month, day int) string {
	return fmt.Sprintf("%s-%02d-%02d", year, month, day)
}

func slashKeys(m []string) []string {
	a, b, y := atoi(m[1]), atoi(m[2]), atoi(m[3])
	if y < 100 {
		y += 2000
	}
	var out []string
	for _, md := range [][2]int{{a, b}, {b, a}} {
		if md[0] >= 1 && md[0] <= 12 && md[1] >= 1 && md[1] <= 31 {
			out = append(out, fmt.Sprintf("%04d-%02d-%02d", y, md[0], md[1]))
		}
	}
	return out
}

func monthKeys(m []string) []string {
	y := atoi(m[2])
	if y < 100 {
		y += 2000
	}
	if y <= 1990 {
		return nil
	}
	return []string{fmt.Sprintf("%d-%02d", y, monthNumber(m[1]))}
}

var (
	dateStart = regexp.MustCompile(monthPattern + `|\d{4}-\d\d|\d/\d`)
	monthWord = regexp.MustCompile(`\b` + monthPattern + `\b`)
)

// mentionDate returns the first position of a gold date in a text, or -1.
func mentionDate(gold, text string, free bool) int {
	lower := strings.ToLower(text)
	if dateKeys(text)[gold] {
		for _, m := range dateStart.FindAllStringIndex(lower, -1) {
			if dateKeys(lower[m[0]:min(m[0]+24, len(lower))])[gold] {
				return m[0]
			}
		}
		return len(text) - 1
	}
	if free && len(gold) == 7 && gold[5] != 'Q' {
		for _, m := range monthWord.FindAllStringIndex(lower, -1) {
			if fmt.Sprintf("%02d", monthNumber(lower[m[0]:m[1]])) == gold[5:] {
				return m[0]
			}
		}
	}
	return -1
}

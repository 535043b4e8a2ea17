package metrics

import (
	"strconv"
	"strings"
)

// contentType is that of the text format of Prometheus.
const contentType = "text/plain; version=0.0.4; charset=utf-8"

// kind is the type of a metric, in the words of the text format.
type kind string

const (
	counterKind   kind = "counter"
	gaugeKind     kind = "gauge"
	histogramKind kind = "histogram"
	summaryKind   kind = "summary"
)

// text is an answer to a scrape. A metric begins with its name, and its samples follow.
type text struct{ out []byte }

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

func (t *text) metric(name, help string, is kind) {
	t.out = append(t.out, "# HELP "+name+" "+helpEscapes.Replace(help)+"\n# TYPE "+name+" "+string(is)+"\n"...)
}

// sample writes a value. The labels are names, each followed by its value.
func (t *text) sample(name string, value float64, labels ...string) {
	t.out = append(t.out, name...)
	for i := 0; i < len(labels); i += 2 {
		between := byte(',')
		if i == 0 {
			between = '{'
		}
		t.out = append(append(t.out, between), labels[i]+`="`+labelEscapes.Replace(labels[i+1])+`"`...)
	}
	if len(labels) > 0 {
		t.out = append(t.out, '}')
	}
	t.out = append(append(append(t.out, ' '), number(value)...), '\n')
}

// number returns a value as the text format writes it.
func number(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

// figure is a metric that is read of a T.
type figure[T any] struct {
	name, help string
	is         kind
	of         func(T) float64
}

func gauge[T any](name, help string, of func(T) float64) figure[T] {
	return figure[T]{name, help, gaugeKind, of}
}

func counter[T any](name, help string, of func(T) float64) figure[T] {
	return figure[T]{name, help, counterKind, of}
}

// write writes the figures of the parts of the server that are alike. labels returns those
// of a part; nil: it has none. Without a part there is nothing to write.
func write[T any](t *text, figures []figure[T], labels func(T) []string, parts ...T) {
	if len(parts) == 0 {
		return
	}
	for _, f := range figures {
		t.metric(f.name, f.help, f.is)
		for _, part := range parts {
			var of []string
			if labels != nil {
				of = labels(part)
			}
			t.sample(f.name, f.of(part), of...)
		}
	}
}

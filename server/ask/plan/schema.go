package plan

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"svc/server/schema"
)

// Draft is a model's answer to a question: a plan, and the words of the question whose
// meaning the plan lacks.
type Draft struct {
	Plan
	LeftOut []string `json:"left_out"` // nil: the model does not say
}

// Bounds of what a model writes, which are below those of Check: a model that repeats
// itself ends soon, and Ollama's grammar stays small.
const (
	draftFilters = 4
	draftValues  = 12
	draftWords   = 5
	draftLength  = 80 // characters of a text
)

// object is a JSON Schema. A model writes fields in the order of the schema: figures come
// before what counts them.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON keeps the order of the members, whose keys need no escape.
func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(strconv.AppendQuote(out, m.key), ':'), value...)
	}
	return append(out, '}'), nil
}

func enum(values []string) object { return object{{"type", "string"}, {"enum", values}} }

func list(item object, most int) object {
	return object{{"type", "array"}, {"items", item}, {"maxItems", most}}
}

func fields(required []string, properties object) object {
	return object{{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}}
}

func shared(name string) object { return object{{"$ref", "#/$defs/" + name}} }

func texts[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// Schema returns the JSON Schema of the drafts over one source, with the source's headings.
// It is wider than Check, which still has to pass. It lacks what only the program writes:
// the words of periods, Whole, Day, Ends and List.
func Schema(s schema.Source) ([]byte, error) {
	var headings []string
	for _, c := range s.Columns {
		headings = append(headings, c.Heading)
	}
	column, filters, period := shared("column"), list(shared("filter"), draftFilters), shared("period")
	text := object{{"type", "string"}, {"maxLength", draftLength}}
	number, truth := object{{"type", "number"}}, object{{"type", "boolean"}}
	index := object{{"type", "integer"}, {"minimum", 0}, {"maximum", maxMeasures + maxDerived - 1}}
	count := object{{"type", "integer"}, {"minimum", 1}, {"maximum", MaxLimit}}
	draft := fields([]string{"source", "measures", "left_out"}, object{
		{"source", enum([]string{s.ID})},
		{"measures", list(measureSchema(s), maxMeasures)},
		{"derived", list(fields([]string{"kind", "of"}, object{{"kind", enum(texts(Derivations))}, {"of", index}, {"and", index}}), maxDerived)},
		{"by", list(fields([]string{"column"}, object{{"column", column}, {"part", enum(texts(append([]Part{Whole}, Parts...)))}}), maxBy)},
		{"where", filters}, {"part", filters},
		{"having", list(fields([]string{"measure", "op", "value"}, object{{"measure", index}, {"op", enum(texts(ordering))}, {"value", number}, {"other", index}}), draftFilters)},
		{"period", period}, {"compare", period},
		{"order", enum(texts([]Order{ByLabel, Highest, Lowest, Grown, Shrunk}))}, {"order_by", index}, {"limit", count},
		{"share", truth},
		{"what_if", list(fields([]string{"change"}, object{{"change", enum(texts(Changes))}, {"percent", number}, {"amount", number}, {"scope", filters}}), maxWhatIfs)},
		{"each", truth}, {"count", truth}, {"nth", count}, {"steps", truth}, {"why", truth},
		{"left_out", list(text, draftWords)},
	})
	day := object{{"type", "string"}, {"format", "date"}}
	return json.Marshal(append(draft, member{"$defs", object{
		{"column", enum(headings)},
		{"period", fields([]string{"from", "to"}, object{{"from", day}, {"to", day}})},
		{"filter", fields([]string{"column", "op"}, object{
			{"column", column},
			{"part", enum(texts(append([]Part{Whole}, filterParts...)))},
			{"op", enum(texts(append([]Op{In, NotIn, Blank, Filled, Has, Before}, ordering...)))},
			{"values", list(text, draftValues)},
			{"other", column},
		})},
	}}))
}

// measureSchema returns the schema of one figure.
func measureSchema(s schema.Source) object {
	per := append([]string{PerOrder, PerRow, PerUnit}, texts(Parts)...)
	return fields([]string{"metric"}, object{
		{"metric", enum(texts(metricsOf(s)))},
		{"column", shared("column")},
		{"per", object{{"anyOf", []object{enum(per), shared("column")}}}},
		{"fold", enum(texts([]Fold{FoldMean, FoldMedian, FoldLeast, FoldMost, Percentile(10), Percentile(25), Percentile(75), Percentile(90), Percentile(95), Percentile(99)}))},
		{"since", shared("column")},
		{"in", enum(slices.Sorted(maps.Keys(sizes)))},
		{"where", list(shared("filter"), draftFilters)},
		{"period", shared("period")},
	})
}

// metricsOf returns the metrics that the source can give.
func metricsOf(s schema.Source) []Metric {
	var out []Metric
	for _, m := range Metrics {
		if _, err := FormulaOf(s, Measure{Metric: m}); err == nil || m.OfColumn() {
			out = append(out, m)
		}
	}
	return out
}

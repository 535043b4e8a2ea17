package plan

import (
	"encoding/json"

	"svc/server/schema"
)

// object is a JSON Schema. Maps marshal with their keys in order, so that the text is
// stable.
type object = map[string]any

func enum(values []string) object { return object{"type": "string", "enum": values} }

func list(item object, most int) object {
	return object{"type": "array", "items": item, "maxItems": most}
}

func fields(required []string, properties object) object {
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func texts[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// Schema returns the JSON Schema of the plans over one source, with the source's headings,
// for a model's answer. It is wider than Check, which still has to pass.
func Schema(s schema.Source) ([]byte, error) {
	var headings []string
	for _, c := range s.Columns {
		headings = append(headings, c.Heading)
	}
	column := enum(headings)
	filter := fields([]string{"column", "op"}, object{
		"column": column,
		"part":   enum(texts(append([]Part{Whole}, filterParts...))),
		"op":     enum(texts(append([]Op{In, NotIn, Blank, Filled, Has}, ordering...))),
		"values": list(object{"type": "string"}, MaxValues),
		"other":  column,
	})
	day := object{"type": "string", "format": "date"}
	period := fields([]string{"from", "to"}, object{"from": day, "to": day, "words": object{"type": "string"}})
	index := object{"type": "integer", "minimum": 0, "maximum": maxMeasures + maxDerived - 1}
	return json.Marshal(fields([]string{"source", "measures"}, object{
		"source": enum([]string{s.ID}),
		"measures": list(fields([]string{"metric"}, object{
			"metric": enum(texts(metricsOf(s))),
			"column": column,
			"per":    enum(append(append([]string{PerOrder, PerRow, PerUnit}, texts(Parts)...), headings...)),
			"fold":   enum(texts([]Fold{FoldMean, FoldMedian, FoldLeast, FoldMost, Percentile(90), Percentile(95)})),
			"since":  column,
			"where":  list(filter, maxFilters),
			"period": period,
		}), maxMeasures),
		"derived":  list(fields([]string{"kind", "of"}, object{"kind": enum(texts(Derivations)), "of": index, "and": index}), maxDerived),
		"by":       list(fields([]string{"column"}, object{"column": column, "part": enum(texts(append([]Part{Whole}, Parts...)))}), maxBy),
		"where":    list(filter, maxFilters),
		"part":     list(filter, maxFilters),
		"having":   list(fields([]string{"measure", "op", "value"}, object{"measure": index, "op": enum(texts(ordering)), "value": object{"type": "number"}, "other": index}), maxFilters),
		"period":   period,
		"compare":  period,
		"order":    enum(texts([]Order{ByLabel, Highest, Lowest, Grown, Shrunk})),
		"order_by": index,
		"limit":    object{"type": "integer", "minimum": 1, "maximum": MaxLimit},
		"share":    object{"type": "boolean"},
		"each":     object{"type": "boolean"},
		"count":    object{"type": "boolean"},
		"why":      object{"type": "boolean"},
		"what_if": list(fields([]string{"change"}, object{
			"change":  enum(texts(Changes)),
			"percent": object{"type": "number"},
			"amount":  object{"type": "number"},
			"scope":   list(filter, maxFilters),
		}), maxWhatIfs),
	}))
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

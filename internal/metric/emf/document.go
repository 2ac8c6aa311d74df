package emf

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"onefold/internal/metric"
	"onefold/internal/schema"
)

// The embedded metric format (CloudWatch User Guide, "Specification: Embedded
// metric format", read 2026-11): at most 100 metrics in a document and 100
// values in a metric, dimensions are members with a text, and all targets are
// members of the root. A document may have 1 MB.
const (
	maxMetrics = 100
	maxValues  = 100
	// maxLine stays far below the limit of a log event, 256 KB where an
	// account still has the former one, since what is longer is split and then
	// no JSON.
	maxLine = 128 << 10
	// maxNumber: MetricDatum takes values from -2^360 to 2^360.
	maxNumber = 0x1p360
)

const (
	stageKey = schema.DimensionStage
	awsKey   = "_aws"
)

// member is one member of an object, its value in JSON.
type member struct {
	name  string
	value []byte
}

// document is what one line measures.
type document []series

type series struct {
	name, unit string
	values     []float64
}

// readings gathers what a record measures, in the order in which it came. The
// same metric again is a further value of it.
type readings struct{ all []series }

// take adds a reading and tells whether it is a number that can be measured.
func (r *readings) take(m metric.Reading) bool {
	n := m.Number()
	if math.IsNaN(n) || math.Abs(n) > maxNumber {
		return false
	}
	for i := range r.all {
		if r.all[i].name == m.Name() {
			r.all[i].values = append(r.all[i].values, n)
			return true
		}
	}
	r.all = append(r.all, series{m.Name(), m.Unit(), []float64{n}})
	return true
}

func (r *readings) none() bool { return len(r.all) == 0 }

// next takes out as much as one document may have.
func (r *readings) next() document {
	doc := append(document(nil), r.all[:min(len(r.all), maxMetrics)]...)
	rest := r.all[len(doc):]
	for i, s := range doc {
		if len(s.values) > maxValues {
			doc[i].values = s.values[:maxValues]
			rest = append(rest, series{s.name, s.unit, s.values[maxValues:]})
		}
	}
	r.all = rest
	return doc
}

// directive is what tells CloudWatch which members are metrics.
type directive struct {
	Timestamp         int64
	CloudWatchMetrics [1]struct {
		Namespace  string
		Dimensions [1][1]string
		Metrics    []definition
	}
}

type definition struct{ Name, Unit string }

func (d document) directive(when time.Time) []byte {
	var out directive
	out.Timestamp = max(when.UnixMilli(), 0)
	m := &out.CloudWatchMetrics[0]
	m.Namespace, m.Dimensions[0][0] = schema.MetricNamespace, stageKey
	for _, s := range d {
		m.Metrics = append(m.Metrics, definition{s.name, s.unit})
	}
	return encode(out)
}

func (s series) json() []byte {
	if len(s.values) == 1 {
		return number(s.values[0])
	}
	return encode(s.values)
}

// line is a whole line. What the members before it have named, an attribute
// may not name again: two members of one name would be read differently by
// different readers.
func line(head []member, stage string, when time.Time, doc document, attrs *object) []byte {
	all := append([]member(nil), head...)
	if len(doc) > 0 && stage != "" {
		all = append(all, member{awsKey, doc.directive(when)})
		for _, s := range doc {
			all = append(all, member{s.name, s.json()})
		}
	}
	taken := map[string]bool{awsKey: true}
	size := 2
	for _, m := range all {
		taken[m.name] = true
		size += len(m.name) + len(m.value) + 4
	}
	left := 0
	for _, m := range attrs.members() {
		n := len(m.name) + len(m.value) + 4
		if reserved(m.name) || taken[m.name] || size+n > maxLine {
			left++
			continue
		}
		size += n
		all = append(all, m)
	}
	if left > 0 {
		all = append(all, member{leftOutKey, strconv.AppendInt(nil, int64(left), 10)})
	}
	return append(render(all), '\n')
}

func render(all []member) []byte {
	b := []byte{'{'}
	for i, m := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, text(m.name)...), ':'), m.value...)
	}
	return append(b, '}')
}

// text is a JSON string. Bytes that are not UTF-8 become U+FFFD.
func text(s string) []byte { return encode(s) }

func boolean(v bool) []byte { return strconv.AppendBool(nil, v) }

// number is a JSON number; what JSON has no number for is a text.
func number(v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return text(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return encode(v)
}

// encode is for values that cannot fail: texts, finite numbers and the structs
// above.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null") // unreachable: see above
	}
	return b
}

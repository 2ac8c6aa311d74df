package idempotency

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"onefold/internal/digest"
)

// Bounds of a payload that is fingerprinted.
const (
	maxDepth    = 64  // arrays and objects within one another
	maxExponent = 400 // of a number: beyond what a float64 holds
)

var (
	// ErrPayload means that the payload is not one JSON value in UTF-8 that
	// every reader takes for the same: it is damaged, nested too deep, names a
	// member twice, or holds a number beyond any use. The caller refuses it.
	ErrPayload = errors.New("idempotency: not a payload that can be compared")
	// ErrNothingSelected means that none of the pointers leads to anything.
	// Every such payload would be the same as every other: the caller refuses it.
	ErrNothingSelected = errors.New("idempotency: the payload has none of the chosen parts")
)

// Fingerprint is the hex SHA-256 of the meaning of a JSON payload, or of the
// parts of it that JSON pointers (RFC 6901) choose. Two payloads have the same
// fingerprint if and only if the chosen parts are equal as JSON values: the
// order of members, white space, escapes in texts and the way of writing a
// number do not count; the order of an array does, and so does whether a chosen
// part is null or not there. Numbers are compared exactly, not as float64, so
// that two long numeric IDs are never the same. The order of the pointers does
// not count; the choice itself does, since another choice is another question.
// An unpaired surrogate counts as U+FFFD, which is what every reader in Go sees.
//
// No pointer means the whole payload.
func Fingerprint(payload []byte, pointers ...string) (string, error) {
	root, err := parse(payload)
	if err != nil {
		return "", err
	}
	if len(pointers) == 0 {
		return digest.Parts("payload", write(nil, root)), nil
	}
	pointers = slices.Compact(slices.Sorted(slices.Values(pointers)))
	parts, some := []string{"selection"}, false
	for _, p := range pointers {
		v, found, err := follow(root, p)
		if err != nil {
			return "", err
		}
		some = some || found
		text := "" // no value is written as nothing
		if found {
			text = write(nil, v)
		}
		parts = append(parts, p, text)
	}
	if !some {
		return "", ErrNothingSelected
	}
	return digest.Parts(parts...), nil
}

// FingerprintWithout is the Fingerprint of a whole payload without the members
// at the pointers: what a sender changes from one try of a payload to the next.
// A pointer that leads nowhere, or to an element of an array, leaves nothing out.
func FingerprintWithout(payload []byte, volatile ...string) (string, error) {
	root, err := parse(payload)
	if err != nil {
		return "", err
	}
	for _, p := range volatile {
		cut := strings.LastIndexByte(p, '/')
		if cut < 0 {
			return "", fmt.Errorf("idempotency: %q is not a JSON pointer to a member", p)
		}
		parent, _, err := follow(root, p[:cut])
		if err != nil {
			return "", err
		}
		if members, ok := parent.(map[string]any); ok {
			delete(members, unescaped(p[cut+1:]))
		}
	}
	return digest.Parts("payload", write(nil, root)), nil
}

// unescaped is one token of a JSON pointer. ~1 goes before ~0, so that ~01 is
// the name "~1" (RFC 6901 section 4).
func unescaped(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// number is a JSON number in the one form that its value has.
type number string

// parse reads one JSON value and nothing after it. encoding/json alone would
// let the last of two members of one name win, and another reader the first.
func parse(payload []byte) (any, error) {
	if !utf8.Valid(payload) {
		return nil, fmt.Errorf("%w: not UTF-8", ErrPayload)
	}
	d := json.NewDecoder(bytes.NewReader(payload))
	d.UseNumber()
	v, err := value(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something follows the value", ErrPayload)
	}
	return v, nil
}

func value(d *json.Decoder, depth int) (any, error) {
	token, err := d.Token()
	if err != nil {
		// The decoder's words quote the payload, which may be personal.
		return nil, fmt.Errorf("%w: not JSON, at byte %d", ErrPayload, d.InputOffset())
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: nested more than %d deep", ErrPayload, maxDepth)
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return object(d, depth)
		}
		return array(d, depth)
	case json.Number:
		return canonical(string(token))
	default:
		return token, nil // string, bool or nil
	}
}

func object(d *json.Decoder, depth int) (any, error) {
	members := map[string]any{}
	for d.More() {
		v, err := value(d, depth+1)
		if err != nil {
			return nil, err
		}
		name, isText := v.(string)
		if _, twice := members[name]; twice || !isText {
			return nil, fmt.Errorf("%w: a member without a name of its own, at byte %d", ErrPayload, d.InputOffset())
		}
		if members[name], err = value(d, depth+1); err != nil {
			return nil, err
		}
	}
	return members, end(d)
}

func array(d *json.Decoder, depth int) (any, error) {
	elements := []any{}
	for d.More() {
		v, err := value(d, depth+1)
		if err != nil {
			return nil, err
		}
		elements = append(elements, v)
	}
	return elements, end(d)
}

func end(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("%w: not JSON, at byte %d", ErrPayload, d.InputOffset())
	}
	return nil
}

// canonical writes a number as its digits without zeros at either end, and the
// power of ten of the last of them: 1, 1.0 and 10e-1 are "1e0", 0 and -0.0 are
// "0".
func canonical(s string) (number, error) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	power := 0
	if exponent != "" {
		n, err := strconv.Atoi(exponent)
		if err != nil || n > maxExponent || n < -maxExponent {
			return "", fmt.Errorf("%w: a number of too many places", ErrPayload)
		}
		power = n
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	power -= len(fraction)
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return "0", nil
	}
	power += len(digits) - len(trimmed)
	out := trimmed + "e" + strconv.Itoa(power)
	if negative {
		out = "-" + out
	}
	return number(out), nil
}

// follow walks a pointer. A pointer that is none is a mistake of the program or
// its configuration, and an error; one that leads nowhere is an answer.
func follow(v any, pointer string) (any, bool, error) {
	if pointer == "" {
		return v, true, nil
	}
	rest, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil, false, fmt.Errorf("idempotency: %q is no JSON pointer: it begins with /", pointer)
	}
	for step := range strings.SplitSeq(rest, "/") {
		step = unescaped(step)
		switch have := v.(type) {
		case map[string]any:
			if v, ok = have[step]; !ok {
				return nil, false, nil
			}
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || strconv.Itoa(n) != step || n < 0 || n >= len(have) {
				return nil, false, nil
			}
			v = have[n]
		default:
			return nil, false, nil
		}
	}
	return v, true, nil
}

// write puts a value in its one form: members by the bytes of their names,
// texts as JSON, which the other kinds cannot be mistaken for.
func write(b []byte, v any) string { return string(appendValue(b, v)) }

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case number:
		return append(b, v...)
	case string:
		return strconv.AppendQuote(b, v)
	case []any:
		b = append(b, '[')
		for _, e := range v {
			b = append(appendValue(b, e), ',')
		}
		return append(b, ']')
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		b = append(b, '{')
		for _, name := range names {
			b = append(strconv.AppendQuote(b, name), ':')
			b = append(appendValue(b, v[name]), ',')
		}
		return append(b, '}')
	}
	return b // unreachable: parse makes nothing else
}

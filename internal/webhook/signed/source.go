package signed

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"onefold/internal/webhook"
)

// Source is a scheme with its place in the documentation.
type Source struct {
	scheme Scheme
	parts  []string
	about  webhook.About
}

// New makes the source of a scheme. The error is Check's. What about leaves
// open of window, ID and proof is said of the scheme.
func New(s Scheme, about webhook.About) (Source, error) {
	if err := s.Check(); err != nil {
		return Source{}, err
	}
	parts, err := template(s.signed())
	if err != nil {
		return Source{}, err
	}
	about.Contents, about.JSON, about.IDs = []string{webhook.ContentForm}, true, s.ID.Pointers
	if t := s.Timestamp; t != nil {
		about.Past, about.Future = seconds(t.Tolerance), seconds(t.Tolerance)
	}
	return Source{scheme: s, parts: parts, about: about}, nil
}

// About is the source's row.
func (s Source) About() webhook.About { return s.about }

// Open verifies a request and gives the events in its JSON body.
func (s Source) Open(r webhook.Request, set webhook.Setting) (webhook.Opened, error) {
	p, err := s.scheme.proofOf(r.Headers)
	if err != nil {
		return webhook.Opened{}, err
	}
	if s.scheme.Timestamp != nil {
		if _, err := s.scheme.Timestamp.read(p.timestamp); err != nil {
			return webhook.Opened{}, err
		}
	}
	if err := s.scheme.verify(s.parts, r, p, set.Secrets); err != nil {
		return webhook.Opened{}, err
	}
	if err := s.scheme.checkAge(p, set.Now); err != nil {
		return webhook.Opened{}, err
	}
	body, err := s.scheme.json(r)
	if err != nil {
		return webhook.Opened{}, err
	}
	tree, err := webhook.ReadJSON(body)
	if err != nil {
		return webhook.Opened{}, err
	}
	if s.scheme.Events != nil {
		return s.several(r, tree, webhook.PartAt(body, *s.scheme.Events))
	}
	if _, ok := tree.(map[string]any); !ok {
		return webhook.Opened{}, webhook.Refuse(webhook.ErrMalformed, "body_no_object", "the body is one JSON object")
	}
	d, taken, err := s.delivery(r, tree, p.id)
	if err != nil || !taken {
		return webhook.Opened{}, err
	}
	d.Raw, d.Fingerprint, d.JSON, d.Volatile = body, webhook.Fingerprint(r.Body), body, s.scheme.Volatile
	if len(s.scheme.Volatile) > 0 {
		if d.Fingerprint, err = webhook.FingerprintWithout(tree, s.scheme.Volatile); err != nil {
			return webhook.Opened{}, err
		}
	}
	if !s.scheme.idIsSigned() {
		// What is signed, and not the signature: that a captured request may have
		// among others, or by another secret while they change.
		h := sha256.New()
		s.scheme.write(h, s.parts, r, p)
		d.Once = hex.EncodeToString(h.Sum(nil))
	}
	return webhook.Opened{Deliveries: []webhook.Delivery{d}}, nil
}

// json is the JSON of a verified body, which may be the field of a form.
func (s Scheme) json(r webhook.Request) ([]byte, error) {
	if s.field == "" || r.Headers.MediaType() != "application/x-www-form-urlencoded" {
		return r.Body, nil
	}
	values, err := url.ParseQuery(string(r.Body))
	if err != nil || len(values[s.field]) != 1 {
		return nil, webhook.Refuse(webhook.ErrMalformed, "fields_malformed", "the form has one field "+s.field+" that holds the JSON")
	}
	return []byte(values.Get(s.field)), nil
}

// delivery is one event of a body, without its content; taken is false for a
// kind that the endpoint does not take.
func (s Source) delivery(r webhook.Request, tree any, headerID string) (d webhook.Delivery, taken bool, err error) {
	d.Content, d.Kind = webhook.ContentForm, s.kind(r, tree)
	if len(s.scheme.Kinds) > 0 && !slices.Contains(s.scheme.Kinds, d.Kind) || slices.Contains(s.scheme.tests, d.Kind) {
		return d, false, nil
	}
	switch at := s.scheme.ID.Pointers; len(at) {
	case 0:
		if strings.Contains(headerID, ",") && !s.scheme.signsID() {
			return d, true, webhook.ErrBadID // two headers, joined: which of them is meant cannot be known
		}
		d.ID = headerID
	case 1:
		d.ID = webhook.TextAt(tree, at[0])
	default:
		values := make([]string, len(at))
		for i, p := range at {
			values[i] = webhook.TextAt(tree, p)
		}
		if d.ID, err = webhook.DerivedID(values[0], values[1], values[2], values[3:]...); err != nil {
			return d, true, err
		}
	}
	if !webhook.ValidID(d.ID) {
		return d, true, webhook.ErrBadID
	}
	return d, true, nil
}

// maxKind bounds the word for what happened.
const maxKind = 100

func (s Source) kind(r webhook.Request, tree any) string {
	kind := ""
	switch k := s.scheme.Kind; {
	case k.Header != "":
		kind = r.Headers.Get(k.Header)
	case k.Pointer != "":
		kind = webhook.TextAt(tree, k.Pointer)
	}
	if len(kind) > maxKind || !webhook.ValidID(kind) {
		return ""
	}
	return kind
}

// several splits a payload of many events. An event that cannot be read leaves
// the others as they are.
func (s Source) several(r webhook.Request, tree any, array []byte) (webhook.Opened, error) {
	list, ok := webhook.At(tree, *s.scheme.Events).([]any)
	if !ok {
		return webhook.Opened{}, webhook.Refuse(webhook.ErrMalformed, "body_no_list", "the body has a list of events")
	}
	if len(list) > webhook.MaxDeliveries {
		return webhook.Opened{}, webhook.Refuse(webhook.ErrTooLarge, "too_many_events", fmt.Sprintf("at most %d events at once", webhook.MaxDeliveries))
	}
	var out webhook.Opened
	parts := webhook.PartsOf(array)
	for i, event := range list {
		d, taken, err := s.delivery(r, event, "")
		if !taken {
			continue
		}
		_, isObject := event.(map[string]any)
		if err != nil || !isObject {
			out.Broken++
			continue
		}
		if d.Raw, err = json.Marshal(event); err != nil {
			return webhook.Opened{}, webhook.ErrMalformed // unreachable: it was read from JSON
		}
		d.JSON, d.Volatile = parts[i], s.scheme.Volatile
		if d.Fingerprint, err = webhook.FingerprintWithout(event, s.scheme.Volatile); err != nil {
			return webhook.Opened{}, err
		}
		out.Deliveries = append(out.Deliveries, d)
	}
	return out, nil
}

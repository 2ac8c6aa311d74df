// Package ownform is the source for forms on our own pages, which a visitor's
// browser posts.
//
// Nobody is authenticated here. A page that anybody can read can hold no
// secret, so whoever writes a program can post what he likes; the allow-list of
// origins keeps other people's pages out, and no more. What stands against
// floods is the size of a body here and the rate of the API before it. So what
// comes in is a claim: that somebody typed this address, never that it is his.
//
// Its invariant: one submission_id, made by the page and kept across its tries,
// is one event, and other content under it is refused. It refuses a body that a
// form of another site could send without being asked first, unless the browser
// names an origin of the list.
package ownform

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"onefold/internal/webhook"
)

// Bounds of what a form may send.
const (
	MaxBody   = 64 << 10
	maxFields = 100
	minID     = 16 // 64 bits in hex; a UUID has 36
	maxID     = 128
)

// FieldID is the field of the submission's ID.
const FieldID = "submission_id"

// Source takes forms of some origins.
type Source struct{ origins []string }

// New takes the web origins whose pages may post, such as
// "https://www.demo.example": scheme and host, and the port where it is not the
// scheme's own. The error is for the policy's writer.
func New(origins []string) (Source, error) {
	if len(origins) == 0 {
		return Source{}, errors.New("origins is missing: the web origins whose pages may post, such as \"https://www.demo.example\"")
	}
	for _, o := range origins {
		if !validOrigin(o) {
			return Source{}, errors.New("an origin is https:// and a host in lower case, such as \"https://www.demo.example\"; http:// is for localhost alone")
		}
	}
	return Source{origins: slices.Clone(origins)}, nil
}

// validOrigin tells whether a text is an origin as browsers write it (RFC 6454,
// section 6.2).
func validOrigin(o string) bool {
	u, err := url.Parse(o)
	if err != nil || u.Host == "" || u.Scheme+"://"+u.Host != o || o != strings.ToLower(o) {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1")
}

// About is the source's row.
func (Source) About() webhook.About {
	return webhook.About{
		Scheme: "own-form", Name: "forms on our own pages", Contents: []string{webhook.ContentForm},
		ID:     "`submission_id`, made by the page (a UUID) and kept across its tries",
		Auth:   "none: a page can hold no secret. The origin must be of the list, which binds browsers and nobody else",
		Replay: "the ID: a repeat is a duplicate", JSON: true, IDs: []string{"/" + FieldID},
		Answers: webhook.Answers{
			Recorded: 200, Duplicate: 200, Conflict: 409, Unauthenticated: 403, Kind: 415, Malformed: 400, TooLarge: 413,
			UnknownEndpoint: webhook.UnknownEndpoint, Fault: 503,
		},
		MaxBody: MaxBody, Methods: []string{"OPTIONS"}, Public: true,
		Limits: "100 fields; the rate is the API's, which all endpoints share",
		Facts:  []string{"https://fetch.spec.whatwg.org/#http-cors-protocol", "https://www.rfc-editor.org/rfc/rfc6454"},
	}
}

// AnswerHeaders lets the page read the answer.
func (s Source) AnswerHeaders(r webhook.Request) map[string]string {
	h := map[string]string{"vary": "origin"}
	if origin := r.Headers.Get("origin"); s.allows(origin) {
		h["access-control-allow-origin"] = origin
	}
	return h
}

func (s Source) allows(origin string) bool { return slices.Contains(s.origins, origin) }

// Open answers a preflight, or takes a form apart: a JSON object, or fields as
// a form element without a script posts them, which become one.
func (s Source) Open(r webhook.Request, _ webhook.Setting) (webhook.Opened, error) {
	if !s.allows(r.Headers.Get("origin")) {
		return webhook.Opened{}, webhook.Refuse(webhook.ErrBadSignature, "origin_not_allowed", "the page's origin is not in the endpoint's list")
	}
	if r.Method == "OPTIONS" {
		return webhook.Opened{Reply: &webhook.Reply{Status: 204, Headers: map[string]string{
			"access-control-allow-methods": "POST", "access-control-allow-headers": "content-type", "access-control-max-age": "600",
		}}}, nil
	}
	var raw []byte
	switch r.Headers.MediaType() {
	case "application/json":
		raw = r.Body
	case "application/x-www-form-urlencoded":
		var err error
		if raw, err = fromFields(r.Body); err != nil {
			return webhook.Opened{}, err
		}
	default:
		return webhook.Opened{}, webhook.Refuse(webhook.ErrKind, "media_type", "send application/json or application/x-www-form-urlencoded")
	}
	return open(raw)
}

func open(raw []byte) (webhook.Opened, error) {
	tree, err := webhook.ReadJSON(raw)
	if err != nil {
		return webhook.Opened{}, err
	}
	object, ok := tree.(map[string]any)
	if !ok {
		return webhook.Opened{}, webhook.Refuse(webhook.ErrMalformed, "body_no_object", "the body is one JSON object")
	}
	id, _ := object[FieldID].(string)
	if !validID(id) {
		return webhook.Opened{}, webhook.Refuse(webhook.ErrBadID, "submission_id_invalid",
			"submission_id is a text of 16 to 128 letters, digits, - and _ that the page makes once for each submission, such as a UUID")
	}
	// Of the values and not the bytes: a script may write its object anew.
	fingerprint, err := webhook.FingerprintWithout(tree, nil)
	if err != nil {
		return webhook.Opened{}, err
	}
	return webhook.Opened{Deliveries: []webhook.Delivery{{
		ID: id, Content: webhook.ContentForm, Raw: raw, Fingerprint: fingerprint, JSON: raw,
	}}}, nil
}

func validID(id string) bool {
	if len(id) < minID || len(id) > maxID {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// fromFields makes the JSON object of a form's fields. A field that stands
// several times is a list.
func fromFields(body []byte) ([]byte, error) {
	malformed := webhook.Refuse(webhook.ErrMalformed, "fields_malformed", "the body is the fields of a form in UTF-8, 100 at most")
	if bytes.Count(body, []byte("&")) >= maxFields {
		return nil, malformed
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, malformed
	}
	object := make(map[string]any, len(values))
	for name, all := range values {
		if !utf8.ValidString(name) || !utf8.ValidString(strings.Join(all, "")) {
			return nil, malformed
		}
		if object[name] = any(all); len(all) == 1 {
			object[name] = all[0]
		}
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, malformed
	}
	return raw, nil
}

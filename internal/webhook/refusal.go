package webhook

import "errors"

// Why a request is refused. Answers.Refusal gives the status code of each.
// None carries a value from the request.
var (
	// ErrNoSecret: no usable secret was given. The fault is ours: the sender is
	// asked to come again.
	ErrNoSecret = errors.New("webhook: no secret for this endpoint")
	// ErrMissingHeader: something that the proof needs is absent or empty.
	ErrMissingHeader = errors.New("webhook: missing header")
	// ErrBadTimestamp: the timestamp is not in the source's form.
	ErrBadTimestamp = errors.New("webhook: bad timestamp")
	// ErrBadSignature: the proof fits no secret.
	ErrBadSignature = errors.New("webhook: bad signature")
	// ErrTooOld: authentic, but signed too long ago: a replay, a sender that
	// signs once for all its tries, or a wrong clock.
	ErrTooOld = errors.New("webhook: timestamp too old")
	// ErrTooNew: authentic, but signed in the future: a wrong clock.
	ErrTooNew = errors.New("webhook: timestamp too new")
	// ErrBadID: authentic, but the ID cannot be a key. Coming again will not
	// better it.
	ErrBadID = errors.New("webhook: bad id")
	// ErrMalformed: authentic, and no event can be made of it.
	ErrMalformed = errors.New("webhook: malformed content")
	// ErrKind: of a media type that this source does not take.
	ErrKind = errors.New("webhook: not of a kind that is taken")
	// ErrTooLarge: more bytes or parts than the source takes.
	ErrTooLarge = errors.New("webhook: too large")
)

// Refusal is one of the errors above with what the sender is told. Word and
// Hint are fixed texts of the source and hold nothing of the request.
type Refusal struct {
	Why  error
	Word string // snake_case, stable
	Hint string // what to do
}

// Refuse makes a Refusal.
func Refuse(why error, word, hint string) error { return &Refusal{Why: why, Word: word, Hint: hint} }

func (r *Refusal) Error() string { return r.Why.Error() + ": " + r.Word }

// Unwrap is the sentinel.
func (r *Refusal) Unwrap() error { return r.Why }

// Told is what the sender is told about an error of Open: that of its Refusal,
// or the words that fit the sentinel in any scheme.
func Told(err error) (word, hint string) {
	var r *Refusal
	switch {
	case errors.As(err, &r):
		return r.Word, r.Hint
	case errors.Is(err, ErrMissingHeader):
		return "header_missing", "a header that the source's proof needs is not there"
	case errors.Is(err, ErrTooOld):
		return "timestamp_too_old", "sign each attempt anew, with a clock that is right"
	case errors.Is(err, ErrTooNew), errors.Is(err, ErrBadTimestamp):
		return "timestamp_invalid", "the timestamp is the time of the attempt"
	case errors.Is(err, ErrBadID):
		return "id_invalid", "the delivery's id has 1 to 256 printable ASCII characters and no space"
	case errors.Is(err, ErrNoSecret):
		return "secret_missing", "the endpoint's secret is not set up; the delivery will be taken when it is"
	case errors.Is(err, ErrKind):
		return "media_type", "this content type is not taken here"
	case errors.Is(err, ErrTooLarge):
		return "body_too_large", "more than this source takes"
	case errors.Is(err, ErrMalformed):
		return "body_malformed", "the body is not what this source sends"
	default:
		return "signature_invalid", "sign with the endpoint's secret"
	}
}

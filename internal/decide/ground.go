package decide

import (
	"encoding/json"
	"errors"
	"fmt"

	"onefold/internal/decide/content"
	"onefold/internal/decide/match"
	"onefold/internal/digest"
	"onefold/internal/ledger"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader"
	"onefold/internal/record/followup"
	"onefold/internal/record/inbound"
	"onefold/internal/utc"
)

// GroundAttr is the attribute of an event's row that keeps what its first
// decision stood on. It holds values of a contact where they differed from what
// the event said, so whatever erases an event's content, or the contact, removes
// it too.
const GroundAttr = "ground"

// GroundForm is the form that Freeze writes. It is raised when an attribute is
// added without which an older Thaw would put together another ground, or when
// other rules decide on one: before form 3 a plain wish that may be about several
// addresses stopped all of them.
const GroundForm = 3

// MaxGround is the most bytes of a kept ground. Of a larger one only the outcome
// is kept.
const MaxGround = 32 << 10

// ErrGround means that a kept ground cannot be put together again: it is of a
// later form, damaged, or of another reading of the event.
var ErrGround = errors.New("decide: the kept ground cannot be read")

// Kept is what a first decision stood on and what it made. Facts are not in it:
// they are read again from the raw content, and ReadingDigest tells whether they
// are the same. The reader's answer is stored by itself.
type Kept struct {
	Form       int64    `json:"v"`
	Policy     int64    `json:"p"` // version
	Now        utc.Time `json:"t"`
	By         string   `json:"b,omitempty"` // "": extract
	Transition int64    `json:"n"`           // of the event, before
	Facts      string   `json:"f"`           // ReadingDigest
	Answer     string   `json:"x,omitempty"` // AnswerDigest; "": no reader was asked
	Verdict    Verdict  `json:"o"`
	TooLarge   bool     `json:"too_large,omitempty"`
	Seen       parts    `json:"s,omitempty"`
	Also       []parts  `json:"a,omitempty"`
}

// Verdict is what a decision came to, so far as it can be compared.
type Verdict struct {
	Outcome string   `json:"o"`
	Reasons []string `json:"r,omitempty"`
	Contact string   `json:"c,omitempty"` // match.New made, match.Matched found; else ""
	Made    *Made    `json:"m,omitempty"`
}

// Made is the follow-up that a decision made.
type Made struct {
	Rule    string `json:"r"`
	Version int64  `json:"v"`
	Mode    string `json:"m"`
	Content string `json:"h"` // the first 16 digits of the intent's content hash
}

// VerdictOf reads from a result what is compared of it.
func VerdictOf(r Result) Verdict {
	v := Verdict{Outcome: r.Outcome, Reasons: r.Reasons}
	for _, w := range r.Commit.Writes {
		if w.Op != ledger.OpCreate {
			continue
		}
		switch w.Key.Entity {
		case ledger.Contact:
			v.Contact = match.New
		case ledger.MatchDecision:
			// What folds by its cause may be of a contact that it did not find.
			if w.Item.Text("outcome") == match.Matched {
				v.Contact = match.Matched
			}
		case ledger.Intent:
			hash := w.Item.Text(followup.ContentHashAttr)
			v.Made = &Made{w.Item.Text("rule"), w.Item.Int("rule_version"), w.Item.Text("mode"), hash[:min(16, len(hash))]}
		default:
		}
	}
	return v
}

// Freeze makes the text that keeps a ground of a first decision with its result.
// There is none for a ground with a person's answer.
func Freeze(g Ground, r Result, ids digest.Key) (string, error) {
	if g.Answer != nil {
		return "", errors.New("decide: a ground with a person's answer is not kept")
	}
	w := known(g, ids)
	k := Kept{
		Form: GroundForm, Policy: g.Policy.Version, Now: g.Now, By: g.By, Transition: g.Event.Transition,
		Facts: ReadingDigest(ids, g), Verdict: VerdictOf(r), Seen: w.kept, Also: w.also,
	}
	if k.By == byExtract {
		k.By = ""
	}
	if g.Extraction != nil {
		k.Answer = AnswerDigest(*g.Extraction)
	}
	b, err := json.Marshal(k)
	if err = errors.Join(err, w.err); err == nil && len(b) > MaxGround {
		k.TooLarge, k.Seen, k.Also, k.Verdict.Reasons = true, nil, nil, k.Verdict.Reasons[:min(len(k.Verdict.Reasons), 20)]
		b, err = json.Marshal(k)
	}
	if err != nil {
		return "", fmt.Errorf("keep the ground of a decision: %w", err)
	}
	return string(b), nil
}

// byExtract is who decides first.
const byExtract = "extract"

// Thaw reads a kept ground. What later code has added is passed over. Errors
// are ErrGround.
func Thaw(text string) (Kept, error) {
	var k Kept
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return k, fmt.Errorf("%w: it is damaged", ErrGround)
	}
	if k.Form < 1 || k.Form > GroundForm {
		return k, fmt.Errorf("%w: it is of form %d", ErrGround, k.Form)
	}
	if k.By == "" {
		k.By = byExtract
	}
	return k, nil
}

// Snapshot puts a kept ground together: the event as it was before, the policy
// of its version, the facts and the answer that the digests name, and what was
// read. Decide makes of these what was made then. Errors are ErrGround.
func (k Kept) Snapshot(ids digest.Key, e inbound.Event, p tenant.Policy, f content.Facts, x *reader.Stored) (Input, Snapshot, error) {
	w := k.walk(ids, e, p, f, x)
	return w.g.Input, Snapshot{Kept: w.answers}, w.err
}

func (k Kept) walk(ids digest.Key, e inbound.Event, p tenant.Policy, f content.Facts, x *reader.Stored) *walk {
	e.State, e.Transition, e.Review = inbound.Recorded, k.Transition, ""
	in := Input{Event: e, Policy: p, Facts: f, Extraction: x, Now: k.Now, By: k.By}
	w := &walk{g: Ground{Input: in}, ids: ids, mode: thawing, kept: k.Seen, also: k.Also, answers: map[Ask]any{}}
	if k.TooLarge {
		w.err = fmt.Errorf("%w: it was too large to be kept", ErrGround)
		return w
	}
	w.walk()
	if k.Form < 3 && f.OptOutPlain() && len(w.also) > 0 && w.err == nil {
		w.err = fmt.Errorf("%w: it was decided by other rules", ErrGround)
	}
	return w
}

// keepGround puts the ground into the commit that ends or refers the event.
func (b *builder) keepGround() error {
	if b.g.Answer != nil {
		return nil
	}
	text, err := Freeze(b.g, b.res, b.ids)
	if err != nil {
		return err
	}
	for _, w := range b.c.Writes {
		if w.Op == ledger.OpUpdate && w.Key == b.eventKey() {
			w.Set[GroundAttr] = text
		}
	}
	return nil
}

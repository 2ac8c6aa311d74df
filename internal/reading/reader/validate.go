package reader

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"onefold/internal/reading/wish"
)

// Limits in runes.
const (
	MaxName     = 120
	MaxCompany  = 160
	MaxPhone    = 40
	MaxEmail    = 320
	MaxEvidence = 300
)

// Validate returns what is believed of a reader's answer, and a machine word
// for each part that is not. It is the only way from a proposal to a fact.
//
//   - A field is kept whole or emptied whole. Kept, its evidence stands in the
//     place named, as whole words, and its value stands in the evidence;
//     case, width and white space aside.
//   - SenderEmail is From, Reply-To or the form's address, or stands in the
//     text or signature; in the last case the reasons say SenderDiffers, and of
//     Reply-To beside a machine's From they say SenderRelayed.
//   - PossibleOptOut and NeedsHumanReview are never taken back: a reader that
//     says so is believed, and an intent of OptOut or a reason for review sets
//     them.
//   - A name or company does not stand in a greeting alone, which names whom the
//     sender writes to, nor in an address, nor across two lines of a signature.
//   - What stands in Quoted alone, or in the subject of an answer, is nobody's
//     word.
//
// The reasons are sorted and distinct. They hold no word of the source, so
// they may be logged. Validate is total, deterministic and idempotent: a
// record that it returned passes again unchanged.
func Validate(s Source, r Record) (Record, []string) {
	v := validation{source: s}
	out := Record{
		SenderEmail:      v.sender(r.SenderEmail),
		ContactName:      v.field(FieldName, r.ContactName, MaxName, isName, nameStands),
		Company:          v.field(FieldCompany, r.Company, MaxCompany, isCompany, companyStands),
		Phone:            v.field(FieldPhone, r.Phone, MaxPhone, isPhone, phoneStands),
		Intent:           r.Intent,
		PossibleOptOut:   r.PossibleOptOut,
		NeedsHumanReview: r.NeedsHumanReview,
		ReviewReasons:    reviewReasons(r.ReviewReasons),
		Class:            r.Class,
	}
	if r.Class != "" && !slices.Contains(Classes(), r.Class) {
		out.Class = ""
		v.say(ClassUnknown)
	}
	if !slices.Contains(Intents(), r.Intent) {
		out.Intent = Other
		v.say(IntentUnknown)
	}
	if out.Intent == OptOut {
		out.PossibleOptOut = true
	}
	if len(out.ReviewReasons) > 0 {
		out.NeedsHumanReview = true
	}
	slices.Sort(v.reasons)
	return out, slices.Compact(v.reasons)
}

type validation struct {
	source  Source
	reasons []string
}

func (v *validation) say(reason string) { v.reasons = append(v.reasons, reason) }

// refuse empties a field and says why.
func (v *validation) refuse(field, why string) Field {
	v.say(field + "_" + why)
	return Field{}
}

// field checks one value: its form, and that its evidence stands.
func (v *validation) field(
	name string, f Field, limit int, wellFormed func(string) bool, stands func(f Field, text string) bool,
) Field {
	f.Value = strings.TrimSpace(f.Value)
	switch {
	case f.Value == "":
		return Field{}
	case !isPlain(f.Value) || !utf8.ValidString(f.Evidence):
		return v.refuse(name, NotText)
	case utf8.RuneCountInString(f.Value) > limit:
		return v.refuse(name, TooLong)
	case utf8.RuneCountInString(f.Evidence) > MaxEvidence:
		return v.refuse(name, EvidenceTooLong)
	case !wellFormed(f.Value):
		return v.refuse(name, Malformed)
	}
	if !slices.ContainsFunc(v.source.at(f.Where), func(text string) bool {
		return standsIn(f.Evidence, text) && stands(f, text)
	}) {
		return v.refuse(name, v.why(f))
	}
	if v.isOurs(name, f.Value) {
		return v.refuse(name, Ours)
	}
	f.Confidence = min(max(f.Confidence, 0), 100)
	return f
}

// isOurs tells whether a name or company is that of the business, whole or the
// most of it, or of one of its people. A first name is the sender's where From
// has it too.
func (v *validation) isOurs(field, value string) bool {
	if field != FieldName && field != FieldCompany {
		return false
	}
	several := len(strings.Fields(value)) > 1
	return slices.ContainsFunc(v.source.OurNames, func(ours string) bool {
		switch {
		case fold(value) == fold(ours), standsIn(ours, value), several && standsIn(value, ours):
			return true
		}
		return field == FieldName && standsIn(value, ours) && !standsIn(value, v.source.FromName)
	})
}

// why tells what an evidence is that is not one.
func (v *validation) why(f Field) string {
	s := v.source
	_, isReply := wish.CutReplyPrefix(s.Subject)
	switch {
	case standsIn(f.Evidence, s.Quoted), f.Where == InSubject && isReply && standsIn(f.Evidence, s.Subject):
		return OnlyQuoted
	case (f.Where == InVisible || f.Where == InSubject) && slices.ContainsFunc(s.at(f.Where), func(text string) bool {
		return standsIn(f.Evidence, text) && standsIn(f.Value, f.Evidence) && standsIn(f.Value, greetingsOf(seen(norm.NFKC.String(text))))
	}):
		return OnlyGreeting
	}
	return Unverified
}

// sender checks the sender's address, which besides standing in its evidence
// must be one that the sender can be believed to own.
func (v *validation) sender(f Field) Field {
	f = v.field(FieldSender, f, MaxEmail, isEmail, emailStands)
	if f.Value == "" {
		return f
	}
	s := v.source
	if SameAddress(f.Value, s.FromAddress) || SameAddress(f.Value, s.Given.Email) {
		return f
	}
	if SameAddress(f.Value, s.ReplyTo) {
		// Whoever can make a machine write can put anybody into Reply-To.
		if IsMachineAddress(s.FromAddress) {
			v.say(SenderRelayed)
		}
		return f
	}
	// A subject or a display name is no place to state one's address in.
	if !hasEmail(f.Value, s.Visible) && !hasEmail(f.Value, s.Signature) {
		return v.refuse(FieldSender, Unverified)
	}
	v.say(SenderDiffers)
	return f
}

// reviewReasons keeps the words of the list, sorted; for any other it keeps
// that there was one.
func reviewReasons(said []string) []string {
	known := append(ReviewReasons(), ReasonReader, ReasonPart, ReasonDisputed)
	out := []string{}
	for _, word := range said {
		if !slices.Contains(known, word) {
			word = ReasonReader
		}
		if !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	slices.Sort(out)
	return out
}

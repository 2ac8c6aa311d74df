package reader_test

import (
	"slices"
	"testing"

	"onefold/internal/reading/reader"
)

// believed validates one field of a source and gives what is left of it, with
// the reasons.
func believed(t *testing.T, s reader.Source, which string, f reader.Field) (string, []string) {
	t.Helper()
	r := reader.Record{Intent: reader.Other}
	switch which {
	case reader.FieldSender:
		r.SenderEmail = f
	case reader.FieldName:
		r.ContactName = f
	case reader.FieldCompany:
		r.Company = f
	case reader.FieldPhone:
		r.Phone = f
	default:
		t.Fatalf("no field %s", which)
	}
	got, reasons := reader.Validate(s, r)
	return got.SenderEmail.Value + got.ContactName.Value + got.Company.Value + got.Phone.Value, reasons
}

// tried is one text with what a reader makes of it; want is the reason for which
// that is not believed, or "".
type tried struct {
	rule, which, value, evidence string
	text                         string
	want                         string
}

func try(t *testing.T, where reader.Where, source func(text string) reader.Source, cases []tried) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			got, reasons := believed(t, source(c.text), c.which, field(c.value, c.evidence, where))
			want := c.value
			if c.want != "" && c.want != reader.SenderDiffers {
				want = ""
			}
			if got != want || !slices.Equal(reasons, words(c.want)) {
				t.Errorf("believed %q, reasons %v; want %q, %q", got, reasons, want, c.want)
			}
		})
	}
}

func written(text string) reader.Source {
	return reader.Source{Kind: "mail", FromAddress: "post@example.org", Visible: text}
}

func signed(text string) reader.Source {
	return reader.Source{Kind: "mail", FromAddress: "post@example.org", Signature: text}
}

func TestWhomAGreetingNamesIsNotTheSender(t *testing.T) {
	t.Parallel()
	const refused = "name_only_greeting"
	try(t, reader.InVisible, written, []tried{
		{"English", "name", "Anna", "Dear Anna", "Dear Anna,\nwhat does it cost?", refused},
		{"the name alone as evidence", "name", "Anna Berg", "Anna Berg", "Hello Anna Berg!\nWhat does it cost?", refused},
		{"German, with a title", "name", "Berg", "Frau Berg", "Sehr geehrte Frau Berg,\nwas kostet das?", refused},
		{"French", "name", "Anna Berg", "Chère Anna Berg", "Chère Anna Berg, combien ?", refused},
		{"Spanish", "name", "Anna", "Buenos días Anna", "Buenos días Anna:\n¿qué precio tiene?", refused},
		{"Italian", "name", "Anna Berg", "Anna Berg", "Gentile Anna Berg,\nquanto costa?", refused},
		{"Dutch", "name", "Anna", "Beste Anna", "Beste Anna,\nwat kost het?", refused},
		{"Polish", "name", "Anno", "Droga Anno", "Droga Anno,\nile to kosztuje?", refused},
		{"Swedish, on one line", "name", "Anna", "Hej Anna", "Hej Anna! Vad kostar det?", refused},
		{"Finnish", "name", "Anna", "Moi Anna", "Moi Anna,\nmitä se maksaa?", refused},
		{"Portuguese", "name", "Anna", "Olá Anna", "Olá Anna, quanto custa?", refused},
		{"not the first line", "name", "Anna", "Dear Anna", "Re your call.\n\nDear Anna,\nwhat does it cost?", refused},
		{"zero width in the greeting", "name", "Anna", "Anna", "De\u200bar Anna,\nwhat does it cost?", refused},
		{"a firm is greeted", "company", "Other Works Ltd", "Other Works Ltd", "Dear Other Works Ltd team,\nhello", "company_only_greeting"},
		{"the same name signs", "name", "Anna", "Anna", "Hi Anna,\nfunny that we share a name.\nAnna", ""},
		{"the sender after the greeting", "name", "Ben Stone", "Hi Anna, this is Ben Stone", "Hi Anna, this is Ben Stone of Hull.", ""},
		{"the sender after a bare greeting", "name", "Ben Stone", "Hello, Ben Stone here", "Hello, Ben Stone here.", ""},
		{"a mark behind the bare greeting", "name", "Ben Stone", "Hello! Ben Stone writing", "Hello! Ben Stone writing.", ""},
		{"a full stop behind it", "name", "Ben Stone", "Ben Stone", "Good morning. Ben Stone of Hull asks.", ""},
		{"a title's stop ends no greeting", "name", "Anna Berg", "Anna Berg", "Dear Dr. Anna Berg, what does it cost?", refused},
		{"two are greeted", "name", "Berg", "Herr Berg", "Sehr geehrte Frau Klein, sehr geehrter Herr Berg,\nwas kostet das?", refused},
		{"two are greeted, the sender after them", "name", "Ben Stone", "Ben Stone", "Dear Ms Klein, dear Mr Berg, Ben Stone of Hull asks.", ""},
		{"no mark between, but he says who he is", "name", "Ben Stone", "Ben Stone", "Hello my name is Ben Stone\nand I ask", ""},
		{"a word that only begins like a greeting", "name", "Hilda Berg", "Hilda Berg", "Hilda Berg asks what it costs.", ""},
		{"a name that greets elsewhere", "name", "Ola Nordmann", "Ola Nordmann", "Hva koster det?\nOla Nordmann", ""},
		{"with a mark it greets", "name", "Anna", "Ola Anna", "Ola Anna, cuanto es?", refused},
		{"a firm that begins so", "company", "Care Homes Ltd", "Care Homes Ltd", "We ask what it costs.\nCare Homes Ltd", ""},
		{"a long line is a sentence", "name", "Ben Stone", "Ben Stone", "Hello to all of you over there in Hull says old Ben Stone today", ""},
	})
}

func TestNobodyIsGreetedInASignatureOrAHeader(t *testing.T) {
	t.Parallel()
	s := reader.Source{Kind: "mail", FromName: "Dear Leader", FromAddress: "post@example.org", Signature: "Hello Berg\nHello Works Ltd, Hull"}
	for _, c := range []struct {
		which, value string
		where        reader.Where
	}{{"name", "Dear Leader", reader.InFrom}, {"name", "Hello Berg", reader.InSignature}, {"company", "Hello Works Ltd", reader.InSignature}} {
		if got, reasons := believed(t, s, c.which, field(c.value, c.value, c.where)); got != c.value {
			t.Errorf("%s in %s: %v", c.value, c.where, reasons)
		}
	}
}

func TestANameIsNotReadOutOfAnAddress(t *testing.T) {
	t.Parallel()
	s := reader.Source{
		Kind: "mail", FromName: "", FromAddress: "alex.morgan@halden.example", ReplyTo: "pat.quill@example.net",
		Visible: "Write to kim.sato@example.com or see https://www.works.example/about and www.halden.example.",
	}
	for _, c := range []struct {
		which, value, evidence string
		where                  reader.Where
	}{
		{"name", "Alex Morgan", "alex.morgan@halden.example", reader.InFrom},
		{"name", "Alex", "alex.morgan@halden.example", reader.InFrom},
		{"name", "Morgan", "morgan", reader.InFrom},
		{"name", "Pat", "pat.quill@example.net", reader.InReplyTo},
		{"name", "Kim", "kim", reader.InVisible},
		{"company", "Halden", "alex.morgan@halden.example", reader.InFrom},
		{"company", "Halden", "www.halden.example", reader.InVisible},
		{"company", "Works", "https://www.works.example/about", reader.InVisible},
	} {
		got, reasons := believed(t, s, c.which, field(c.value, c.evidence, c.where))
		if got != "" || !slices.Equal(reasons, words(c.which+"_unverified")) {
			t.Errorf("%s %q of %q in %s: believed %q, %v", c.which, c.value, c.evidence, c.where, got, reasons)
		}
	}
	s.FromName = "Alex Morgan"
	if got, reasons := believed(t, s, "name", field("Alex Morgan", "Alex Morgan <alex.morgan@halden.example>", reader.InFrom)); got == "" {
		t.Error(reasons)
	}
	s.Visible = "We are halden.example, a shop."
	if got, reasons := believed(t, s, "company", field("halden.example", "halden.example", reader.InVisible)); got == "" {
		t.Error("a firm called by its domain:", reasons)
	}
}

func TestNoNameIsPutTogetherFromTwoLines(t *testing.T) {
	t.Parallel()
	try(t, reader.InSignature, signed, []tried{
		{"first name and firm", "name", "Alex Morgan", "Alex\nMorgan Tools Ltd", "Alex\nMorgan Tools Ltd", "name_unverified"},
		{"the line end made a space", "name", "Alex Morgan", "Alex Morgan", "Alex\nMorgan Tools Ltd", "name_unverified"},
		{"firm and place", "company", "Halden Hull", "Halden\nHull", "Halden\nHull", "company_unverified"},
		{"an address between", "name", "Alex Morgan", "Alex alex@example.com Morgan", "Alex alex@example.com Morgan", "name_unverified"},
		{"one line of two as evidence", "name", "Alex Morgan", "Alex Morgan\nHalden Ltd", "Alex Morgan\nHalden Ltd", ""},
	})
	try(t, reader.InVisible, written, []tried{
		{"text may be broken anywhere", "name", "Ben Stone", "my name is Ben\nStone", "Hello,\nmy name is Ben\nStone and I ask", ""},
		{"a number on two lines", "phone", "020 7946 0958", "020 7946 0958", "Call 020 7946\n0958", "phone_unverified"},
		{"the lines between skipped", "name", "Ben Stone", "Ben Stone", "Ben\nand Kim\nStone", "name_unverified"},
	})
}

// NFKC makes equal what differs in width and form; letters of another script
// that look alike stay others (UTS #39).
func TestLookAlikesAreOtherLetters(t *testing.T) {
	t.Parallel()
	try(t, reader.InVisible, written, []tried{
		{"full width in the text", "name", "Alex Morgan", "Alex Morgan", "I am Ａｌｅｘ　Ｍｏｒｇａｎ of Hull", ""},
		{"a ligature", "name", "Griffin", "Griffin", "I am Gri\ufb03n of Hull", ""},
		{"decomposed accent", "name", "René Vidal", "René Vidal", "I am Rene\u0301 Vidal", ""},
		{"Cyrillic А for A", "name", "Alex Morgan", "Alex Morgan", "I am \u0410lex Morgan", "name_unverified"},
		{"Greek omicron in a firm", "company", "Halden Works", "Halden Works", "We are Halden W\u03bfrks", "company_unverified"},
		{"Cyrillic a in an address", "sender_email", "sam@example.com", "sam@example.com", "Write to s\u0430m@example.com", "sender_email_unverified"},
		{"the long s is another mailbox", "sender_email", "sam@example.com", "sam@example.com", "Write to \u017fam@example.com", "sender_email_unverified"},
		{"a dotted capital İ is another mailbox", "sender_email", "ivan@example.com", "ivan@example.com", "Write to \u0130van@example.com", "sender_email_unverified"},
		{"A to Z without case", "sender_email", "sam@example.com", "SAM@Example.com", "Write to SAM@Example.com", "sender_differs"},
		{"Arabic digits are not guessed", "phone", "0207946", "٠٢٠٧٩٤٦", "Call ٠٢٠٧٩٤٦", "phone_unverified"},
	})
	// From is the long s's mailbox: s's owner is somebody else, whom nobody may
	// be made to write to.
	s := reader.Source{Kind: "mail", FromAddress: "\u017fam@example.com"}
	if got, _ := believed(t, s, reader.FieldSender, field("sam@example.com", "\u017fam@example.com", reader.InFrom)); got != "" {
		t.Errorf("believed %q", got)
	}
}

func TestWhatNobodySeesPartsNothingAndSaysNothing(t *testing.T) {
	t.Parallel()
	try(t, reader.InVisible, written, []tried{
		{"zero width inside a word", "name", "Alex Morgan", "Alex Morgan", "I am Al\u200bex Mor\u2060gan", ""},
		{"zero width ends no word", "name", "Alex", "Alex", "I am Alex\u200bander Berg", "name_unverified"},
		{"zero width in the value", "name", "Al\u200bex Morgan", "Alex Morgan", "I am Alex Morgan", "name_not_text"},
		{"tag characters are no text", "name", "Eve", "Eve", "hello \U000E0045\U000E0076\U000E0065", "name_unverified"},
		{"evidence of tag characters", "name", "Eve", "\U000E0045\U000E0076\U000E0065", "hello Eve \U000E0045\U000E0076\U000E0065", "name_unverified"},
		{"zero width ends no number", "phone", "+44207946", "+44 20 7946", "Call +44 20 7946\u200b 0958", "phone_unverified"},
		{"zero width ends no address", "sender_email", "sam@example.com", "sam@example.com", "Write to sam@example.com\u200b.attack.example", "sender_email_unverified"},
		{"zero width begins no address", "sender_email", "sam@example.com", "sam@example.com", "Write to x\u200bsam@example.com", "sender_email_unverified"},
	})
}

func TestOneCharacterIsNoEvidence(t *testing.T) {
	t.Parallel()
	try(t, reader.InVisible, written, []tried{
		{"an article as a name", "name", "A", "A", "A price, please.", "name_malformed"},
		{"a pronoun as a name", "name", "I", "I", "I ask what it costs.", "name_malformed"},
		{"one Han character", "name", "的", "的", "我的公司", "name_malformed"},
		{"a letter with a dot", "name", "A.", "A.", "A. Berg", "name_malformed"},
		{"one digit as a firm", "company", "6", "6", "for 6 people", "company_malformed"},
		{"one sign", "name", ",", ",", "Hello, you", "name_malformed"},
		{"evidence of one character for more", "name", "Alex", "A", "I am Alex", "name_unverified"},
		{"two letters are a name", "name", "Al", "Al", "Regards, Al", ""},
	})
}

func TestPhoneSeparatorsAreNoPartOfTheNumber(t *testing.T) {
	t.Parallel()
	try(t, reader.InSignature, signed, []tried{
		{"dots", "phone", "+442079460958", "+44.20.7946.0958", "T +44.20.7946.0958", ""},
		{"slash and dash", "phone", "020 7946 0958", "020/7946-0958", "Tel 020/7946-0958", ""},
		{"brackets", "phone", "+442079460958", "+44 (20) 7946-0958", "+44 (20) 7946-0958", ""},
		{"double zero for plus", "phone", "+442079460958", "0044 20 7946 0958", "0044 20 7946 0958", ""},
		{"no-break space", "phone", "+442079460958", "+44 20 7946 0958", "+44\u00a020\u00a07946\u00a00958", ""},
		{"narrow no-break space", "phone", "+33199001234", "+33 1 99 00 12 34", "+33\u202f1\u202f99\u202f00\u202f12\u202f34", ""},
		{"thin space, as written", "phone", "01\u200999\u200900\u200912\u200934", "01\u200999\u200900\u200912\u200934", "Tél. 01\u200999\u200900\u200912\u200934", ""},
		{"middle dot and minus sign", "phone", "02079460958", "020\u00b77946\u22120958", "020\u00b77946\u22120958", ""},
		{"two numbers are not one", "phone", "020794609580", "020 7946 0958, 0", "020 7946 0958, 0", "phone_unverified"},
		{"letters between", "phone", "02079460958", "020 call 7946 0958", "020 call 7946 0958", "phone_unverified"},
		{"the end of a longer one", "phone", "7946 0958", "7946 0958", "+44 20 7946 0958", "phone_unverified"},
	})
}

func TestTheSubjectOfAnAnswerIsNobodysWord(t *testing.T) {
	t.Parallel()
	titled := func(subject string) reader.Source {
		return reader.Source{Kind: "mail", FromAddress: "post@example.org", Subject: subject}
	}
	try(t, reader.InSubject, titled, []tried{
		{"an own subject", "company", "Halden Ltd", "Halden Ltd", "Offer for Halden Ltd", ""},
		{"an answer", "company", "Halden Ltd", "Halden Ltd", "Re: Offer for Halden Ltd", "company_only_quoted"},
		{"an answer in German", "company", "Halden Ltd", "Halden Ltd", "AW: Angebot Halden Ltd", "company_only_quoted"},
		{"a forwarded mail", "name", "Pat Quill", "Pat Quill", "Fwd: from Pat Quill", "name_only_quoted"},
		{"greeted in the subject", "name", "Anna Berg", "Anna Berg", "Dear Anna Berg", "name_only_greeting"},
	})
}

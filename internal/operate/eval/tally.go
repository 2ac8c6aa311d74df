package eval

import (
	"maps"
	"slices"

	"onefold/internal/reading/reader"
)

// share counts hits among trials.
type share struct{ hits, of int }

func (s *share) count(hit bool) {
	s.of++
	if hit {
		s.hits++
	}
}

func (s share) ratio() Ratio { return RatioOf(s.hits, s.of) }

// tally is the counting of one set of mails.
type tally struct {
	precision, recall, abstained    map[string]*share
	intents, wishes, classes        Counts
	heard, plainHeard, doubtHeard   share
	plainRight, holdRight           share
	classRight, enquiries, isLabels share
	reviewRight, reviewFound, rate  share
}

const intentField = "intent"

func newTally() *tally {
	t := &tally{
		precision: map[string]*share{}, recall: map[string]*share{}, abstained: map[string]*share{},
		intents: Counts{}, wishes: Counts{}, classes: Counts{},
	}
	for _, f := range fields() {
		t.open(f.name)
	}
	t.open(intentField)
	return t
}

func (t *tally) open(name string) {
	t.precision[name], t.recall[name], t.abstained[name] = &share{}, &share{}, &share{}
}

func (t *tally) take(l Labels, o Outcome) {
	if l.Class.FieldsCount() {
		for _, f := range fields() {
			labels, said := f.labels(l), f.said(o)
			t.takeField(f.name, len(labels) > 0, said != "", f.agrees(said, labels))
		}
		t.takeField(intentField, l.Intent != reader.Other, o.Intent != reader.Other, l.Intent == o.Intent)
		t.intents.add(string(l.Intent), string(o.Intent))
	}
	t.takeWish(l.OptOut, o.OptOut)
	t.classes.add(string(l.Class), string(o.Class))
	t.classRight.count(l.Class == o.Class)
	if o.Class == Enquiry {
		t.enquiries.count(l.Class == Enquiry)
	}
	if l.Class == Enquiry {
		t.isLabels.count(o.Class == Enquiry)
	}
	t.rate.count(o.Review)
	if o.Review {
		t.reviewRight.count(l.NeedsReview)
	}
	if l.NeedsReview {
		t.reviewFound.count(o.Review)
	}
}

func (t *tally) takeField(name string, labelled, said, agree bool) {
	right := labelled && said && agree
	if said {
		t.precision[name].count(right)
	}
	if labelled {
		t.recall[name].count(right)
	}
	t.abstained[name].count(!said)
}

func (t *tally) takeWish(label, said Wish) {
	t.wishes.add(string(label), string(said))
	switch label {
	case Plain:
		t.heard.count(said != None)
		t.plainHeard.count(said == Plain)
	case Doubtful:
		t.doubtHeard.count(said != None)
	case None:
	}
	if said == Plain {
		t.plainRight.count(label == Plain)
	}
	if said != None {
		t.holdRight.count(label != None)
	}
}

func (t *tally) field(name string) FieldScore {
	return FieldScore{name, t.precision[name].ratio(), t.recall[name].ratio(), t.abstained[name].ratio()}
}

func (t *tally) fill(r *Report) {
	for _, f := range fields() {
		r.Fields = append(r.Fields, t.field(f.name))
	}
	r.Intent, r.IntentTable = t.field(intentField), t.intents
	r.OptOut = OptOutScore{
		t.heard.ratio(), t.plainHeard.ratio(), t.plainRight.ratio(), t.holdRight.ratio(), t.doubtHeard.ratio(), t.wishes,
	}
	r.Class = ClassScore{t.classRight.ratio(), t.enquiries.ratio(), t.isLabels.ratio(), t.classes}
	r.Review = ReviewScore{t.reviewRight.ratio(), t.reviewFound.ratio(), t.rate.ratio()}
}

func languageScores(of map[string]*tally) []LanguageScore {
	out := []LanguageScore{}
	for _, language := range slices.Sorted(maps.Keys(of)) {
		t := of[language]
		out = append(out, LanguageScore{
			language, t.rate.of, t.recall[reader.FieldName].ratio(), t.recall[intentField].ratio(), t.heard.ratio(),
		})
	}
	return out
}

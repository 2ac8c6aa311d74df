package scenario_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"onefold/internal/crm"
	"onefold/internal/operate/intake"
)

// dayOne plays what comes before the first mail: "record" puts a contact into the
// CRM, as its people would; "import" takes a list in, that of the CRM without
// words, else a file with an address in each row, whose "!" says that its person
// wants no mail. Who gets no answer runs it again, as operators do.
func (w *world) dayOne(s step) {
	if s.verb == "record" {
		w.cabinet.order = append(w.cabinet.order, &record{id: fmt.Sprintf("contact%d", len(w.cabinet.order)+1), contact: crm.Contact{Email: s.words[0]}})
		return
	}
	w.jobs = append(w.jobs, &job{role: "operator", key: "operator/" + fmt.Sprint(len(w.trace)+len(w.jobs)), tries: 8, wait: time.Minute, work: func(ctx context.Context) error {
		service := intake.Service{Store: store{w.base, w}, Policies: w.sys.Policies, IDs: w.ids, Now: time.Now, By: "person:admin"}
		list := intake.List{Tenant: tenantID, Apply: true, Entries: rowsOf(s.words)}
		if len(s.words) == 0 {
			list.CRM, list.Entries = w.cabinet.Capabilities().Name, w.cabinet.list()
		}
		_, err := service.Run(ctx, list)
		return err
	}})
}

func rowsOf(words []string) iter.Seq2[intake.Entry, error] {
	return func(yield func(intake.Entry, error) bool) {
		for n, word := range words {
			address, out := strings.CutSuffix(word, "!")
			if !yield(intake.Entry{Row: n + 2, Emails: []string{address}, OptedOut: out}, nil) {
				return
			}
		}
	}
}

// list gives the contacts of the CRM.
func (c *cabinet) list() iter.Seq2[intake.Entry, error] {
	return func(yield func(intake.Entry, error) bool) {
		for _, r := range c.order {
			if r.contact.Email != "" && !yield(intake.Entry{Record: r.id, Ref: r.ref, Emails: []string{r.contact.Email}, Name: r.contact.Name}, nil) {
				return
			}
		}
	}
}

// TestAnImportSurvivesEachFault: at each of its calls, in each way, the list is
// there once when it has been run again, and who is on it is mailed, filed and
// left alone as if nothing had happened.
func TestAnImportSurvivesEachFault(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, k := range knownScenarios(t) {
		if k.file.name != "day-one" {
			continue
		}
		for _, s := range singles(k.file, k.clean) {
			for name := range s.faults {
				if !strings.HasPrefix(name, "operator: ") {
					continue
				}
				tried++
				if _, broken := check(t, k.file, s, k.clean); len(broken) > 0 {
					t.Errorf("%v\nagain: %s", broken, s)
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d faults of an import were tried", tried)
	}
}

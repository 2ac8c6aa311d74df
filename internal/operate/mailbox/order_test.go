package mailbox_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/operate/mailbox"
	"onefold/internal/operate/mailbox/planted"
)

// The order of the messages in the file changes nothing but their numbers.
func TestTheOrderOfTheFileChangesNoFinding(t *testing.T) {
	t.Parallel()
	box, o := planted.Sample(), options(t)
	want := withoutPositions(t, audited(t, box.File(nil), o))
	for seed := range uint64(8) {
		o.Workers = 1 + int(seed%4)
		order := rand.New(rand.NewPCG(seed, 0)).Perm(len(box.Mails()))
		if got := withoutPositions(t, audited(t, box.File(order), o)); got != want {
			t.Errorf("in the order of seed %d the report differs", seed)
		}
	}
}

// withoutPositions is a report as JSON, each position set to 0.
func withoutPositions(t *testing.T, r mailbox.Report) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		t.Fatal(err)
	}
	zero(tree)
	if b, err = json.Marshal(tree); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func zero(tree any) {
	switch v := tree.(type) {
	case map[string]any:
		for k := range v {
			if k == "position" {
				v[k] = 0
			}
			zero(v[k])
		}
	case []any:
		for _, x := range v {
			zero(x)
		}
	}
}

// Every message is in exactly one kind, whatever the bytes are.
func TestEveryMessageIsInOneKind(t *testing.T) {
	t.Parallel()
	line := rapid.SampledFrom([]string{
		"From a@example.com Mon Jan  5 10:00:00 2026", "From: Pat Quill <pat@customer.example>", "From: hello@demo.example", "Subject: stop",
		"To: hello@demo.example", "", "Please unsubscribe me.", "Do you rent out tents?", "Message-ID: <1@example.com>", "\x00\xff\xfe", "Date: Mon, 5 Jan 2026 10:00:00 +0000",
		"Reply-To: pat@customer.example", "Auto-Submitted: auto-replied", "Date: Fri, 31 Dec 99999 00:00:00 +0000",
	})
	o := options(t)
	rapid.Check(t, func(rt *rapid.T) {
		file := ""
		for _, l := range rapid.SliceOfN(line, 0, 60).Draw(rt, "lines") {
			file += l + "\n"
		}
		m := audited(t, []byte(file), o).Mailbox
		sum, decided := 0, 0
		for _, n := range m.Kinds {
			sum += n
		}
		for _, n := range m.Outcomes {
			decided += n
		}
		if sum != m.Messages || decided != m.Messages {
			rt.Errorf("%d messages, %d in kinds %v, %d decided", m.Messages, sum, m.Kinds, decided)
		}
	})
}

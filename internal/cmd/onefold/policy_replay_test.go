package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"onefold/internal/blob"
	"onefold/internal/extract"
	"onefold/internal/ledger"
	"onefold/internal/local"
	"onefold/internal/operate/stage"
	"onefold/internal/operate/whatif"
	"onefold/internal/policy/tenant"
	"onefold/internal/proof/localaws/localawstest"
	"onefold/internal/reading/reader/rules"
	"onefold/internal/record/audit"
	"onefold/internal/record/inbound"
	"onefold/internal/schema"
	"onefold/internal/utc"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
)

// received brings up a system that has decided a few mails, one of them of
// somebody who is known.
func received(t *testing.T) (*local.System, string) {
	t.Helper()
	s, folder := system(t)
	sender, err := s.Sender(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, from := range []string{"alex@customer.example", "kim@customer.example", "alex@customer.example", "eve@spam.example"} {
		body := strings.NewReplacer("alex@customer.example", from, "<m1@", fmt.Sprintf("<m%d@", i), "Alex Morgan", "Morgan").Replace(enquiry)
		if r, err := sender.Send(t.Context(), local.Outgoing{
			Endpoint: "mail", EnvelopeFrom: from, EnvelopeTo: "hello@demo.example", Body: []byte(body),
		}); err != nil || r.Status != 200 {
			t.Fatalf("delivery: %+v, %v", r, err)
		}
		if err := s.WaitQuiet(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	return s, folder
}

func TestAPolicyIsReplayedByWhoeverHoldsTheLedger(t *testing.T) {
	t.Parallel()
	s, folder := received(t)
	steps := func() {
		t.Helper()
		diff := func(args ...string) said {
			return onefold(t, "", append([]string{"policy", "diff", "-data", folder, "-replay", "1d"}, args...)...)
		}
		same := policyFile(t, "1", "draft")
		diff(same).want(t, exitDone, "nothing written: 4 events\n       4 the same\n       0 changed\n", "")
		auto := diff(policyFile(t, "2", "auto"))
		// The second mail of somebody within the fold window folds under both.
		auto.want(t, exitDone, "       1 the same\n       3 changed\n\nfollow_up → follow_up (review, mode, operations): 3\n", "")
		if !strings.HasPrefix(auto.stdout, "data folder: ") || !strings.Contains(auto.stdout, "  rules welcome mode: ") || strings.Count(auto.stdout, "mode draft → auto") != 3 {
			t.Errorf("said %s", auto.stdout)
		}
		few := diff("-limit", "1", policyFile(t, "2", "auto"))
		few.want(t, exitDone, "listed are the earliest 1; 2 more: -limit 0 lists all\n", "")
		if strings.Count(few.stdout, "mode draft → auto") != 1 {
			t.Errorf("said %s", few.stdout)
		}
		got := diff("-json", policyFile(t, "2", "observe"))
		got.want(t, exitDone, "", "")
		var out struct {
			InForce int64 `json:"in_force"`
			Replay  struct {
				Seen, Same, Changed int
				Complete            bool
				Changes             []struct {
					Event   string
					To      struct{ Outcome, Mode string }
					Differs []struct{ What, From, To string }
				}
			}
		}
		if err := json.Unmarshal([]byte(got.stdout), &out); err != nil {
			t.Fatalf("%v: %s", err, got.stdout)
		}
		r := out.Replay
		if out.InForce != 1 || r.Seen != 4 || r.Changed != 3 || !r.Complete || len(r.Changes) != 3 || r.Changes[0].To.Outcome != "observed" {
			t.Fatalf("said %+v", out)
		}
		onefold(t, "", "explain", "-data", folder, "-event", r.Changes[0].Event).want(t, exitDone, r.Changes[0].Event, "")
		onefold(t, "", "policy", "diff", "-data", folder, "-replay", "1ms", same).want(t, exitDone, "nothing written: 0 events\n", "")
		diff(policyFile(t, "2", "always")).want(t, exitFailed, "/rules/0/mode: ", "is not a valid policy")
		onefold(t, "", "verify", "-data", folder).want(t, exitDone, "", "")
	}
	steps()
	s.Stop(context.Background())
	steps()
}

func TestAnEventThatIsDecidedOtherwiseThanItWasIsAFault(t *testing.T) {
	t.Parallel()
	s, folder := received(t)
	s.Stop(context.Background())
	o, err := local.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	page, err := o.Store.Scan(t.Context(), ledger.Scan{Table: ledger.Event.Table(), Segments: 1, Limit: ledger.MaxPage})
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, it := range page.Items {
		if k := ledger.KeyOf(it); k.Entity == ledger.Event && changed == 0 {
			changed++
			var c ledger.Commit
			if err := c.Update("event", k, ledger.Cond{}, ledger.Item{"ground": strings.Replace(it.Text("ground"), `"o":"`, `"o":"not_`, 1)}); err != nil {
				t.Fatal(err)
			}
			if err := o.Store.Commit(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := o.Close(); err != nil || changed != 1 {
		t.Fatal(err)
	}
	got := onefold(t, "", "policy", "diff", "-data", folder, "-replay", "12h", policyFile(t, "2", "auto"))
	got.want(t, exitFailed, "       1 decided otherwise than they were, under their own policy\n", "error: events that are decided otherwise than they were, under their own policy: 1")
	if !strings.Contains(got.stdout, "\nfault: event mail/hello@demo.example/") {
		t.Errorf("said %s", got.stdout)
	}
}

// Old rows have no ground: they are counted, and are no error.
func TestAReplayWorksOnADeployedStage(t *testing.T) {
	t.Parallel()
	run := onStageOf(t, "replay")
	c, err := stage.Connect(t.Context(), stage.Place{Stage: "replay", Endpoint: localawstest.ForTest(t).Endpoint()})
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run("", "policy", "apply", "-yes", policyFile(t, "1", "draft")).want(t, exitDone, "applied", "")
	// A first look, at what was decided without a ground and at what is not decided.
	recordedOn(t, o, "old", inbound.Decided)
	fresh := recordedOn(t, o, "fresh", inbound.Recorded)
	got := run("", "policy", "diff", "-replay", "1h", policyFile(t, "1", "draft"))
	got.want(t, exitDone, "nothing written: 2 events\n       0 the same\n       0 changed\n       1 cannot be told\n       1 not decided yet, or parked\n", "stage replay in account")
	if !strings.Contains(got.stdout, "no_ground                decided before grounds were kept\n") {
		t.Errorf("said %s", got.stdout)
	}
	// What is decided now has one.
	bucket := schema.RawBucket("replay", c.Account, c.Region)
	s3 := awss3.NewFromConfig(c.Config, func(o *awss3.Options) { o.UsePathStyle = true })
	if _, err := s3.CreateBucket(t.Context(), &awss3.CreateBucketInput{Bucket: &bucket}); err != nil {
		t.Fatal(err)
	}
	item, err := o.Store.Get(t.Context(), fresh)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Blob.Put(t.Context(), blob.Ref(item.Text("raw")), []byte(enquiry)); err != nil {
		t.Fatal(err)
	}
	worker := &extract.Service{
		Store: o.Store, Blob: o.Blob, Policies: o.Policies, Reader: rules.New(), IDs: o.IDs, Now: time.Now, Timeout: 30 * time.Second, Log: slog.New(slog.DiscardHandler),
	}
	if err := worker.Handle(t.Context(), ledger.Change{Key: fresh, Item: item}); err != nil {
		t.Fatal(err)
	}
	run("", "policy", "diff", "-replay", "1h", policyFile(t, "2", "auto")).
		want(t, exitDone, "       0 the same\n       1 changed\n       1 cannot be told\n", "")
}

// recordedOn puts down an event, received now.
func recordedOn(t *testing.T, o *stage.Opened, delivery, state string) ledger.Key {
	t.Helper()
	now := utc.At(time.Now())
	id := "mail/inbox/" + delivery
	e := inbound.Event{
		Tenant: "demo", ID: id, Source: "mail", Content: tenant.ContentMail, Mailbox: "inbox", DeliveryID: delivery,
		Raw: string(blob.RefOf("demo", id, []byte(enquiry))), ReceivedAt: now, State: state, Transition: 1, NotBefore: now,
	}
	k := ledger.Event.At("demo", id)
	var c ledger.Commit
	if err := c.Insert(ledger.Step{Key: k, Event: "record", Audit: audit.Record{At: now, By: "test"}}, e, ""); err != nil {
		t.Fatal(err)
	}
	if err := o.Store.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return k
}

func TestAReplayThatEndsEarlySaysHowFarItCameAndWhatToDo(t *testing.T) {
	t.Parallel()
	half := whatif.Report{Seen: 7, Rows: 1000, Segment: 1, Segments: 8}
	const far = "7 events were decided again, 1000 rows read, and part 2 of 8 was not done"
	ended, end := context.WithCancel(t.Context())
	end()
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		want string
	}{
		"interrupted": {ended, context.Canceled, "error: interrupted: " + far + "\nonefold: hint: nothing was written"},
		"no rights":   {t.Context(), fmt.Errorf("%w: AccessDenied", whatif.ErrContent), "AccessDenied; " + far + "\nonefold: hint: reading raw content needs s3:GetObject"},
		"unavailable": {t.Context(), errors.New("down"), "error: down; " + far},
	} {
		var stderr strings.Builder
		e := &env{ctx: c.ctx, stdout: io.Discard, stderr: &stderr, place: stage.Place{Stage: "prod"}}
		if code := e.report((&policyDiffCmd{}).judge(e, half, c.err)); code != exitFailed || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%s: %d, %s", name, code, stderr.String())
		}
	}
}

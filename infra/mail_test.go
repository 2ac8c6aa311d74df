package main

import (
	"slices"
	"strings"
	"testing"
)

func only(t *testing.T, ts templates, kind string) resource {
	t.Helper()
	rs := ts.of(kind)
	if len(rs) != 1 {
		t.Fatalf("%d of %s", len(rs), kind)
	}
	return rs[0]
}

func TestTheActiveReceiptRuleSetIsJoinedNotOwned(t *testing.T) {
	ts := synth(t)
	if n := len(ts.of("AWS::SES::ReceiptRuleSet")); n != 0 {
		t.Errorf("%d rule sets: one that goes takes the mail of others with it", n)
	}
	rule := only(t, ts, "AWS::SES::ReceiptRule")
	if got := written(rule.Properties["RuleSetName"]); got != "of-everybody" {
		t.Errorf("it joins %q", got)
	}
	r := rule.Properties["Rule"].(map[string]any)
	if written(r["Recipients"]) != `["in.example.com"]` {
		t.Errorf("it takes the mail of %s", written(r["Recipients"]))
	}
	for _, a := range listOf(r["Actions"]) {
		if a.(map[string]any)["StopAction"] != nil {
			t.Error("it stops the rules of others")
		}
	}
	for _, r := range ts.of("AWS::IAM::Role") {
		for _, word := range []string{"ReceiptRuleSet", "ses:*"} {
			if strings.Contains(written(r.Properties["Policies"]), word) {
				t.Errorf("a role may %s", word)
			}
		}
	}
}

// An SNS action bounces mail of more than 150 KB, and a KMS key in the S3
// action encrypts for SDKs other than Go's.
func TestMailIsStoredBeforeItIsAnnouncedAndWhole(t *testing.T) {
	rule := only(t, synth(t), "AWS::SES::ReceiptRule")
	r := rule.Properties["Rule"].(map[string]any)
	actions := listOf(r["Actions"])
	if len(actions) != 1 {
		t.Fatalf("actions %s", written(actions))
	}
	s3, ok := actions[0].(map[string]any)["S3Action"].(map[string]any)
	if !ok || s3["KmsKeyArn"] != nil || written(s3["ObjectKeyPrefix"]) != inboundPrefix || written(s3["TopicArn"]) != "<MailTopic>" {
		t.Errorf("action %s", written(actions[0]))
	}
	if r["Enabled"] != true || r["ScanEnabled"] != true {
		t.Errorf("rule %s", written(r))
	}
	for _, needed := range []string{"MailBucketPolicy", "MailTopicPolicy"} {
		if !slices.Contains(rule.DependsOn, needed) {
			t.Errorf("it may be made before %s, and SES tries them when it is made", needed)
		}
	}
}

// CloudFormation makes and deletes side by side what no dependency orders. A
// rule without its subscription stores mail and tells nobody of it, when a stage
// is made, wakes up or falls asleep under an MX record that leads to it.
func TestAnAnnouncementThatNobodyIsSubscribedTo(t *testing.T) {
	for name, ts := range map[string]templates{"one region": synth(t), "two": synthWith(t, elsewhere())} {
		for kind, needed := range map[string][]string{
			"AWS::SES::ReceiptRule":                      {"MailToQueue", "UndeliveredPolicy"},
			"AWS::SES::ConfigurationSetEventDestination": {"FeedbackToQueue", "UndeliveredPolicy", "FeedbackTopicPolicy"},
		} {
			r := only(t, ts, kind)
			for _, id := range needed {
				if !slices.Contains(r.DependsOn, id) {
					t.Errorf("%s: SES may publish for %s before %s is there, or after it has gone", name, kind, id)
				}
			}
		}
	}
}

func TestASenderMayBeRefusedWithoutTLS(t *testing.T) {
	for want, ts := range map[string]templates{"Optional": synth(t), "Require": synthWith(t, elsewhere())} {
		rule := only(t, ts, "AWS::SES::ReceiptRule")
		if got := written(rule.Properties["Rule"].(map[string]any)["TlsPolicy"]); got != want {
			t.Errorf("%s where %s is to be", got, want)
		}
	}
}

func TestOnlySESOfThisAccountPublishes(t *testing.T) {
	ts := synth(t)
	stack := ts["onefold-prod-mail"]
	for topic, source := range map[string]string{
		"MailTopicPolicy":     ":receipt-rule-set/of-everybody:receipt-rule/onefold-prod",
		"FeedbackTopicPolicy": ":configuration-set/onefold-prod",
	} {
		doc := stack.Resources[topic].Properties["PolicyDocument"].(map[string]any)
		var allows []map[string]any
		for _, s := range listOf(doc["Statement"]) {
			if st := s.(map[string]any); st["Effect"] == "Allow" {
				allows = append(allows, st)
			}
		}
		if len(allows) != 1 {
			t.Fatalf("%s allows %d times", topic, len(allows))
		}
		cond := allows[0]["Condition"].(map[string]any)
		from := written(cond["ArnLike"].(map[string]any)["aws:SourceArn"])
		account := written(cond["StringEquals"].(map[string]any)["aws:SourceAccount"])
		if written(allows[0]["Principal"].(map[string]any)["Service"]) != "ses.amazonaws.com" || !strings.HasSuffix(from, source) || account != "<AWS::AccountId>" {
			t.Errorf("%s lets %s for %s", topic, written(allows[0]), from)
		}
	}
}

func TestEveryEventThatIsEvidenceIsAskedFor(t *testing.T) {
	d := only(t, synth(t), "AWS::SES::ConfigurationSetEventDestination").Properties["EventDestination"].(map[string]any)
	var got []string
	for _, e := range listOf(d["MatchingEventTypes"]) {
		got = append(got, written(e))
	}
	slices.Sort(got)
	want := []string{"bounce", "complaint", "delivery", "deliveryDelay", "reject", "renderingFailure", "send"}
	if !slices.Equal(got, want) || d["Enabled"] != true {
		t.Errorf("events %v, enabled %v", got, d["Enabled"])
	}
}

func TestNotificationsReachTheQueuesOfTheCoreStack(t *testing.T) {
	for name, c := range map[string]struct {
		change map[string]any
		region string
	}{
		"in one region": {nil, "<AWS::Region>"},
		"in two":        {map[string]any{"region": "eu-central-1", "mailRegion": "eu-west-1", "sesRegion": "eu-west-1"}, "eu-central-1"},
	} {
		ts := synthWith(t, c.change)
		var ends []string
		for _, s := range ts["onefold-prod-mail"].Resources {
			if s.Type == "AWS::SNS::Subscription" && s.Properties["Protocol"] == "sqs" {
				ends = append(ends, written(s.Properties["Endpoint"]))
				if s.Properties["RedrivePolicy"] == nil {
					t.Errorf("%s: what SNS gives up is lost", name)
				}
			}
		}
		slices.Sort(ends)
		start := "arn:<AWS::Partition>:sqs:" + c.region + ":<AWS::AccountId>:onefold-prod-"
		if !slices.Equal(ends, []string{start + queueFeedback, start + queueMail}) {
			t.Errorf("%s: %v", name, ends)
		}
	}
}

func TestSendingInAnotherRegionHasAStackThere(t *testing.T) {
	ts := synthWith(t, elsewhere())
	has := func(stack, kind string) bool {
		for _, r := range ts[stack].Resources {
			if r.Type == kind {
				return true
			}
		}
		return false
	}
	if !has("onefold-prod-mail", "AWS::SES::ReceiptRule") || has("onefold-prod-mail", "AWS::SES::ConfigurationSet") {
		t.Error("the mail stack is to receive alone")
	}
	if !has("onefold-prod-ses", "AWS::SES::ConfigurationSet") || has("onefold-prod-ses", "AWS::SES::ReceiptRule") {
		t.Error("the other one is to send alone")
	}
}

func TestADormantMailStackKeepsMailAndIdentity(t *testing.T) {
	stack := synthWith(t, map[string]any{"dormant": "true"})["onefold-prod-mail"]
	var kinds []string
	for _, r := range stack.Resources {
		kinds = append(kinds, r.Type)
		if r.DeletionPolicy != "Retain" && r.DeletionPolicy != "RetainExceptOnCreate" {
			t.Errorf("%s is not kept", r.Type)
		}
	}
	slices.Sort(kinds)
	want := []string{"AWS::KMS::Alias", "AWS::KMS::Key", "AWS::S3::Bucket", "AWS::S3::BucketPolicy", "AWS::SES::EmailIdentity"}
	if !slices.Equal(kinds, want) {
		t.Errorf("it has %v", kinds)
	}
}

func TestTheOutputsNameEveryRecordOfDNS(t *testing.T) {
	outputs := synth(t)["onefold-prod-mail"].Outputs
	for id, part := range map[string]string{
		"MX": "in.example.com. MX 10 inbound-smtp.", "DKIM1": " CNAME ", "DKIM2": " CNAME ", "DKIM3": " CNAME ",
		"MailFromMX": "bounce.in.example.com. MX 10 feedback-smtp.", "MailFromSPF": "v=spf1", "DMARC": "_dmarc.in.example.com.",
	} {
		if v := written(outputs[id].Value); !strings.Contains(v, part) {
			t.Errorf("%s is %q", id, v)
		}
	}
}

func TestMailOutlivesBothQueues(t *testing.T) {
	bucket := synth(t)["onefold-prod-mail"].Resources["MailBucket"]
	rules := listOf(bucket.Properties["LifecycleConfiguration"].(map[string]any)["Rules"])
	days := rules[0].(map[string]any)["ExpirationInDays"].(float64)
	if longest := 2 * retention.Hours() / 24; days <= longest {
		t.Errorf("mail goes after %v days, and word of it may wait %v", days, longest)
	}
}

func TestTheRulesOfCDKNagFindNothingInTheStacksOfSES(t *testing.T) {
	for _, change := range []map[string]any{nil, elsewhere()} {
		a, err := assemble(change)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.findings {
			t.Error(f)
		}
	}
}

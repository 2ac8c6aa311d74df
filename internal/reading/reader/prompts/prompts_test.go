package prompts_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"testing"

	"onefold/internal/reading/reader"
	"onefold/internal/reading/reader/prompts"
)

// A word that changes here is another reader under the same name: answers that
// are stored would pass for its own. Whoever changes one makes a new version.
func TestAVersionNeverChanges(t *testing.T) {
	t.Parallel()
	locked := map[string]string{
		"1": "067e68aa9fc325d9aae251bdc331e9a72b5d5a0c08481886eac851247685be0b",
	}
	p := prompts.Current()
	shown := prompts.Show(reader.Source{
		Kind: "mail", FromName: "Ada", FromAddress: "ada@example.org", ReplyTo: "ada@example.net", Subject: "S",
		Visible: "V", Signature: "G", Quoted: "Q", Given: reader.Given{Email: "e@example.org", Name: "N", Company: "C", Phone: "P"},
	})
	h := sha256.New()
	for _, text := range []string{p.System, p.Schema, p.Name, shown.Text} {
		h.Write([]byte(text))
		h.Write([]byte{0})
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != locked[p.Version] {
		t.Errorf("version %s is %s, was %s", p.Version, got, locked[p.Version])
	}
}

func TestTheSchemaOffersTheWordsThatValidationKnows(t *testing.T) {
	t.Parallel()
	type enum struct {
		Enum []string `json:"enum"`
	}
	var schema struct {
		Properties struct {
			Intent  enum `json:"intent"`
			Reasons struct {
				Items enum `json:"items"`
			} `json:"review_reasons"`
		} `json:"properties"`
		Defs struct {
			Field struct {
				Properties struct {
					Where enum `json:"where"`
				} `json:"properties"`
			} `json:"field"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(prompts.Current().Schema), &schema); err != nil {
		t.Fatal(err)
	}
	var intents []string
	for _, i := range reader.Intents() {
		intents = append(intents, string(i))
	}
	places := []string{
		string(reader.InVisible), string(reader.InSignature), string(reader.InSubject), string(reader.InFrom), string(reader.InReplyTo), string(reader.InForm),
	}
	for name, pair := range map[string][2][]string{
		"intents": {schema.Properties.Intent.Enum, intents}, "reasons": {schema.Properties.Reasons.Items.Enum, reader.ReviewReasons()},
		"places": {schema.Defs.Field.Properties.Where.Enum, places},
	} {
		slices.Sort(pair[0])
		slices.Sort(pair[1])
		if !slices.Equal(pair[0], pair[1]) {
			t.Errorf("%s: the schema has %v, validation %v", name, pair[0], pair[1])
		}
	}
}

package bedrock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"onefold/internal/reading/reader"
)

// field and record are the schema's shape of an answer.
type field struct {
	Value      string       `json:"value"`
	Confidence int64        `json:"confidence"`
	Evidence   string       `json:"evidence"`
	Where      reader.Where `json:"where"`
}

type record struct {
	SenderEmail      *field        `json:"sender_email"`
	ContactName      *field        `json:"contact_name"`
	Company          *field        `json:"company"`
	Phone            *field        `json:"phone"`
	Intent           reader.Intent `json:"intent"`
	PossibleOptOut   bool          `json:"possible_opt_out"`
	NeedsHumanReview bool          `json:"needs_human_review"`
	ReviewReasons    []string      `json:"review_reasons"`
}

func (f *field) value() reader.Field {
	if f == nil {
		return reader.Field{}
	}
	return reader.Field(*f)
}

// answer takes the record out of an answer that stopped as it should.
func (r *Reader) answer(out *bedrockruntime.ConverseOutput) (reader.Record, *reader.NoAnswer) {
	want := types.StopReasonEndTurn
	if r.cfg.Output == Tool {
		want = types.StopReasonToolUse
	}
	if out.StopReason != want {
		return reader.Record{}, stopped(out.StopReason)
	}
	text, err := r.text(out)
	if err == nil {
		var rec reader.Record
		if rec, err = r.decode(text); err == nil {
			return rec, nil
		}
	}
	return reader.Record{}, &reader.NoAnswer{Outcome: reader.Garbled, Reason: reasonGarbled}
}

var errShape = errors.New("bedrock: an answer of another shape")

// text is the JSON of an answer: the one text, or the input of the one tool.
// What a model thought before it answered is not looked at.
func (r *Reader) text(out *bedrockruntime.ConverseOutput) ([]byte, error) {
	message, ok := out.Output.(*types.ConverseOutputMemberMessage)
	if !ok {
		return nil, errShape
	}
	var found [][]byte
	for _, block := range message.Value.Content {
		switch b := block.(type) {
		case *types.ContentBlockMemberReasoningContent:
		case *types.ContentBlockMemberText:
			if r.cfg.Output == Schema {
				found = append(found, []byte(b.Value))
			}
		case *types.ContentBlockMemberToolUse:
			if r.cfg.Output != Tool || aws.ToString(b.Value.Name) != r.prompt.Name {
				return nil, errShape
			}
			input, err := jsonOf(b.Value.Input)
			if err != nil {
				return nil, err
			}
			found = append(found, input)
		default:
			return nil, errShape
		}
	}
	if len(found) != 1 {
		return nil, errShape
	}
	return found[0], nil
}

func jsonOf(d document.Interface) ([]byte, error) {
	if d == nil {
		return nil, errShape
	}
	return d.MarshalSmithyDocument()
}

// decode reads the JSON of an answer by the schema that the model was given:
// that a model was held to it is a claim of the provider's.
func (r *Reader) decode(text []byte) (reader.Record, error) {
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return reader.Record{}, err
	}
	if err := r.schema.Validate(tree); err != nil {
		return reader.Record{}, err
	}
	var rec record
	if err := json.Unmarshal(text, &rec); err != nil {
		return reader.Record{}, err
	}
	return reader.Record{
		SenderEmail: rec.SenderEmail.value(), ContactName: rec.ContactName.value(),
		Company: rec.Company.value(), Phone: rec.Phone.value(),
		Intent: rec.Intent, PossibleOptOut: rec.PossibleOptOut,
		NeedsHumanReview: rec.NeedsHumanReview, ReviewReasons: rec.ReviewReasons,
	}, nil
}

// compile reads the prompt's schema, as a judge and as a document.
func compile(text string) (*jsonschema.Schema, any, error) {
	tree, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, nil, fmt.Errorf("read the prompt's schema: %w", err)
	}
	const location = "https://onefold.example/answer.schema.json"
	c := jsonschema.NewCompiler()
	if err := c.AddResource(location, tree); err != nil {
		return nil, nil, fmt.Errorf("add the prompt's schema: %w", err)
	}
	schema, err := c.Compile(location)
	if err != nil {
		return nil, nil, fmt.Errorf("compile the prompt's schema: %w", err)
	}
	var doc any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return nil, nil, fmt.Errorf("read the prompt's schema: %w", err)
	}
	return schema, doc, nil
}

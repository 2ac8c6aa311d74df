// Package prompts holds what a model is told and shown: instructions and the
// schema of its answer as files, a folder for each version, and the form in
// which a source is put before it.
//
// Its invariants: a version never changes once it has answered in production
// (whoever changes a word or a bound makes a new folder, since the version is
// part of the key under which an answer is stored); no word of a source can
// end the frame that it stands in; and nothing leaves but the parts of a
// source named here, within their bounds, without characters that a person
// would not see. It asks no model and judges no answer.
package prompts

import _ "embed" // the files

//go:embed v1/system.txt
var systemV1 string

//go:embed v1/schema.json
var schemaV1 string

// Prompt is one version.
type Prompt struct {
	// Version is stored with every answer.
	Version string
	// System are the instructions.
	System string
	// Schema is the JSON Schema of the answer, within the subset that Bedrock
	// compiles: no lengths, no number ranges, no patterns, every property
	// required. (Amazon Bedrock User Guide, "Structured output", read 2026-11.)
	Schema string
	// Name is what the schema, or the tool that takes the answer, is called.
	Name string
}

// Current is the version in use.
func Current() Prompt {
	return Prompt{Version: "1", System: systemV1, Schema: schemaV1, Name: "record_message"}
}

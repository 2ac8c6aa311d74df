package schema

// Env is an environment variable of a function. None holds a secret.
type Env struct {
	Name    string
	For     []Function // who reads it
	Needed  bool       // a function without it does not start
	Meaning string
}

// The environment variables. internal/app reads them and infra sets them; each
// of them in no other way than by these names.
const (
	EnvStage            = "ONEFOLD_STAGE"
	EnvLogLevel         = "ONEFOLD_LOG_LEVEL"
	EnvRawBucket        = "ONEFOLD_RAW_BUCKET"
	EnvMailBucket       = "ONEFOLD_MAIL_BUCKET"
	EnvMailRegion       = "ONEFOLD_MAIL_REGION"
	EnvSESRegion        = "ONEFOLD_SES_REGION"
	EnvConfigurationSet = "ONEFOLD_CONFIGURATION_SET"
	EnvProbeFrom        = "ONEFOLD_PROBE_FROM"
	EnvHubSpotURL       = "ONEFOLD_HUBSPOT_URL"
	EnvPublicURL        = "ONEFOLD_PUBLIC_URL"
	EnvOIDCIssuer       = "ONEFOLD_OIDC_ISSUER"
	EnvOIDCClient       = "ONEFOLD_OIDC_CLIENT"
	EnvExtractor        = "ONEFOLD_EXTRACTOR"
	EnvModelID          = "ONEFOLD_MODEL_ID"
	EnvModelRegion      = "ONEFOLD_MODEL_REGION"
	EnvModelOutput      = "ONEFOLD_MODEL_OUTPUT"
	EnvModelMaxTokens   = "ONEFOLD_MODEL_MAX_TOKENS"
	EnvModelPrice       = "ONEFOLD_MODEL_PRICE"
	EnvModelBudget      = "ONEFOLD_MODEL_BUDGET"
	EnvGuardrail        = "ONEFOLD_GUARDRAIL"
)

// Environment lists the variables.
func Environment() []Env {
	all := []Function{Ingest, Extract, CRMSync, Send, Feedback, Sweep, Console, Optout}
	return []Env{
		{EnvStage, all, true, "the stage's name; tables, secrets and metrics are named with it"},
		{EnvLogLevel, all, false, "debug, info (default), warn or error"},
		{EnvRawBucket, []Function{Ingest, Extract, CRMSync, Console}, true, "the bucket of raw content"},
		{EnvMailBucket, []Function{Ingest}, false, "the bucket of inbound mail; without it no mail queue is read"},
		{EnvMailRegion, []Function{Ingest}, false, "the region of that bucket; empty: the function's own"},
		{EnvSESRegion, []Function{Send}, false, "the region that sends; empty: the function's own"},
		{EnvConfigurationSet, []Function{Send}, false, "the SES configuration set of mail whose policy names none; its events feed feedback"},
		{EnvProbeFrom, []Function{Send}, false, "the address that probes the feed of SES events; empty: no probe, and no deadline ever counts"},
		{EnvHubSpotURL, []Function{CRMSync}, false, "another base URL of HubSpot's API, for tests"},
		{EnvPublicURL, []Function{Send, Console}, false, "the base URL under which people reach the API: opt-out links, sign-in"},
		{EnvOIDCIssuer, []Function{Console}, true, "the issuer of the console's users"},
		{EnvOIDCClient, []Function{Console}, true, "the console's client ID at that issuer"},
		{EnvExtractor, []Function{Extract}, false, "who reads the text: rules (default) or bedrock"},
		{EnvModelID, []Function{Extract}, false, "the ID or ARN of the model or inference profile; bedrock needs it"},
		{EnvModelRegion, []Function{Extract}, false, "the region of the model; empty: the function's own"},
		{EnvModelOutput, []Function{Extract}, false, "how the model is held to the form of its answer: schema (default), or tool for models without structured output"},
		{EnvModelMaxTokens, []Function{Extract}, false, "the most tokens of an answer, 256 to 8192; empty: 1024"},
		{EnvModelPrice, []Function{Extract}, false, "US dollars for a million tokens in and out, such as 1.00/5.00; bedrock needs it"},
		{EnvModelBudget, []Function{Extract}, false, "US dollars that the model may cost a tenant on a day; then rules read and people decide; empty: 5"},
		{EnvGuardrail, []Function{Extract}, false, "a guardrail as ID:version; empty: none"},
	}
}

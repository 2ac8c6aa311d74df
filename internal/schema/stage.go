package schema

// Names of what a stage has in an account. Two stages in one account share no
// name; code, infrastructure and commands derive them here alone.

// StagePattern is what a stage's name looks like: short, since bucket names
// have 63 bytes, and readable in every console.
const StagePattern = `^[a-z][a-z0-9-]{0,14}[a-z0-9]$`

// Prefix is before the name of everything of a stage: "onefold-prod-".
func Prefix(stage string) string { return "onefold-" + stage + "-" }

// TableName is a table's name in a stage.
func TableName(stage string, t Table) string { return Prefix(stage) + string(t) }

// FunctionName is a function's name in a stage.
func FunctionName(stage string, f Function) string { return Prefix(stage) + string(f) }

// RawBucket is the bucket of raw content. Bucket names are global, hence the
// account and region.
func RawBucket(stage, account, region string) string {
	return Prefix(stage) + "raw-" + account + "-" + region
}

// MailBucket is the bucket into which SES puts inbound mail, in the region that
// receives it.
func MailBucket(stage, account, region string) string {
	return Prefix(stage) + "mail-" + account + "-" + region
}

// SecretPrefix is before the name of every secret of a stage in Secrets
// Manager.
func SecretPrefix(stage string) string { return "onefold/" + stage + "/" }

// The secrets of a stage, after SecretPrefix. Webhook and CRM secrets are of a
// tenant: SecretWebhooks + tenant + "/" + name, SecretCRM + tenant.
const (
	SecretIdentifierKey = "identifier-key" // never rotated: every opt-out and intent is named with it
	SecretWebhooks      = "webhook/"
	SecretCRM           = "crm/"
	SecretConsole       = "console-session" // signs the console's session cookies
)

// SettingsOutput is the output of the core stack that names the settings which
// it was deployed with, parted by spaces, or says NoSettings. It holds no
// values.
const (
	SettingsOutput = "Settings"
	NoSettings     = "none"
)

// ModelOutput is the output of the core stack that holds the ARN of the model
// or inference profile which extract may ask; a stage read by rules has none.
const ModelOutput = "ModelArn"

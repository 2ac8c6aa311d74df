package localaws

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// Config is an SDK configuration for one account of the stack, which is twelve
// digits. Accounts see nothing of one another, but bucket names are taken for
// all of them, as on AWS. S3 clients made from it also
// need UsePathStyle, since bucket names are no host names on loopback.
func (s *Stack) Config(account string) aws.Config {
	return aws.Config{
		Region:       Region,
		BaseEndpoint: aws.String(s.endpoint),
		// The emulator takes the access key for the account's number.
		Credentials: credentials.NewStaticCredentialsProvider(account, "local", ""),
	}
}

// NewAccount is an account that nobody else has asked for, hence empty: each
// test takes its own and needs no invented table names.
func (s *Stack) NewAccount() string {
	return fmt.Sprintf("%012d", 100000000000+s.accounts.Add(1))
}

package lambdaio

import (
	"encoding/json"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

// Run serves a function until Lambda ends the process: then it does not
// return. A function that could not be made is told to the log, and its error
// returned for main to end the process by: Lambda makes a new one with the next
// call, and the call fails meanwhile.
func Run(f *Function, err error) error {
	if err == nil {
		lambda.Start(f)
		return nil // unreachable: Start does not return
	}
	// No handler yet: the same members by hand.
	line, _ := json.Marshal(map[string]string{ // texts always encode
		"level": "ERROR", "message": "the function does not start", "alarm": "not_started", "error": err.Error(),
		"function_name": lambdacontext.FunctionName,
	})
	_, _ = os.Stdout.Write(append(line, '\n'))
	return err
}

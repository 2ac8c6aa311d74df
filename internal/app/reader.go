package app

import (
	"fmt"

	"onefold/internal/extract"
	"onefold/internal/extract/rules"
)

// Reader is the reader of a name: "rules". Any other name is an error.
func Reader(name string) (extract.Extractor, error) {
	if name == "rules" {
		return rules.New(), nil
	}
	return nil, fmt.Errorf("the model %s is not built yet", name)
}

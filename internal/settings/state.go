package settings

import (
	"encoding/json"
	"fmt"
)

// UnmarshalState reads the JSON of a kernel's State into the struct that into points to, if it has this version.
// Unknown keys are errors: a key that this version does not know could not be kept.
func UnmarshalState(data []byte, version int, into any) error {
	var head struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("not a JSON object: %w", err)
	}
	if head.Version == nil {
		return fmt.Errorf("version: missing, want %d", version)
	}
	if *head.Version != version {
		return fmt.Errorf("version: %d is not %d, the one known here", *head.Version, version)
	}
	return Unmarshal(data, into)
}

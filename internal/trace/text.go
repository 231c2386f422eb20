package trace

import (
	"encoding/json"
	"errors"
	"fmt"
)

// IsZero says that nothing was set, so that a header leaves it out.
func (a Acts) IsZero() bool { return !a.None && len(a.OK) == 0 }

// MarshalJSON writes "none" or the list of outcomes.
func (a Acts) MarshalJSON() ([]byte, error) {
	if a.None {
		return []byte(`"none"`), nil
	}
	names := make([]string, len(a.OK))
	for i, ok := range a.OK {
		names[i] = "fail"
		if ok {
			names[i] = "ok"
		}
	}
	return json.Marshal(names)
}

// UnmarshalJSON reads "ok", "fail", "none" or a list of "ok" and "fail".
func (a *Acts) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		if one == "none" {
			*a = Acts{None: true}
			return nil
		}
		return a.set([]string{one})
	}
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf(`%s is neither "ok", "fail", "none" nor a list of the first two`, data)
	}
	if len(list) == 0 {
		return errors.New("the list is empty")
	}
	return a.set(list)
}

func (a *Acts) set(names []string) error {
	outcomes := make([]bool, len(names))
	for i, name := range names {
		switch name {
		case "ok":
			outcomes[i] = true
		case "fail":
		default:
			return fmt.Errorf(`%q is neither "ok" nor "fail"`, name)
		}
	}
	*a = Acts{OK: outcomes}
	return nil
}

// Package settings reads, writes and checks the Config values of the kernels: durations are strings such as "30s",
// unknown keys are errors, and a check reports every problem at once.
package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

var durationType = reflect.TypeFor[time.Duration]()

// Unmarshal reads a JSON object into the struct that into points to, by the json tags of its fields. Keys that are left
// out leave their fields alone. Every problem is reported, each naming its field.
func Unmarshal(data []byte, into any) error { return unmarshal(data, into, true) }

// UnmarshalKnown is Unmarshal, but for keys that are unknown: it passes over them.
func UnmarshalKnown(data []byte, into any) error { return unmarshal(data, into, false) }

func unmarshal(data []byte, into any, strict bool) error {
	var raw map[string]json.RawMessage
	var kind *json.UnmarshalTypeError
	err := json.Unmarshal(data, &raw)
	if errors.As(err, &kind) || err == nil && raw == nil {
		return fmt.Errorf("not a JSON object: %.40s", data)
	}
	if err != nil {
		return fmt.Errorf("not a JSON object: %w", err)
	}
	var problems []error
	v := reflect.ValueOf(into).Elem()
	for i := range v.NumField() {
		name := key(v.Type().Field(i))
		value, ok := raw[name]
		delete(raw, name)
		if !ok {
			continue
		}
		if err := setField(v.Field(i), value); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		if !strict {
			break
		}
		problems = append(problems, fmt.Errorf("%s: unknown key", name))
	}
	return errors.Join(problems...)
}

func setField(field reflect.Value, value json.RawMessage) error {
	if field.Type() != durationType {
		return plain(json.Unmarshal(value, field.Addr().Interface()), value)
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return fmt.Errorf(`%s is not a duration: write a string such as "30s"`, value)
	}
	return (*Span)(field.Addr().Interface().(*time.Duration)).UnmarshalText([]byte(text))
}

// plain says what is wrong with a value without the names of Go's types and layouts.
func plain(err error, value json.RawMessage) error {
	var kind *json.UnmarshalTypeError
	var layout *time.ParseError
	switch {
	case errors.As(err, &layout):
		return fmt.Errorf("%s is not an RFC 3339 time", value)
	case errors.As(err, &kind):
		return fmt.Errorf("%.40s is not %s", value, words[kind.Type.Kind()])
	}
	return err
}

// words names the kinds of values that JSON tells apart.
var words = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.String: "a string", reflect.Pointer: "a string", reflect.Slice: "a list",
	reflect.Struct: "an object", reflect.Map: "an object", reflect.Float64: "a number", reflect.Int: "a number that fits",
	reflect.Int64: "a number that fits", reflect.Uint8: "a number that fits", reflect.Uint32: "a number that fits",
	reflect.Uint64: "a number that fits",
}

// A Span is a duration that text and JSON hold as a string such as "30s".
type Span time.Duration

// MarshalText writes the duration as [time.Duration] prints it.
func (s Span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

// UnmarshalText reads what [time.ParseDuration] takes.
func (s *Span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf(`%q is not a duration such as "30s"`, text)
	}
	*s = Span(d)
	return nil
}

// Default sets a field that is zero to its default.
func Default[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Marshal writes the struct that Unmarshal reads. Zero fields are left out: they mean their defaults.
func Marshal(from any) ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	v := reflect.ValueOf(from)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			continue
		}
		value := v.Field(i).Interface()
		if d, ok := value.(time.Duration); ok {
			value = d.String()
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%q:%s", key(v.Type().Field(i)), text)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func key(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

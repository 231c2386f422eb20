package watchdog_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/watchdog"
)

func TestZeroMeansTheDefaults(t *testing.T) {
	got := newKernel(t, watchdog.Config{Timeout: time.Minute}).Config()
	want := watchdog.Config{Timeout: time.Minute, MaxGap: time.Minute, Sources: []watchdog.Source{{Name: "main", Budget: time.Minute}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if again := newKernel(t, got).Config(); !reflect.DeepEqual(again, got) {
		t.Errorf("the values in effect are not taken as they are: %+v became %+v", got, again)
	}
}

func TestBudgetsThatAreNotGivenAreTheTimeout(t *testing.T) {
	got := newKernel(t, watchdog.Config{Timeout: time.Minute, Sources: []watchdog.Source{{Name: "a"}, {Name: "b", Budget: time.Second}}}).Config()
	if got.Sources[0].Budget != time.Minute || got.Sources[1].Budget != time.Second {
		t.Errorf("got %+v", got.Sources)
	}
}

// TestAConfigIsNotShared changes what went into a kernel, and what came out of it.
func TestAConfigIsNotShared(t *testing.T) {
	cfg := watchdog.Config{Timeout: time.Minute, Sources: []watchdog.Source{{Name: "a"}}}
	k := newKernel(t, cfg)
	if cfg.Sources[0].Budget != 0 {
		t.Errorf("New filled in the caller's sources: %+v", cfg.Sources)
	}
	cfg.Sources[0].Name = "changed"
	k.Config().Sources[0].Name = "changed too"
	if got := k.Config().Sources[0].Name; got != "a" {
		t.Errorf("the kernel's source is now %q", got)
	}
}

func TestValidateReportsEveryProblem(t *testing.T) {
	named := func(names ...string) (sources []watchdog.Source) {
		for _, name := range names {
			sources = append(sources, watchdog.Source{Name: name})
		}
		return sources
	}
	for _, row := range []struct {
		name string
		cfg  watchdog.Config
		want []string
	}{
		{"nothing at all", watchdog.Config{}, nil},
		{"the shortest timeout", watchdog.Config{Timeout: time.Microsecond}, nil},
		{"a shorter one", watchdog.Config{Timeout: time.Microsecond - 1}, []string{"watchdog: timeout: 999ns is below 1µs", "watchdog: sources[0].budget: 999ns is below 1µs"}},
		{"the shortest budget", watchdog.Config{Timeout: time.Minute, Sources: []watchdog.Source{{Name: "a", Budget: time.Microsecond}}}, nil},
		{"a shorter one", watchdog.Config{Timeout: time.Minute, Sources: []watchdog.Source{{Name: "a", Budget: time.Microsecond - 1}}}, []string{"watchdog: sources[0].budget: 999ns is below 1µs"}},
		{"a negative budget", watchdog.Config{Timeout: time.Minute, Sources: []watchdog.Source{{Name: "a"}, {Name: "b", Budget: -1}}}, []string{"watchdog: sources[1].budget: -1ns is below 1µs"}},
		{"any budget, where nothing is expected", watchdog.Config{Timeout: -1, Sources: []watchdog.Source{{Name: "a", Budget: -1}}}, nil},
		{"eight sources", watchdog.Config{Sources: named("a", "b", "c", "d", "e", "f", "g", "h")}, nil},
		{"nine sources", watchdog.Config{Sources: named("a", "b", "c", "d", "e", "f", "g", "h", "i")}, []string{"watchdog: sources: 9 is above 8"}},
		{"a source without a name", watchdog.Config{Sources: named("a", "")}, []string{`watchdog: sources[1].name: "" is empty`}},
		{"two of one name", watchdog.Config{Sources: named("a", "b", "a")}, []string{"watchdog: sources[2].name: a is there twice"}},
		{"all at once", watchdog.Config{Timeout: 1, Sources: []watchdog.Source{{Name: "", Budget: 2}, {Name: "b", Budget: 3}, {Name: "b", Budget: time.Second}}}, []string{
			"watchdog: timeout: 1ns is below 1µs", `watchdog: sources[0].name: "" is empty`, "watchdog: sources[0].budget: 2ns is below 1µs",
			"watchdog: sources[1].budget: 3ns is below 1µs", "watchdog: sources[2].name: b is there twice",
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got []string
			_, err := watchdog.New(row.cfg)
			if err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if !reflect.DeepEqual(got, row.want) {
				t.Errorf("got  %q\nwant %q", got, row.want)
			}
		})
	}
}

func TestConfigInJSON(t *testing.T) {
	want := watchdog.Config{Timeout: 30 * time.Second, MaxGap: -1, Sources: []watchdog.Source{{Name: "a", Budget: time.Second}, {Name: "b"}}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got := `{"timeout":"30s","sources":[{"name":"a","budget":"1s"},{"name":"b"}],"max_gap":"-1ns"}`; string(text) != got {
		t.Errorf("got %s", text)
	}
	var back watchdog.Config
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, want) {
		t.Errorf("came back as %+v: %v", back, err)
	}
	for text, want := range map[string]string{
		`{"timeout":30}`:                          `timeout: 30 is not a duration: write a string such as "30s"`,
		`{"timeout":"long"}`:                      `timeout: "long" is not a duration`,
		`{"time_out":"30s"}`:                      `time_out: unknown key`,
		`{"sources":[{"name":"a","budget":5}]}`:   `sources: budget: 5 is not a duration`,
		`{"sources":[{"name":"a","buget":"5s"}]}`: `sources: buget: unknown key`,
		`{"timeout":1,"max_gap":2}`:               "timeout: 1 is not a duration: write a string such as \"30s\"\nmax_gap: 2 is not a duration",
		`[]`:                                      `not a JSON object`,
		`{"sources":[{"name":"a"}],"source":"b"}`: `source: unknown key`,
	} {
		var cfg watchdog.Config
		if err := json.Unmarshal([]byte(text), &cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", text, err, want)
		}
	}
}

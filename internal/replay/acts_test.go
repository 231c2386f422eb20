package replay_test

import (
	"strings"
	"testing"
)

// TestActionsSucceedUnlessTheHeaderSaysOtherwise also has until and every print a line each.
func TestActionsSucceedUnlessTheHeaderSaysOtherwise(t *testing.T) {
	const looks = `{"at":"0s","until":"90s","every":"30s","observe":{"config":"absent"}}`
	ok := []string{"0s register never_registered >0s", "30s register config_missing >30s", "1m0s register config_missing >1m0s", "1m30s register config_missing >1m30s"}
	fail := []string{ok[0], ok[1], "1m0s none retry_wait >1m30s", ok[3]}
	for keys, lines := range map[string][]string{
		``:                             ok,
		`,"act":"ok"`:                  ok,
		`,"act":["ok"]`:                ok,
		`,"act":"ok","act_takes":"0s"`: ok,
		`,"act":"fail"`:                fail,
		`,"act":["fail","fail","ok"]`:  fail,
	} {
		t.Run(keys, func(t *testing.T) { want(t, run(t, "", gatewayHeader(keys), looks), lines...) })
	}
}

// TestABusyLoopDoesNotLook has looks just before, at and just after the end of an attempt.
func TestABusyLoopDoesNotLook(t *testing.T) {
	want(t, run(t, "", gatewayHeader(`,"act_takes":"20s"`),
		absent("0s"), absent("10s"), absent("19.999999999s"), absent("20s"), absent("20.000000001s"),
		absent("50s"), absent("69s"), absent("71s")),
		"0s register never_registered >0s",
		"20s none retry_wait >50s",
		"20.000000001s none retry_wait >50s",
		"50s register config_missing >50s",
		"1m11s none retry_wait >1m40s")
}

// TestAnAttemptEndsWhenItEnds has the next look long after, and so the record of an earlier time.
func TestAnAttemptEndsWhenItEnds(t *testing.T) {
	want(t, run(t, "", gatewayHeader(`,"act_takes":"5s","act":"fail"`), absent("0s"), absent("34s"), absent("35s"), absent("99s"), absent("100s")),
		"0s register never_registered >0s",
		"34s none retry_wait >35s",
		"35s register config_missing >35s",
		"1m39s none retry_wait >1m40s",
		"1m40s register config_missing >1m40s")
}

// TestEachIDHasItsOwnStateTimeAndOutcomes interleaves two, of which the second fails as often as the first did.
func TestEachIDHasItsOwnStateTimeAndOutcomes(t *testing.T) {
	lines := []string{gatewayHeader(`,"act":["fail","fail","ok"],"act_takes":"10s"`)}
	lines = append(lines, absentAt("a", "0s")...)
	lines = append(lines, absentAt("b", "5s", "14s", "15s")...)
	lines = append(lines, absentAt("a", "20s", "40s", "50s", "110s", "120s")...)
	lines = append(lines, absentAt("b", "120s", "130s")...)
	lines = append(lines, absentAt("a", "150s", "160s")...)
	lines = append(lines, absent("160s"))
	want(t, run(t, "", lines...),
		"a 0s register never_registered >0s",
		"b 5s register never_registered >5s",
		"b 15s none retry_wait >45s",
		"a 20s none retry_wait >40s",
		"a 40s register config_missing >40s",
		"a 50s none retry_wait >1m50s",
		"a 1m50s register config_missing >1m50s", // the third, which succeeds
		"a 2m0s none retry_wait >2m30s",
		"b 2m0s register config_missing >2m0s", // the second, which fails
		"b 2m10s none retry_wait >3m10s",
		"a 2m30s register config_missing >2m30s", // the last outcome repeats
		"a 2m40s none retry_wait >3m10s",
		"2m40s register never_registered >2m40s")
}

// TestNoneCountsOnlyRecordLines is a recorded trace: act_takes means nothing there.
func TestNoneCountsOnlyRecordLines(t *testing.T) {
	want(t, run(t, "", gatewayHeader(`,"act":"none","act_takes":"1h"`),
		absent("0s"), absent("10s"),
		`{"at":"12s","record":{"action":"register","ok":false}}`,
		absent("20s"), absent("42s"),
		`{"at":"43s","record":{"action":"register","ok":false,"retry_after":"100s"}}`,
		absent("50s"), absent("142s"), absent("143s")),
		"0s register never_registered >0s",
		"10s register never_registered >10s",
		"20s none retry_wait >42s",
		"42s register config_missing >42s",
		"50s none retry_after >2m23s",
		"2m22s none retry_after >2m23s",
		"2m23s register config_missing >2m23s")
}

// TestARecordLineCountsWhileTheLoopIsBusy is of an outcome that came from elsewhere, which the attempt's own follows.
func TestARecordLineCountsWhileTheLoopIsBusy(t *testing.T) {
	want(t, run(t, "", gatewayHeader(`,"act":"fail","act_takes":"20s"`),
		absent("0s"), `{"at":"10s","record":{"action":"register","ok":false}}`, absent("15s"), absent("20s")),
		"0s register never_registered >0s",
		"20s none retry_wait >1m20s") // the second failure in a row
	want(t, run(t, "", gatewayHeader(`,"act":"fail","act_takes":"20s"`),
		absent("0s"), `{"at":"20s","record":{"action":"register"}}`, absent("21s")),
		"0s register never_registered >0s",
		"21s none retry_wait >50s") // a record line at the end of the attempt comes after it
}

// TestAnOutcomeStillDueAtTheEndIsDropped, and the trace simply ends.
func TestAnOutcomeStillDueAtTheEndIsDropped(t *testing.T) {
	want(t, run(t, "", gatewayHeader(`,"act_takes":"1h"`), absent("0s"), absent("3599s")), "0s register never_registered >0s")
}

// TestAStopGetsNoOutcome neither keeps the loop busy nor counts as an attempt.
func TestAStopGetsNoOutcome(t *testing.T) {
	want(t, run(t, "", gatewayHeader(`,"act":["fail","ok"],"act_takes":"1m"`),
		`{"at":"0s","observe":{"disabled":true}}`, `{"at":"10s","observe":{"problem":"no URL"}}`, absent("20s"), absent("80s")),
		"0s stop disabled",
		"10s stop misconfigured",
		"20s register never_registered >20s",
		"1m20s none retry_wait >1m50s")
}

// TestALongListRunsOutOnItsLast counts the failures in a row by their delays.
func TestALongListRunsOutOnItsLast(t *testing.T) {
	got := run(t, "", gatewayHeader(`,"act":["ok","fail"]`), `{"at":"0s","until":"600s","every":"10s","observe":{"config":"absent"}}`)
	var acts []string
	for _, line := range got {
		if at, rest, _ := strings.Cut(line, " "); strings.HasPrefix(rest, "register") {
			acts = append(acts, at)
		}
	}
	want(t, acts, "0s", "30s", "1m0s", "2m0s", "4m0s", "6m0s", "8m0s", "10m0s")
}

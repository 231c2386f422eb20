package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/gateway"
)

// vault is a store and a mint whose faults a test sets.
type vault struct {
	key                       string
	loadErr, saveErr, mintErr error
	saves, mints              int
}

func (v *vault) Load(context.Context) (string, error) {
	switch {
	case v.loadErr != nil:
		return "", v.loadErr
	case v.key == "":
		return "", fmt.Errorf("no key: %w", fs.ErrNotExist)
	}
	return v.key, nil
}

func (v *vault) Save(_ context.Context, key string) error {
	v.saves++
	if v.saveErr == nil {
		v.key, v.loadErr = key, nil
	}
	return v.saveErr
}

func (v *vault) mint(context.Context) (string, error) {
	v.mints++
	if v.mintErr != nil {
		return "", v.mintErr
	}
	return fmt.Sprint("key ", v.mints), nil
}

func (v *vault) enroller() *gateway.Enroller[string] {
	return &gateway.Enroller[string]{Store: v, Mint: v.mint}
}

// wantMaterial asks e and wants this key, or an error that says failure.
func wantMaterial(t *testing.T, e *gateway.Enroller[string], key, failure string) {
	t.Helper()
	got, err := e.Material(t.Context())
	if got != key || (err != nil) != (failure != "") || err != nil && !strings.Contains(err.Error(), failure) {
		t.Fatalf("got %q, %v; want %q, %q", got, err, key, failure)
	}
}

func TestMissingMaterialIsMintedOnce(t *testing.T) {
	v := &vault{}
	e := v.enroller()
	for range 3 {
		wantMaterial(t, e, "key 1", "")
	}
	wantMaterial(t, v.enroller(), "key 1", "") // a restart
	if v.mints != 1 || v.saves != 1 {
		t.Errorf("%d mints, %d saves", v.mints, v.saves)
	}
}

func TestAFailedSaveIsTriedAgainWithoutMinting(t *testing.T) {
	v := &vault{saveErr: errors.New("disk full")}
	e := v.enroller()
	wantMaterial(t, e, "", "saving key material: disk full")
	wantMaterial(t, e, "", "disk full")
	v.saveErr = nil
	wantMaterial(t, e, "key 1", "")
	if v.mints != 1 || v.saves != 3 || v.key != "key 1" {
		t.Errorf("%d mints, %d saves, kept %q", v.mints, v.saves, v.key)
	}
}

func TestAFailedMintIsTriedAgain(t *testing.T) {
	v := &vault{mintErr: errors.New("no key service")}
	e := v.enroller()
	wantMaterial(t, e, "", "minting key material: no key service")
	v.mintErr = nil
	wantMaterial(t, e, "key 2", "")
}

// TestAStoreThatCannotBeReadMintsNothing: the material may be there.
func TestAStoreThatCannotBeReadMintsNothing(t *testing.T) {
	v := &vault{key: "kept", loadErr: fs.ErrPermission}
	wantMaterial(t, v.enroller(), "", "loading key material: permission denied")
	v.loadErr = nil
	wantMaterial(t, v.enroller(), "kept", "")
	if v.mints != 0 {
		t.Errorf("%d mints", v.mints)
	}
}

func TestCorruptMaterialIsMintedAnew(t *testing.T) {
	v := &vault{loadErr: fmt.Errorf("half a file: %w", gateway.ErrCorrupt)}
	wantMaterial(t, v.enroller(), "key 1", "")
}

func TestInvalidMaterialIsMintedAnew(t *testing.T) {
	v := &vault{key: "old"}
	e := v.enroller()
	e.Validate = func(key string, _ time.Time) error {
		if key == "old" {
			return errors.New("expired")
		}
		return nil
	}
	v.mintErr = errors.New("no key service")
	wantMaterial(t, e, "", "no key service") // expired material is of no use
	v.mintErr = nil
	wantMaterial(t, e, "key 2", "")
}

// TestAMintThatIsRefusedIsNotRepeated has a clock that is wrong at first: nothing is valid yet.
func TestAMintThatIsRefusedIsNotRepeated(t *testing.T) {
	v := &vault{key: "stored"}
	e := v.enroller()
	refusal := errors.New("not valid yet")
	e.Validate = func(string, time.Time) error { return refusal }
	for range 3 {
		wantMaterial(t, e, "", "the minted key material is refused: not valid yet")
	}
	if v.mints != 1 || v.saves != 0 || v.key != "stored" {
		t.Errorf("%d mints, %d saves, kept %q", v.mints, v.saves, v.key)
	}
	refusal = nil
	wantMaterial(t, e, "key 1", "")
	if v.mints != 1 || v.key != "key 1" {
		t.Errorf("%d mints, kept %q", v.mints, v.key)
	}
}

func TestAnEnrollerNeedsStoreAndMint(t *testing.T) {
	for _, e := range []*gateway.Enroller[string]{{Mint: (&vault{}).mint}, {Store: &vault{}}} {
		wantMaterial(t, e, "", "no Store or no Mint")
	}
}

func TestMaterialNearExpiryServesUntilNewIsMinted(t *testing.T) {
	v := &vault{key: "old", mintErr: errors.New("no key service")}
	e := v.enroller()
	e.Validate = func(key string, _ time.Time) error {
		if key == "old" {
			return fmt.Errorf("2 days left: %w", gateway.ErrNearExpiry)
		}
		return nil
	}
	wantMaterial(t, e, "old", "")
	v.mintErr = nil
	wantMaterial(t, e, "key 2", "")
	if v.key != "key 2" {
		t.Errorf("kept %q", v.key)
	}
}

// TestARunnerMintsOnce is the failure behind Enroller: an outage of the gateway, with a mint for each retry.
func TestARunnerMintsOnce(t *testing.T) {
	inBubble(t, always(absent), func(t *testing.T, w *world, r *gateway.Runner) {
		v := &vault{}
		e := v.enroller()
		w.act = func(ctx context.Context, _ gateway.Action) error {
			if _, err := e.Material(ctx); err != nil {
				return err
			}
			return errors.New("the gateway is down")
		}
		runFor(t, r, 899*time.Second)
		if len(w.actions) != 9 || v.mints != 1 {
			t.Errorf("%d attempts, %d mints", len(w.actions), v.mints)
		}
	})
}

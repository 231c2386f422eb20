package gateway

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"
)

// ErrCorrupt is what a [Store] wraps to say that what it holds can't be used and was put aside: new material has to be
// minted.
var ErrCorrupt = errors.New("corrupt")

// ErrNearExpiry is what an Enroller's Validate wraps to say that the material still works, but has to be replaced soon.
var ErrNearExpiry = errors.New("near expiry")

// Store keeps key material across restarts.
type Store[K any] interface {
	// Load returns what was saved. An error that wraps fs.ErrNotExist says that nothing was, one that wraps ErrCorrupt
	// that it is of no use; both mean minting. Any other says nothing about the material, and nothing is minted for it.
	Load(ctx context.Context) (K, error)
	// Save keeps k, whole or not at all.
	Save(ctx context.Context, k K) error
}

// Enroller keeps an expensive credential from being made more often than needed: a key store, whose making takes a
// round trip to a key service, certificate requests or a hardware quote. It saves material as soon as it is minted and
// before anybody uses it; a retry or a restart loads it. It is minted again only when it is missing, corrupt, invalid or
// near expiry. Material that Validate refuses although it was just minted (a clock that is wrong at boot) is neither used
// nor saved over what is stored nor minted again, but validated again at the next call. Any number of goroutines may
// share an Enroller; one that mints holds up the others.
type Enroller[K any] struct {
	// Store keeps the material, Mint makes it; both are required.
	Store Store[K]
	Mint  func(ctx context.Context) (K, error)
	// Validate says why k can't be used at now; nil says that it can. An error that wraps ErrNearExpiry asks for new
	// material, but k goes on being used where that can't be had. A nil Validate takes everything.
	Validate func(k K, now time.Time) error
	// Clock tells Validate the time; nil is the real one.
	Clock Clock
	// Logger gets a line for each minting and each reason for one; nil is none.
	Logger *slog.Logger

	mu      sync.Mutex
	unsaved *K // minted, but not saved yet
}

// Material is the material to use now: what was saved, or else new material, minted and saved. An error says that there
// is none that may be used; calling again goes on where it failed, so that material whose saving failed is saved, not
// minted again.
func (e *Enroller[K]) Material(ctx context.Context) (K, error) {
	if e.Store == nil || e.Mint == nil {
		return *new(K), errors.New("gateway: the enroller has no Store or no Mint")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	k, stale, err := e.held(ctx)
	if err == nil && stale == nil {
		return e.keep(ctx, k)
	}
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrCorrupt):
		return *new(K), fmt.Errorf("gateway: loading key material: %w", err)
	case e.unsaved != nil && !errors.Is(stale, ErrNearExpiry): // minting it again would bring the same
		return *new(K), fmt.Errorf("gateway: the minted key material is refused: %w", stale)
	}
	usable := err == nil && errors.Is(stale, ErrNearExpiry)
	e.log().Info("minting key material", "because", errors.Join(err, stale))
	minted, err := e.Mint(ctx)
	switch {
	case err == nil:
		e.unsaved = &minted
		if stale := e.validate(minted); stale != nil && !errors.Is(stale, ErrNearExpiry) {
			return *new(K), fmt.Errorf("gateway: the minted key material is refused: %w", stale)
		}
		return e.keep(ctx, minted)
	case usable:
		e.log().Warn("minting failed, the old key material serves on", "error", err)
		return e.keep(ctx, k)
	}
	return *new(K), fmt.Errorf("gateway: minting key material: %w", err)
}

// held is the material at hand, unsaved or stored, with what Validate says against it.
func (e *Enroller[K]) held(ctx context.Context) (k K, stale, err error) {
	if e.unsaved != nil {
		k = *e.unsaved
	} else if k, err = e.Store.Load(ctx); err != nil {
		return k, nil, err
	}
	return k, e.validate(k), nil
}

func (e *Enroller[K]) validate(k K) error {
	if e.Validate == nil {
		return nil
	}
	return e.Validate(k, e.now())
}

// keep hands out k, saved first if it was minted and not saved yet: material that only this process knows is lost with
// it, and what was registered under it is orphaned.
func (e *Enroller[K]) keep(ctx context.Context, k K) (K, error) {
	if e.unsaved == nil {
		return k, nil
	}
	if err := e.Store.Save(ctx, k); err != nil {
		return *new(K), fmt.Errorf("gateway: saving key material: %w", err)
	}
	e.unsaved = nil
	return k, nil
}

func (e *Enroller[K]) now() time.Time {
	if e.Clock == nil {
		return time.Now()
	}
	return e.Clock.Now()
}

func (e *Enroller[K]) log() *slog.Logger {
	if e.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return e.Logger
}

.PHONY: help check lint ci

LINT := v2.15.0

help:
	@echo 'make check   gofmt, go vet and the tests of both modules: seconds, a minute if all has changed'
	@echo 'make lint    golangci-lint $(LINT) with .golangci.yml'
	@echo 'make ci      everything that CI checks (.ci/run): up to 15 minutes'

check:
	@files=$$(gofmt -l .); test -z "$$files" || { echo "not formatted by gofmt: $$files"; exit 1; }
	go vet ./... ./examples/...
	go test ./... ./examples/...

# golangci-lint is pinned here and not in internal/tools: it would bring hundreds of modules there.
lint:
	@golangci-lint version --short 2>/dev/null | grep -qxF '$(LINT:v%=%)' || { \
		echo 'install golangci-lint $(LINT):'; \
		echo '  go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT)'; exit 1; }
	golangci-lint run ./... ./examples/...

ci:
	bash .ci/run

#!/bin/sh
# Builds a real LND and its lncli into .test/lnd/, for the regtest suite and the image's check on a machine that has
# none of this version on its PATH.
#
# LND comes as a Go module: test/regtest/lnd/ names its version and go.sum the checksum of every module of it. Where the
# go on the PATH is older than LND asks for, the Go toolchain comes the same way, as Go itself does it since 1.21.
set -eu

root="$(cd "$(dirname "$0")/../.." && pwd)"
module="$root/test/regtest/lnd"
target="$root/.test/lnd"
binary="$target/lnd"
version=$(sed -n 's|.*github.com/lightningnetwork/lnd v\([^ ]*\).*|\1|p' "$module/go.mod")
wanted_go=$(sed -n 's/^go \([0-9.]*\)$/\1/p' "$module/go.mod")

# What a binary that there is says of itself ("lnd version 0.21.1-beta commit=…"), and whether lncli is beside it.
is_wanted() {
  "$1" --version 2>/dev/null | grep -qF "lnd version $version " && [ -x "$(dirname "$1")/lncli" ]
}

for found in "$(command -v lnd || true)" "$binary"; do
  if [ -n "$found" ] && is_wanted "$found"; then
    echo "$found"
    exit 0
  fi
done
command -v go >/dev/null || {
  echo "fetch-lnd: there is no Go here to build LND $version with. Install Go $wanted_go or newer, or put lnd $version on the PATH." >&2
  exit 127
}

mkdir -p "$root/.test"
work="$target.$$"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work"

# GOTOOLCHAIN: what is set up on a machine may forbid the download that an old go needs.
go=go
export GOTOOLCHAIN=local GOFLAGS=-buildvcs=false CGO_ENABLED=0
here=$(go env GOVERSION | sed 's/^go//')
oldest=$(printf '%s\n%s\n' "$wanted_go" "$here" | sort -V | head -n 1)
if [ "$oldest" != "$wanted_go" ]; then
  toolchain="golang.org/toolchain@v0.0.1-go$wanted_go.$(go env GOHOSTOS)-$(go env GOHOSTARCH)"
  echo "fetch-lnd: go $here is older than $wanted_go: fetching $toolchain" >&2
  # A folder outside of any module; the download's checksum is checked against Go's checksum database.
  dir=$(cd "$work" && go mod download -json "$toolchain" | sed -n 's/^.*"Dir": "\(.*\)",*$/\1/p')
  # Modules are unpacked read-only and not executable; a copy leaves the module cache as it is.
  cp -R "$dir" "$work/go" && chmod -R u+w "$work/go"
  find "$work/go/bin" "$work/go/pkg/tool" -type f -exec chmod +x {} +
  go="$work/go/bin/go"
  unset GOROOT
fi

echo "fetch-lnd: building LND $version" >&2
# Without inlining, DWARF tables and the compiler's garbage collector it is built in less than two thirds of the time:
# tests do not need a fast LND. lowscrypt: nor one whose wallet is slow to unlock.
(cd "$module" && GOGC=off "$go" build -mod=readonly -trimpath -gcflags="all=-l -dwarf=false" -ldflags="-s -w" \
  -tags="chainrpc invoicesrpc signrpc walletrpc kvdb_sqlite lowscrypt" -o "$work/" \
  github.com/lightningnetwork/lnd/cmd/lnd github.com/lightningnetwork/lnd/cmd/lncli) >&2
rm -rf "$work/go"
is_wanted "$work/lnd" || {
  echo "fetch-lnd: what was built is not LND $version" >&2
  exit 1
}
rm -rf "$target"
mv "$work" "$target"
echo "$binary"

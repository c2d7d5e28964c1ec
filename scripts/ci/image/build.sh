#!/bin/bash
# Builds the image of the Dockerfile with podman (whose builder is buildah), and stand-ins for all other images. None
# can be pulled where the checks run: the base is Debian, as the base of Node's image is, with some Node.
# Argument: a folder for what is unpacked. IMAGE is the image's name.
set -euo pipefail
work="$1"
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/private.sh"
cd "$here/../../.."

# Made on the spot, from the mirror that this machine's apt has.
debian() { # suite
  local mirror
  mirror="$(apt-get indextargets --format '$(SITE) $(ORIGIN) $(CREATED_BY)' |
    awk '$2 == "Debian" && $3 == "Packages" && $1 !~ /security/ { print $1; exit }')"
  mmdebstrap --quiet --variant=minbase --include=ca-certificates "$1" "$work/debian.tar" ${mirror:+"$mirror"}
}

# With the Node and the npm of this machine, which the image does not run: it brings its own Node. What stands in for the
# base of the other processor is the same: of an image for that one nothing is run.
node_base() {
  mkdir "$work/base"
  cp "$(node -p process.execPath)" "$work/base/node"
  cp -rL "$(dirname "$(readlink -f "$(command -v npm)")")/.." "$work/base/npm"
  cp "$work/debian.tar" "$work/base"
  podman manifest create localhost/node >/dev/null
  for processor in amd64 arm64; do
    podman build --quiet --layers=false --pull=never --network none --platform "linux/$processor" \
      -t "localhost/node-$processor" -f - "$work/base" >/dev/null <<'N'
FROM scratch
ARG TARGETARCH
ADD debian.tar /
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && chmod 755 /usr/local/lib/node_modules/npm/bin/*.js && \
  groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node && echo "$TARGETARCH" >/processor
N
    podman manifest add localhost/node "containers-storage:localhost/node-$processor" >/dev/null
  done
}

# With this machine's way to the registry and its cache of packages.
service() {
  local mounts=() file version
  file="$(npm config get userconfig)" && [ -f "$file" ] && mounts+=(-v "$file:/root/.npmrc:ro")
  file="$(npm config get globalconfig)" && [ -f "$file" ] && mounts+=(-v "$file:/usr/local/etc/npmrc:ro")
  file="$(npm config get cafile)" && [ -f "$file" ] && mounts+=(-v "$file:$file:ro")
  file="$(npm config get cache)" && [ -d "$file" ] && mounts+=(-v "$file:/root/.npm")
  bash scripts/image/build.sh "$work/both" --pull=never --network host "${mounts[@]}" --build-arg NODE=localhost/node
  version="$(node -p 'require("./package.json").version')"
  podman tag "localhost/quittance:$version-$(dpkg --print-architecture)" "$IMAGE"
  podman tag "localhost/quittance:$version-arm64" "$IMAGE-arm64"
}

# By the names that the Compose file has.
stand_ins() {
  local bitcoind lnd target name
  podman import --quiet "$work/debian.tar" localhost/debian >/dev/null
  bitcoind="$(dirname "$(sh scripts/devnet/fetch-bitcoind.sh)")"
  lnd="$(dirname "$(sh scripts/devnet/fetch-lnd.sh)")"
  mkdir "$work/parts"
  cp -r "$bitcoind/." "$work/parts/bitcoind"
  cp "$lnd/lnd" "$lnd/lncli" "$here/postgres-entrypoint.sh" "$work/parts/"
  # Its launcher, for where it then is, and another for its command line.
  sed 's|^here=.*|here=/opt/bitcoind|' "$bitcoind/bitcoind" >"$work/parts/bitcoind/bitcoind"
  sed 's|/bin/bitcoind"|/bin/bitcoin-cli"|' "$work/parts/bitcoind/bitcoind" >"$work/parts/bitcoind/bitcoin-cli"
  chmod 755 "$work/parts/bitcoind/bitcoin-cli"
  for target in postgres redis bitcoin lnd; do
    name="$(sed -nE "s#^ *image: (([a-z]+/)?$target:.*)#\1#p" docker-compose.regtest.yml | sort -u)"
    [ -n "$name" ] || fail "the Compose file has no image of $target"
    podman build --quiet --format docker --pull=never --network host --target "$target" -t "docker.io/${name/#$target:/library/$target:}" \
      -f "$here/stand-ins.Containerfile" "$work/parts" >/dev/null
  done
}

suite="$(sed -nE 's/^ARG NODE=node:[0-9.]+-([a-z]+)-slim@sha256:.*/\1/p' Dockerfile)"
[ -n "$suite" ] || fail "the Dockerfile's NODE is no Node of Debian"
debian "$suite"
stand_ins &
node_base
service
wait $!
rm -rf "$work/parts" "$work/base" "$work/debian.tar"

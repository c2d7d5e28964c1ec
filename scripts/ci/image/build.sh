#!/bin/bash
# Builds the image of the Dockerfile with podman (whose builder is buildah), and stand-ins for all other images. None
# can be pulled where the checks run: the base is Debian, as the base of Node's image is, with the Dockerfile's Node.
# Argument: a folder for what is unpacked. IMAGE is the image's name.
set -euo pipefail
work="$1"
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/private.sh"
cd "$here/../../.."

# Checked by its hash, since it is run as root: a new Node in the Dockerfile needs a new line.
npm_package() { # name@version, folder
  local hash file
  hash="$(sed -n "s|^$1 ||p" "$here/packages.txt")"
  [ -n "$hash" ] || fail "no hash of $1 in scripts/ci/image/packages.txt: npm view $1 dist.integrity"
  file="$work/$(cd "$work" && npm pack --silent "$1")" || fail "$1 cannot be fetched"
  [ "sha512-$(openssl dgst -sha512 -binary "$file" | base64 -w 0)" = "$hash" ] || fail "$1 is not what packages.txt says"
  mkdir -p "$2" && tar xzf "$file" -C "$2" --strip-components=1
}

# Made on the spot, from the mirror that this machine's apt has.
debian() { # suite
  local mirror
  mirror="$(apt-get indextargets --format '$(SITE) $(ORIGIN) $(CREATED_BY)' |
    awk '$2 == "Debian" && $3 == "Packages" && $1 !~ /security/ { print $1; exit }')"
  mmdebstrap --quiet --variant=minbase --include=ca-certificates "$1" "$work/debian.tar" ${mirror:+"$mirror"}
  podman import --quiet "$work/debian.tar" localhost/debian >/dev/null
  rm "$work/debian.tar"
}

node_base() { # version of Node
  npm_package "node-linux-$(node -p process.arch)@$1" "$work/base/node"
  npm_package "$(grep -oE '^npm@[^ ]+' "$here/packages.txt")" "$work/base/npm"
  podman build --quiet --pull=never --network none -t localhost/node -f - "$work/base" >/dev/null <<'N'
FROM localhost/debian
COPY node/bin/node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && chmod 755 /usr/local/lib/node_modules/npm/bin/*.js && \
  groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node
N
}

# With this machine's way to the registry and its cache of packages.
service() {
  local mounts=() file
  file="$(npm config get userconfig)" && [ -f "$file" ] && mounts+=(-v "$file:/root/.npmrc:ro")
  file="$(npm config get globalconfig)" && [ -f "$file" ] && mounts+=(-v "$file:/usr/local/etc/npmrc:ro")
  file="$(npm config get cafile)" && [ -f "$file" ] && mounts+=(-v "$file:$file:ro")
  file="$(npm config get cache)" && [ -d "$file" ] && mounts+=(-v "$file:/root/.npm")
  podman build --quiet --layers=false --format docker --pull=never --network host "${mounts[@]}" \
    --build-arg NODE=localhost/node --build-arg REVISION="$(git rev-parse HEAD)" -t "$IMAGE" . >/dev/null
}

# By the names that the Compose file has.
stand_ins() {
  local bitcoind lnd target name
  bitcoind="$(dirname "$(sh scripts/devnet/fetch-bitcoind.sh)")"
  lnd="$(dirname "$(sh scripts/devnet/fetch-lnd.sh)")"
  mkdir "$work/parts"
  cp -r "$bitcoind" "$work/parts/bitcoind"
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

read -r version suite < <(sed -nE 's/^ARG NODE=node:([0-9.]+)-([a-z]+)-slim@sha256:.*/\1 \2/p' Dockerfile) ||
  fail "the Dockerfile's NODE is no Node of Debian"
debian "$suite"
stand_ins &
node_base "$version"
service
wait $!
rm -rf "$work/parts" "$work/base"

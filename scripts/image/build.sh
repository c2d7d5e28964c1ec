#!/bin/bash
# bash scripts/image/build.sh FOLDER [options of podman build]: the image for both processors, of the commit that is
# checked out. FOLDER is then what is pushed (docs/operations/docker.md), and FOLDER.digests says what its parts are
# called wherever they are pushed. All times in the image are the commit's.
set -euo pipefail
mkdir -p "$1"
folder="$(cd "$1" && pwd)"
shift
cd "$(dirname "$0")/../.."
name="localhost/quittance:$(node -p 'require("./package.json").version')"
own="$(podman info --format '{{.Host.OS}}/{{.Host.Arch}}')" # Podman 4 takes the processor that is built for

if podman manifest exists "$name"; then podman manifest rm "$name" >/dev/null; fi
podman manifest create "$name" >/dev/null
for processor in amd64 arm64; do
  # Docker's format: the other one has no health check.
  podman build --quiet --layers=false --format docker --platform "linux/$processor" --build-arg BUILDPLATFORM="$own" \
    --timestamp "$(git log -1 --format=%ct)" --build-arg REVISION="$(git rev-parse HEAD)" \
    -t "$name-$processor" "$@" . >/dev/null
  podman manifest add "$name" "containers-storage:$name-$processor" >/dev/null
done
podman manifest push --quiet --all --format v2s2 "$name" "dir:$folder"
FOLDER="$folder" node -e '
  const { createHash } = require("node:crypto");
  const list = require("node:fs").readFileSync(`${process.env.FOLDER}/manifest.json`);
  console.log(`sha256:${createHash("sha256").update(list).digest("hex")}  both`);
  for (const { digest, platform } of JSON.parse(list).manifests)
    console.log(`${digest}  ${platform.os}/${platform.architecture}`);
' | tee "$folder.digests"

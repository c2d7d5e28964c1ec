#!/bin/bash
# with-node.sh <version or range> <command...>: runs a command with another Node, which comes as the npm package of
# this platform's binary, so that neither a version manager nor an install script is needed. npm refuses a download that
# has not the hash which the registry names; we keep none of our own, since nothing that is released is made with it.
set -euo pipefail
version="$1"
shift
folder="$(cd "$(dirname "$0")/../.." && pwd)/.test/node"
package="node-linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')"
exact="$version"
[ -x "$folder/$exact/bin/node" ] ||
  exact="$(npm view --json "$package@$version" version | node -e '
    const versions = [JSON.parse(require("fs").readFileSync(0, "utf8"))].flat();
    console.log(versions.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1)); // listed in no order
  ')"
if [ ! -x "$folder/$exact/bin/node" ]; then
  # Complete or not there: a run that was stopped must not leave half of it.
  mkdir -p "$folder"
  part="$(mktemp -d "$folder/part-XXXXXX")"
  trap 'rm -rf "$part"' EXIT
  tarball="$(npm pack --loglevel=error --pack-destination "$part" "$package@$exact")"
  tar -xzf "$part/$tarball" -C "$part"
  mv -T "$part/package" "$folder/$exact"
fi
# npm reads its global settings beside Node: they stay those of this machine.
npm_config_globalconfig="$(npm config get globalconfig)"
export npm_config_globalconfig PATH="$folder/$exact/bin:$PATH"
[ "v$exact" = "$(node --version)" ] || { echo "with-node: node $exact does not come first on the PATH" >&2; exit 1; }
echo "with-node: $(node --version) with npm $(npm --version)" >&2
"$@"

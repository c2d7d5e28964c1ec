#!/bin/sh
# Puts a real bitcoind into .test/bitcoind/, for the regtest suite on a Debian machine that has none on its PATH.
#
# Debian's bitcoin-knots (a Bitcoin Core derivative with the same RPC, wallet and ZMQ) wants a newer libc than a
# stable Debian has. So it is unpacked beside its own libraries and started through their own loader; nothing is
# installed. apt does the fetching, with an index of its own, from the mirror that this machine is set up with, and
# checks the archive's signature and every package's checksum.
set -eu

suite=forky
package=bitcoin-knots
target="$(cd "$(dirname "$0")/../.." && pwd)/.test/bitcoind"
launcher="$target/bitcoind"

if [ -x "$launcher" ]; then
  echo "$launcher"
  exit 0
fi
for tool in apt-get dpkg; do
  command -v "$tool" >/dev/null || {
    echo "fetch-bitcoind: $tool is missing. Install bitcoind yourself and put it on the PATH." >&2
    exit 1
  }
done

mirror=$(apt-get indextargets --format '$(SITE) $(ORIGIN) $(CREATED_BY)' |
  awk '$2 == "Debian" && $3 == "Packages" && $1 !~ /security/ { print $1; exit }')
[ -n "$mirror" ] || {
  echo "fetch-bitcoind: apt has no Debian mirror here. Install bitcoind yourself and put it on the PATH." >&2
  exit 1
}

# Everything happens in a folder beside the target, which appears in one step when it is complete.
work="$target.$$"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial" "$work/root"
: >"$work/apt/status"
echo "deb $mirror $suite main" >"$work/apt/sources.list"

isolated_apt() {
  apt-get -qq \
    -o Dir::Etc::SourceList="$work/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
    -o Dir::State::Lists="$work/apt/lists" -o Dir::State::Status="$work/apt/status" \
    -o Dir::State::Extended_States="$work/apt/extended_states" \
    -o Dir::Cache="$work/apt" -o APT::Sandbox::User="$(id -un)" \
    -o Debug::NoLocking=true -o Acquire::Languages=none "$@"
}

echo "fetch-bitcoind: fetching $package of Debian $suite" >&2
isolated_apt update >&2
# Against an empty list of installed packages, so that every library comes along.
isolated_apt install --yes --download-only --no-install-recommends "$package" >&2
for deb in "$work"/apt/archives/*.deb; do
  dpkg -x "$deb" "$work/root"
done
rm -rf "$work/apt"

loader=$(find "$work/root" -name 'ld-linux-*.so.*' | head -n 1)
binary=$(find "$work/root" -path '*/bin/bitcoind' | head -n 1)
libraries=$(dirname "$(find "$work/root" -name 'libc.so.6' | head -n 1)")
[ -n "$loader" ] && [ -n "$binary" ] && [ -n "$libraries" ] || {
  echo "fetch-bitcoind: $package did not contain what was expected" >&2
  exit 1
}
cat >"$work/bitcoind" <<EOF
#!/bin/sh
here=\$(cd "\$(dirname "\$0")" && pwd)
exec "\$here${loader#"$work"}" --library-path "\$here${libraries#"$work"}" "\$here${binary#"$work"}" "\$@"
EOF
chmod +x "$work/bitcoind"
rm -rf "$target"
mv "$work" "$target"
echo "$launcher"

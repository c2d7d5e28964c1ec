#!/bin/bash
# Makes the package, a second one with a higher version, and a Debian to install them in. Argument: the folder for it all.
set -euo pipefail
work="$1"
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/../debian.sh"

# As the server of docs/operations/systemd.md, before Quittance is installed. With fail2ban and what it recommends.
debian_tar trixie systemd-sysv,dbus,nodejs,postgresql,ca-certificates,fail2ban,python3-systemd,nftables "$work/debian.tar" &
deb="$(npm run --silent package:deb -- --out "$work/packages" | tail -n 1)"
[ -f "$deb" ] || { echo "deb-check: npm run package:deb printed no path of a package: $deb" >&2; exit 1; }
lintian --allow-root --fail-on error,warning "$deb" || { echo "deb-check: lintian complains" >&2; exit 1; }
echo "deb-check: lintian has no error and no warning"

# The same files as a later version.
dpkg-deb --raw-extract "$deb" "$work/second"
sed -i 's/^Version: .*/&+second/' "$work/second/DEBIAN/control"
dpkg-deb --root-owner-group -Zgzip -z1 --build "$work/second" "$work/second.deb" >/dev/null
rm -rf "$work/second"
wait $!
mkdir "$work/debian"
tar -xf "$work/debian.tar" -C "$work/debian"
rm "$work/debian.tar"
mkdir "$work/debian/root/packages"
mv "$deb" "$work/debian/root/packages/first.deb"
mv "$work/second.deb" "$work/debian/root/packages/"
cp docs/fail2ban/filter.d-quittance.conf "$work/debian/etc/fail2ban/filter.d/quittance.conf"
# As the comment in it says.
sed 's/^logpath .*//; s/^backend .*//; s/^# \(backend = systemd\)$/\1/' docs/fail2ban/jail.d-quittance.conf \
  >"$work/debian/etc/fail2ban/jail.d/quittance.conf"

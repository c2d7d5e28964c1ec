#!/bin/sh
set -e

units="@UNITS@"

if [ "$1" = purge ]; then
  for unit in $units; do
    deb-systemd-helper purge "$unit" >/dev/null
    deb-systemd-helper unmask "$unit" >/dev/null
  done
  # The database is its owner's. So is the user quittance: files of it, such as backups, must not become another's.
  rm -rf /etc/quittance
fi

case "$1" in
  remove | purge)
    if [ -d /run/systemd/system ]; then systemctl --system daemon-reload; fi
    ;;
esac

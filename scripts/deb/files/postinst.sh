#!/bin/sh
set -e

units="@UNITS@"
services="@SERVICES@"

if [ "$1" = configure ]; then
  systemd-sysusers quittance.conf
  # Settings are read by systemd itself, before it becomes the user.
  [ -d /etc/quittance ] || install -d -m 750 -g quittance /etc/quittance
  [ -d /etc/quittance/credentials ] || install -d -m 700 /etc/quittance/credentials
fi

case "$1" in
  configure | abort-upgrade | abort-deconfigure | abort-remove)
    for unit in $units; do
      deb-systemd-helper unmask "$unit" >/dev/null
      # As it was before, where somebody disabled it.
      if deb-systemd-helper --quiet was-enabled "$unit"; then
        deb-systemd-helper enable "$unit" >/dev/null
      else
        deb-systemd-helper update-state "$unit" >/dev/null
      fi
    done
    if [ -d /run/systemd/system ]; then
      systemctl --system daemon-reload
      if [ -n "$2" ]; then
        # What runs: with the new files. What was stopped stays so; the target would start it, too.
        # shellcheck disable=SC2086
        systemctl try-restart $services
      else
        deb-systemd-invoke start quittance.target
      fi
    fi
    ;;
esac

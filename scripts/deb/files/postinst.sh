#!/bin/sh
set -e

units="@UNITS@"

if [ "$1" = configure ]; then
  systemd-sysusers quittance.conf
  # Settings are read by systemd itself, before it becomes the user.
  [ -d /etc/quittance ] || install -d -m 750 -g quittance /etc/quittance
  install -d -m 700 /etc/quittance/credentials
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
      if [ -z "$2" ]; then
        deb-systemd-invoke start quittance.target
      # The older version sells on until the tables are migrated: a restart would be an outage until then.
      elif [ -e /etc/quittance/quittance.env ] && systemctl --quiet is-active quittance.target; then
        echo "quittance: now run: sudo quittance migrate && sudo systemctl restart quittance.target"
      elif [ -e /etc/quittance/quittance.env ]; then
        echo "quittance: nothing is started: sudo quittance migrate && sudo systemctl start quittance.target"
      fi
    fi
    ;;
esac

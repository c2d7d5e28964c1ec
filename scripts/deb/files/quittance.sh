#!/bin/sh
# Quittance's command, with the settings and credentials of its units, and as their user.
set -eu

usage="usage: sudo quittance migrate   create the tables, or bring them up to date
       sudo quittance doctor    check settings and dependencies
       sudo quittance cli ...   every other command: sudo quittance cli --help
       quittance --version

Settings come from /etc/quittance/quittance.env and from the files in /etc/quittance/credentials.
The apps: systemctl start|stop|restart|status quittance.target. Their logs: sudo journalctl --unit 'quittance-*'."

refuse() {
  echo "quittance: $1" >&2
  exit 1
}

case "${1:-}" in
  migrate | doctor | cli) ;;
  --version) exec /usr/bin/node /usr/lib/quittance/dist/scripts/quittance.js --version ;;
  --help)
    echo "$usage"
    exit 0
    ;;
  start | pm2) refuse "systemd runs the apps here: sudo systemctl start quittance.target" ;;
  *)
    echo "$usage" >&2
    exit 1
    ;;
esac
[ "$(id -u)" -eq 0 ] || refuse "only root can read its settings: sudo quittance $1"
[ -e /etc/quittance/quittance.env ] ||
  refuse "there are no settings: copy /usr/share/quittance/quittance.env to /etc/quittance/quittance.env (mode 600) and fill it in"

# systemd loads regular files alone, and says nothing of others.
odd="$(find /etc/quittance/credentials -mindepth 1 ! -type f)"
[ -z "$odd" ] || refuse "not a regular file, so systemd does not load it: $odd"

# systemd would replace $NAME in an argument.
for argument do
  shift
  set -- "$@" "$(printf '%s' "$argument" | sed 's/\$/$$/g')"
done
unit="quittance-command-$$"
# Without a terminal only systemd-run would end, and the command go on unseen.
trap 'systemctl stop "$unit.service" 2>/dev/null || true' INT TERM HUP
code=0
systemd-run --quiet --collect --wait --pty --pipe --service-type=exec \
  --unit="$unit" --description="Quittance: a command" \
  --property=User=quittance --property=Group=quittance --property=UMask=0077 \
  --property=WorkingDirectory=/usr/lib/quittance --property=NoNewPrivileges=yes --property=CapabilityBoundingSet= \
  --setenv=NODE_ENV=production \
  /usr/bin/node /usr/lib/quittance/dist/scripts/quittance.js "$@" || code=$?
exit "$code"

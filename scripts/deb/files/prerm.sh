#!/bin/sh
set -e

units="@UNITS@"

# An upgrade leaves them running until the new files are there.
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  # shellcheck disable=SC2086
  deb-systemd-invoke stop $units
fi

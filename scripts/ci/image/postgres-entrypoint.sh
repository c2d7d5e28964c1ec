#!/bin/sh
# What the Compose file uses of the official image: a first start creates the user and the database of its environment,
# and listens on the socket alone until both are there.
set -eu
data=/var/lib/postgresql/data
if [ ! -s "$data/PG_VERSION" ]; then
  printf '%s' "$POSTGRES_PASSWORD" >/tmp/password
  initdb --pgdata="$data" --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256
  rm /tmp/password
  echo "host all all all scram-sha-256" >>"$data/pg_hba.conf"
  echo "CREATE DATABASE \"$POSTGRES_USER\"" | postgres --single -D "$data" postgres
fi
exec postgres -D "$data" -c listen_addresses='*'

# Reads the store's events since the last run, in order.
#   BASE_URL=https://pay.example STORE_ID=… API_KEY=sk_live_… sh read-events.sh
set -eu
CURSOR_FILE=${CURSOR_FILE:-events-cursor}
AFTER=$(cat "$CURSOR_FILE" 2>/dev/null || echo 0000000000000000)

while :; do
  PAGE=$(curl -sS --fail-with-body --max-time 60 -H "x-api-key: $API_KEY" \
    "$BASE_URL/api/v1/stores/$STORE_ID/events?limit=200&after=$AFTER") ||
    { printf '%s\n' "$PAGE" >&2; exit 1; } # the body of an error says what is wrong
  case $PAGE in '{"data":[]'*) break ;; esac
  printf '%s\n' "$PAGE" # handle its events here, each once, before their place is stored
  AFTER=$(printf '%s\n' "$PAGE" | sed 's/.*"nextAfter":"\([0-9]*\)".*/\1/')
  echo "$AFTER" >"$CURSOR_FILE.new" && mv "$CURSOR_FILE.new" "$CURSOR_FILE" # a full disk leaves the place stored before
done

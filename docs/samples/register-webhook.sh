# Registers a webhook and prints its secret.
#   BASE_URL=https://pay.example STORE_ID=… API_KEY=sk_live_… \
#     WEBHOOK_URL=https://shop.example/webhook sh register-webhook.sh
set -eu
WEBHOOKS="$BASE_URL/api/v1/stores/$STORE_ID/webhooks"

WEBHOOK=$(curl -sS --fail-with-body --max-time 30 "$WEBHOOKS" \
  -H "x-api-key: $API_KEY" -H "Content-Type: application/json" \
  -d "{\"url\": \"$WEBHOOK_URL\"}") ||
  { echo "$WEBHOOK" >&2; exit 1; } # the body of an error says what is wrong
echo "$WEBHOOK" # its "secret" is shown this once: keep it, your receiver verifies signatures with it
# When your receiver has the secret: POST "$WEBHOOKS/{webhookId}/test" sends it a test event.

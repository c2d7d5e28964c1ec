# Creates an invoice for an order.
#   BASE_URL=https://pay.example STORE_ID=… API_KEY=sk_live_… sh create-invoice.sh

# Sent again after a lost answer, the same Idempotency-Key gets the same invoice and not a second one.
curl -sS --fail-with-body --max-time 30 "$BASE_URL/api/v1/stores/$STORE_ID/invoices" \
  -H "x-api-key: $API_KEY" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: order-A-1001" \
  -d '{"amount": "12.50", "currency": "EUR", "metadata": {"orderId": "A-1001"}}'

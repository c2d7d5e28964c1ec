// Creates an invoice for an order. Node 20 or newer, without packages.
//   BASE_URL=https://pay.example STORE_ID=… API_KEY=sk_live_… node create-invoice.mjs
const { BASE_URL, STORE_ID, API_KEY } = process.env;

async function createInvoice(order) {
  const response = await fetch(`${BASE_URL}/api/v1/stores/${STORE_ID}/invoices`, {
    method: "POST",
    headers: {
      "x-api-key": API_KEY,
      "Content-Type": "application/json",
      // Sent again after a lost answer, the same key gets the same invoice and not a second one.
      "Idempotency-Key": `order-${order.id}`,
    },
    body: JSON.stringify({
      amount: order.total,
      currency: order.currency,
      metadata: { orderId: order.id },
    }),
    signal: AbortSignal.timeout(30_000),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}

const invoice = await createInvoice({ id: "A-1001", total: "12.50", currency: "EUR" });
console.log(`${invoice.invoiceId}: send the customer to ${invoice.checkoutUrl}`);

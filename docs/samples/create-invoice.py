# Creates an invoice for an order. Python 3.9 or newer, without packages.
#   BASE_URL=https://pay.example STORE_ID=… API_KEY=sk_live_… python3 create-invoice.py
import json
import os
import urllib.error
import urllib.request

INVOICES = f"{os.environ['BASE_URL']}/api/v1/stores/{os.environ['STORE_ID']}/invoices"


def create_invoice(order):
    body = {"amount": order["total"], "currency": order["currency"], "metadata": {"orderId": order["id"]}}
    request = urllib.request.Request(INVOICES, data=json.dumps(body).encode(), headers={
        "x-api-key": os.environ["API_KEY"],
        "Content-Type": "application/json",
        # Sent again after a lost answer, the same key gets the same invoice and not a second one.
        "Idempotency-Key": f"order-{order['id']}",
    })
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        problem = json.load(error)
        raise RuntimeError(f"{problem['code']}: {problem['detail']}") from error


invoice = create_invoice({"id": "A-1001", "total": "12.50", "currency": "EUR"})
print(f"{invoice['invoiceId']}: send the customer to {invoice['checkoutUrl']}")

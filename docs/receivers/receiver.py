# A webhook receiver in Python (3.9 or newer), without packages.
#   WEBHOOK_SECRET=whsec_… PORT=4000 python3 receiver.py        then POST to http://127.0.0.1:4000/webhook
import hashlib
import hmac
import json
import os
import secrets
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()
ORDERS_DIR = os.environ.get("ORDERS_DIR", "paid-orders")
os.makedirs(ORDERS_DIR, exist_ok=True)


def signature_is_valid(raw_body, header):
    expected = "sha256=" + hmac.new(SECRET, raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(header.encode("latin-1", "replace"), expected.encode())


def mark_paid(order, raw_body):
    """One file an order, whose name and content appear in one step (link): two requests at once cannot both make it,
    and an attempt that fails half-way leaves nothing that a redelivery would take for a paid order.

    With a database, mark the order paid and queue its shipping in one transaction instead.
    """
    path = os.path.join(ORDERS_DIR, hashlib.sha256(order.encode()).hexdigest())
    unfinished = os.path.join(ORDERS_DIR, "." + secrets.token_hex(16))
    try:
        with open(unfinished, "xb") as file:
            file.write(raw_body)
            file.flush()
            os.fsync(file.fileno())
        os.link(unfinished, path)
        return True
    except FileExistsError:
        return False
    finally:
        if os.path.exists(unfinished):
            os.unlink(unfinished)


def handle(event, raw_body, is_test):
    what = event["type"] + "/" + event["additionalStatus"]
    order = event["metadata"]["orderId"]
    if is_test:
        print(f"test event: {what}", flush=True)
    elif what in ("Settled/None", "Settled/Overpaid"):
        is_new = mark_paid(order, raw_body)
        print(f"{order}: paid, fulfil it" if is_new else f"{order}: already paid, skipped", flush=True)
    elif what == "Settled/PaidAfterExpiration":
        print(f"{order}: paid after it had expired, review it by hand", flush=True)
    else:
        print(f"{order}: {what}", flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # The raw bytes: a body that was parsed and written again has another signature.
        raw_body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/webhook":
            return self.answer(404, "POST to /webhook")
        if not signature_is_valid(raw_body, self.headers.get("X-Service-Sig", "")):
            return self.answer(401, "invalid signature")
        try:
            handle(json.loads(raw_body), raw_body, self.headers.get("X-Service-Test") == "true")
        except Exception as error:
            # Not 2xx: the delivery is marked failed and can be sent again.
            print(repr(error), flush=True)
            return self.answer(500, "not processed")
        self.answer(200, "ok")

    def answer(self, status, text):
        body = (text + "\n").encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # the default of 5 makes a burst wait


if __name__ == "__main__":
    server = Server(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver)
    print(f"listening on {server.server_port}", flush=True)
    server.serve_forever()

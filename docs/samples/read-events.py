# Reads the store's events since the last run, in order. Python 3.9 or newer, without packages.
#   BASE_URL=https://pay.example STORE_ID=… API_KEY=sk_live_… python3 read-events.py
import json
import os
import urllib.error
import urllib.request

EVENTS = f"{os.environ['BASE_URL']}/api/v1/stores/{os.environ['STORE_ID']}/events"
CURSOR_FILE = os.environ.get("CURSOR_FILE", "events-cursor")


def read_page(after):
    request = urllib.request.Request(f"{EVENTS}?limit=200&after={after}", headers={"x-api-key": os.environ["API_KEY"]})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        problem = json.load(error)
        raise RuntimeError(f"{problem['code']}: {problem['detail']}") from error


def handle(event):
    """The same as your webhook receiver does: skip an order that is marked paid already."""
    paid = event["type"] == "Settled" and event["additionalStatus"] in ("None", "Overpaid")
    # metadata is null once retention has dropped it
    order = event["metadata"]["orderId"] if event["metadata"] else event["invoiceId"]
    print(f"{order}: {event['type']}/{event['additionalStatus']}{', fulfil it' if paid else ''}")


try:
    with open(CURSOR_FILE, encoding="utf-8") as file:
        after = file.read().strip()
except FileNotFoundError:
    after = "0000000000000000"
while True:
    page = read_page(after)
    if not page["data"]:
        break
    for event in page["data"]:
        handle(event)
    after = page["nextAfter"]
    # A full disk leaves the place that was stored before.
    with open(CURSOR_FILE + ".new", "w", encoding="utf-8") as file:
        file.write(after)
    os.replace(CURSOR_FILE + ".new", CURSOR_FILE)

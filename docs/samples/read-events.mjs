// Reads the store's events since the last run, in order. Node 20 or newer, without packages.
//   BASE_URL=https://pay.example STORE_ID=… API_KEY=sk_live_… node read-events.mjs
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const { BASE_URL, STORE_ID, API_KEY, CURSOR_FILE = "events-cursor" } = process.env;

async function readPage(after) {
  const url = `${BASE_URL}/api/v1/stores/${STORE_ID}/events?limit=200&after=${after}`;
  const response = await fetch(url, {
    headers: { "x-api-key": API_KEY },
    signal: AbortSignal.timeout(60_000),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}

// The same as your webhook receiver does: skip an order that is marked paid already.
function handle({ type, additionalStatus, invoiceId, metadata }) {
  const paid = type === "Settled" && ["None", "Overpaid"].includes(additionalStatus);
  const order = metadata?.orderId ?? invoiceId; // metadata is null once retention has dropped it
  console.log(`${order}: ${type}/${additionalStatus}${paid ? ", fulfil it" : ""}`);
}

let after = existsSync(CURSOR_FILE) ? readFileSync(CURSOR_FILE, "utf8").trim() : "0000000000000000";
for (;;) {
  const { data, nextAfter } = await readPage(after);
  if (data.length === 0) break;
  data.forEach(handle);
  after = nextAfter;
  writeFileSync(`${CURSOR_FILE}.new`, after, { flush: true }); // a full disk leaves the place that was stored before
  renameSync(`${CURSOR_FILE}.new`, CURSOR_FILE);
}

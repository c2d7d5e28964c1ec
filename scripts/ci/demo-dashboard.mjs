/* global URL */
// Checks what a newcomer finds at the demo's login link: node demo-dashboard.mjs <link> <storeId>
// Redelivers what failed, so that the second time nothing has.
import { setTimeout as pause } from "node:timers/promises";

const [link = "", storeId = ""] = process.argv.slice(2);
const { origin, pathname, hash } = new URL(link);
const PATIENCE_MS = 150_000;
const STATES = [
  "New/None",
  "Processing/None",
  "Settled/None",
  "Settled/Overpaid",
  "Settled/PaidAfterExpiration",
  "Expired/None",
  "Expired/Underpaid",
  "Invalid/None",
];

let cookie = "";
async function call(method, path, body) {
  const answer = await fetch(`${origin}${path}`, {
    method,
    headers: { origin, cookie, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return { json: text.startsWith("{") ? JSON.parse(text) : null, cookies: answer.headers.getSetCookie() };
}

async function until(look, complaint) {
  const deadline = performance.now() + PATIENCE_MS;
  for (let missing = await look(); missing !== null; missing = await look()) {
    if (performance.now() > deadline) throw new Error(`${complaint}: ${missing}`);
    await pause(2_000);
  }
}

await call("GET", pathname);
const used = { token: hash.slice(1) };
cookie = (await call("POST", "/api/dashboard/links/use", used)).cookies
  .map((one) => one.split(";")[0])
  .join("; ");
const again = await call("POST", "/api/dashboard/links/use", used).catch((error) => error);
if (!(again instanceof Error)) throw new Error("the link works twice");

const store = `/api/dashboard/stores/${storeId}`;
const { role, member } = (await call("GET", `${store}/role`)).json;
if (role !== "owner" || !member) throw new Error(`the visitor is no owner but ${role}`);

let invoices = [];
await until(async () => {
  invoices = (await call("GET", `${store}/invoices?limit=200`)).json.data;
  const there = new Set(invoices.map(({ status, additionalStatus }) => `${status}/${additionalStatus}`));
  return STATES.filter((state) => !there.has(state)).join(", ") || null;
}, "no invoice is");
const orders = invoices.map(({ metadata }) => metadata.orderId).filter((id) => id.startsWith("example-"));
if (new Set(orders).size !== orders.length) throw new Error(`made twice: ${orders.join(", ")}`);

const webhooks = (await call("GET", `${store}/webhooks`)).json.data;
const accounting = webhooks.find(({ url }) => url.endsWith("/accounting"));
const deliveries = `${store}/webhooks/${accounting.webhookId}/deliveries`;
const failed = (await call("GET", `${deliveries}?state=failed`)).json.data;
for (const { deliveryId } of failed) await call("POST", `${deliveries}/${deliveryId}/redeliver`);
await until(
  async () =>
    (await call("GET", `${deliveries}?state=failed`)).json.data.length === 0 ? null : "still failed",
  "a redelivered webhook",
);

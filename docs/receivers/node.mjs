// A webhook receiver in Node (20 or newer), without packages.
//   WEBHOOK_SECRET=whsec_… PORT=4000 node node.mjs        then POST to http://127.0.0.1:4000/webhook
import { createHash, createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const secret = process.env.WEBHOOK_SECRET;
if (!secret)
  throw new Error("set WEBHOOK_SECRET to the secret that was shown when the webhook was registered");
const ordersDir = process.env.ORDERS_DIR ?? "paid-orders";
mkdirSync(ordersDir, { recursive: true });

function signatureIsValid(rawBody, header) {
  const expected = Buffer.from("sha256=" + createHmac("sha256", secret).update(rawBody).digest("hex"));
  const given = Buffer.from(header ?? "");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

// One file an order, whose name and content appear in one step (link): two requests at once cannot both make it, and
// an attempt that fails half-way leaves nothing that a redelivery would take for a paid order.
// With a database, mark the order paid and queue its shipping in one transaction instead.
function markPaid(order, rawBody) {
  const name = createHash("sha256").update(order).digest("hex");
  const unfinished = join(ordersDir, `.${name}-${randomUUID()}`);
  try {
    writeFileSync(unfinished, rawBody, { flush: true });
    linkSync(unfinished, join(ordersDir, name));
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function handle(event, rawBody, isTest) {
  const what = `${event.type}/${event.additionalStatus}`;
  const order = event.metadata.orderId;
  if (isTest) {
    console.log(`test event: ${what}`);
  } else if (what === "Settled/None" || what === "Settled/Overpaid") {
    console.log(markPaid(order, rawBody) ? `${order}: paid, fulfil it` : `${order}: already paid, skipped`);
  } else if (what === "Settled/PaidAfterExpiration") {
    console.log(`${order}: paid after it had expired, review it by hand`);
  } else {
    console.log(`${order}: ${what}`);
  }
}

function answer(response, status, text) {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" }).end(text + "\n");
}

const server = createServer(async (request, response) => {
  if (request.method !== "POST" || request.url !== "/webhook")
    return answer(response, 404, "POST to /webhook");
  try {
    // The raw bytes: a body that was parsed and written again has another signature.
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const rawBody = Buffer.concat(chunks);
    if (!signatureIsValid(rawBody, request.headers["x-service-sig"]))
      return answer(response, 401, "invalid signature");
    const isTest = request.headers["x-service-test"] === "true";
    handle(JSON.parse(rawBody.toString("utf8")), rawBody, isTest);
    answer(response, 200, "ok");
  } catch (error) {
    // Not 2xx: the delivery is marked failed and can be sent again.
    console.error(error);
    answer(response, 500, "not processed");
  }
});
server.listen(Number(process.env.PORT ?? 4000), "127.0.0.1", () =>
  console.log(`listening on ${server.address().port}`),
);

/* global URL */
// Does what a newcomer does with the demo's link to a checkout: node demo-checkout.mjs <checkoutUrl>
// The page has the test mode's buttons; "Pay in full" and "Mine a block" lead to Paid, and another invoice to Expired.
import { setTimeout as pause } from "node:timers/promises";

const [checkoutUrl = ""] = process.argv.slice(2);
const { origin } = new URL(checkoutUrl);
const PATIENCE_MS = 60_000;
const LOOK_AGAIN_MS = 500;

const read = async (url) => {
  const answer = await fetch(url);
  const page = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${page}`);
  return page;
};

/** As a browser without scripts does; returns the redirect's target. */
async function press(url, action) {
  const [, path] = new RegExp(`formaction="([^"]*/test/${action})"`).exec(await read(url)) ?? [];
  if (path === undefined) throw new Error(`the page has no button "${action}"`);
  const answer = await fetch(new URL(path, origin), {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin", accept: "text/html" },
    redirect: "manual",
  });
  if (answer.status !== 303) throw new Error(`${action}: ${answer.status} ${await answer.text()}`);
  return new URL(answer.headers.get("location"), origin).href;
}

async function until(url, phase) {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const [, is] = /data-phase="(\w+)"/.exec(await read(url)) ?? [];
    if (is === phase) return;
    if (performance.now() > deadline) throw new Error(`${url} is ${is}, and not ${phase}`);
    await pause(LOOK_AGAIN_MS);
  }
}

await until(checkoutUrl, "waiting");
await press(checkoutUrl, "full");
await until(checkoutUrl, "seen");
await press(checkoutUrl, "mine");
await until(checkoutUrl, "paid");
const another = await press(checkoutUrl, "another");
await until(another, "waiting");
await press(another, "expire");
await until(another, "expired");

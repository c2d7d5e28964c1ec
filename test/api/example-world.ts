import { expect } from "chai";
import { makeWebhookClient } from "../../adapters/http/webhook-client";
import { acceptRows } from "../../commands/server/authentic-rows";
import { createApiKey } from "../../commands/stores/api-key";
import { createStore } from "../../commands/stores/create-store";
import { testContext } from "../support/context";
import { testDatabase } from "../support/database";
import { startApi, type Answer, type TestApi } from "./server";

/** BIP 84's test vector, whose first addresses stand in the description's examples. */
const XPUB =
  "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V";

/** An API of the main network, to which the hosts of the description's examples exist. It sends nothing to them. */
export async function startExampleApi(): Promise<TestApi> {
  const { checkWebhookUrl, sendWebhook } = makeWebhookClient({
    network: "mainnet",
    allowedCidrs: [],
    metrics: { webhook: () => undefined },
    resolve: (host) =>
      host.endsWith(".example") ? Promise.resolve(["1.1.1.1"]) : Promise.reject(new Error("no such host")),
  });
  const db = await testDatabase();
  const ctx = await testContext({ db, checkWebhookUrl, sendWebhook, settings: { network: "mainnet" } });
  return startApi({ db, parts: { context: () => ctx, network: "mainnet" } });
}

/** A store, and one of each thing that a path can name. */
export interface ExampleWorld {
  apiKey: string;
  /** By the parameter's name. */
  ids: Record<string, string>;
}

export async function makeWorld(api: TestApi): Promise<ExampleWorld> {
  const ctx = await testContext({ db: api.db, settings: { network: "mainnet" } });
  const { id: storeId } = await createStore(ctx, { name: "Shop", wallet: { xpub: XPUB } });
  // Keys may do here what the description says of them.
  await api.db.query("UPDATE stores SET wallet_changes_by_key = true WHERE id = $1", [storeId]);
  await acceptRows(api.ctx);
  const { apiKey } = await createApiKey(ctx, { storeId, name: "test" });
  const { record } = await createApiKey(ctx, { storeId, name: "another" });
  const call = async (method: string, rest: string, body?: object): Promise<Answer> => {
    const answer = await api.call(method, `/stores/${storeId}${rest}`, { key: apiKey, body });
    expect(answer.status, answer.text).to.be.oneOf([200, 201]);
    return answer;
  };
  const { webhookId } = (await call("POST", "/webhooks", { url: "https://shop.example/hook" })).json;
  const { invoiceId } = (await call("POST", "/invoices", { amount: "25000", currency: "SATS" })).json;
  const link = { description: "Tea", currency: "EUR", amounts: ["12.50"] };
  const { linkId } = (await call("POST", "/payment-links", link)).json as Record<string, unknown>;
  // As it stands after the endpoint refused it.
  await api.db.query("UPDATE webhook_deliveries SET state = 'failed' WHERE webhook_id = $1", [webhookId]);
  const deliveries = await call("GET", `/webhooks/${webhookId}/deliveries`);
  const { deliveryId } = deliveries.json.data[0];
  const reviewId = ctx.newId("rev");
  await api.db.query("UPDATE invoices SET paid_sats = 35000, confirmed_sats = 35000 WHERE id = $1", [
    invoiceId,
  ]);
  await api.db.query(
    `INSERT INTO reviews (id, store_id, invoice_id, reason, received_sats, last_paid_at, created_at)
     VALUES ($1, $2, $3, 'overpaid', 35000, now(), now())`,
    [reviewId, storeId, invoiceId],
  );
  return {
    apiKey,
    ids: { storeId, webhookId, invoiceId, reviewId, deliveryId, keyId: record.id, linkId: String(linkId) },
  };
}

/** A path of the description with the ids of things that are there. */
export const filledPath = (path: string, { ids }: ExampleWorld): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "unknown");

import { createHash } from "node:crypto";
import type pg from "pg";
import { readStoreHome } from "../../../commands/stores/read-store-home";
import { cursorText } from "../../../database/pagination";
import { addressOfScript } from "../../../domain/wallet/address";
import { withContext } from "../../cli/context";
import { type Bench, type Figure, figure, type Lab } from "../bench";
import { withFiller } from "../fill/fill";
import { fillInvoices } from "../fill/fill-invoices";
import { scriptOfNumber } from "../fill/fill-scripts";
import type { Service, Store } from "../service";

const LIMIT = 50;
const AIM = { text: "< 50 ms", atMost: 50 };
/** Invoices of the export: the youngest. */
const EXPORTED = 20_000;

interface Shop {
  lab: Lab;
  service: Service;
  store: Store;
  webhookId: string;
  client: pg.Client;
  size: number;
}

/** The place in the middle of a table. */
async function middle({ client }: Shop, table: string): Promise<string> {
  const { rows } = await client.query<{ micros: string; id: string }>(
    `SELECT (extract(epoch FROM created_at) * 1000000)::bigint AS micros, id FROM ${table}
      ORDER BY created_at DESC, id DESC OFFSET (SELECT count(*) / 2 FROM ${table}) LIMIT 1`,
  );
  const [place] = rows;
  return place === undefined ? "" : cursorText(place);
}

/** The request below the store, by name. */
async function listsOf(shop: Shop): Promise<Record<string, string>> {
  const number = Math.floor(shop.size / 2);
  const txid = createHash("sha256").update(`tx ${number}`).digest("hex");
  const address = addressOfScript(scriptOfNumber(number), "regtest");
  const deliveries = `/webhooks/${shop.webhookId}/deliveries?limit=${LIMIT}`;
  const invoices = `/invoices?limit=${LIMIT}`;
  return {
    "invoices, newest": invoices,
    "invoices, a page in the middle": `${invoices}&cursor=${await middle(shop, "invoices")}`,
    "invoices by status, many": `${invoices}&status=Settled`,
    "invoices by two statuses, few": `${invoices}&status=New&status=Invalid`,
    "invoices by status, none": `${invoices}&status=New&createdTo=2020-01-01T00:00:00Z`,
    "invoices by additional status, few": `${invoices}&additionalStatus=PaidAfterExpiration&status=Invalid`,
    "invoices, archived": `${invoices}&archived=true`,
    "invoices by order id": `/invoices?orderId=order-${number}`,
    "search: invoice id": `/invoices?q=inv_${number}`,
    "search: txid": `/invoices?q=${txid}`,
    "search: address": `/invoices?q=${address}`,
    "search: nothing found": `${invoices}&q=nothing`,
    "search: a part of one order id": `/invoices?search=R-${number}`,
    "search: a part of every order id": `${invoices}&search=order`,
    "feed, from the middle": `/events?limit=${LIMIT}&after=${String(shop.size).padStart(16, "0")}`,
    "deliveries, newest": deliveries,
    "deliveries, a page in the middle": `${deliveries}&cursor=${await middle(shop, "webhook_deliveries")}`,
    "deliveries that failed": `${deliveries}&state=failed`,
    "deliveries that wait, none": `${deliveries}&state=pending`,
    "deliveries of a rare event": `${deliveries}&type=Invalid`,
    "deliveries of an invoice": `${deliveries}&invoiceId=inv_${number}`,
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** In milliseconds, of the second round on: the first has found its pages on disk, and summed days that are over. */
async function measured(lab: Lab, name: string, read: () => Promise<unknown>, aim = AIM): Promise<Figure> {
  const took: number[] = [];
  for (let round = 0; round < lab.size(11, 3); round += 1) took.push(await timed(read));
  return figure({ name, unit: "ms", ours: took.slice(1), aim });
}

async function read({ service, store }: Shop, way: string): Promise<void> {
  const { status, json } = await service.call(store, "GET", way);
  if (status !== 200) throw new Error(`${way}: ${JSON.stringify(json)}`);
}

async function measureLists(shop: Shop): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, way] of Object.entries(await listsOf(shop)))
    figures.push(await measured(shop.lab, name, () => read(shop, way)));
  return figures;
}

/** The dashboard's first page needs a login, so its queries are run here. */
async function measureHome({ lab, service, store }: Shop): Promise<Figure> {
  const terminal = { env: service.environment(), out: () => undefined, err: () => undefined };
  return withContext(terminal, [], (ctx) =>
    measured(lab, "home page's numbers", () => readStoreHome(ctx, store.storeId)),
  );
}

const LONG_AIM = { text: "< 100 ms", atMost: 100 };

const dayBefore = (days: number): string =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

async function measurePeriods(shop: Shop): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, days, way, aim] of [
    ["report of 30 days, again", 30, "/reports", LONG_AIM],
    ["report of a year by day, again", 365, "/reports", LONG_AIM],
    ["books, a page of a year", 365, "/payments", AIM],
    ["books, sums of a month, again", 30, "/payments/summary", LONG_AIM],
    ["books, sums of a year, again", 365, "/payments/summary", LONG_AIM],
  ] as const) {
    const range = `${way}?from=${dayBefore(days - 1)}&to=${dayBefore(0)}`;
    figures.push(await measured(shop.lab, name, () => read(shop, range), aim));
  }
  return figures;
}

async function measureExport({ lab, service, store, client, size }: Shop): Promise<Figure> {
  const exported = Math.min(size, lab.size(EXPORTED, 500));
  const { rows } = await client.query<{ at: string }>(
    `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM invoices
      WHERE store_id = $1 ORDER BY created_at DESC LIMIT 1 OFFSET $2`,
    [store.storeId, exported - 1],
  );
  const from = rows[0]?.at ?? "2020-01-01T00:00:00Z";
  const url = `${service.base}/api/v1/stores/${store.storeId}/invoices/export?format=csv&createdFrom=${from}`;
  const ours: number[] = [];
  for (let round = 0; round < lab.rounds; round += 1) {
    const tookMs = await timed(async () => {
      const answer = await fetch(url, { headers: { "x-api-key": store.apiKey } });
      if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
      await answer.text();
    });
    ours.push((exported * 1_000) / tookMs);
  }
  return figure({ name: "export as CSV", unit: "invoices/s", ours });
}

/** Every kind of list of the API, the home page's numbers and the export. */
export const lists: Bench = {
  name: "lists",
  title: "Lists, search, feed and export of a million invoices",
  async run(lab) {
    const size = lab.size(1_000_000, 1_000);
    const service = await lab.startService({ apps: ["api"] });
    const store = await service.openStore();
    const hook = { url: "http://127.0.0.1:9/hook" };
    const { json } = await service.call<{ webhookId: string }>(store, "POST", "/webhooks", hook);
    const { webhookId } = json;
    await fillInvoices(service.databaseUrl, { storeId: store.storeId, webhookId, count: size });
    return withFiller(service.databaseUrl, async (client) => {
      const shop = { lab, service, store, webhookId, client, size };
      return [
        ...(await measureLists(shop)),
        await measureHome(shop),
        ...(await measurePeriods(shop)),
        await measureExport(shop),
      ];
    });
  },
};

import { createHash } from "node:crypto";
import type pg from "pg";
import { cursorText } from "../../../database/pagination";
import { readStoreHome } from "../../../commands/stores/read-store-home";
import { addressOfScript } from "../../../domain/wallet/address";
import { withContext } from "../../cli/context";
import { type Bench, type Figure, figure, medianOf } from "../bench";
import { withFiller } from "../fill/fill";
import { fillInvoices } from "../fill/fill-invoices";
import { scriptOfNumber } from "../fill/fill-scripts";
import type { Lab } from "../lab";
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

/** The request, below the store. */
type Ask = (shop: Shop) => Promise<string> | string;

const invoices =
  (query: string): Ask =>
  () =>
    `/invoices?limit=${LIMIT}&${query}`;
const deliveries =
  (query: string): Ask =>
  ({ webhookId }) =>
    `/webhooks/${webhookId}/deliveries?limit=${LIMIT}&${query}`;

/** A place in the middle of what there is. */
async function middle({ client }: Shop, table: string, where: string): Promise<string> {
  const { rows } = await client.query<{ micros: string; id: string }>(
    `SELECT (extract(epoch FROM created_at) * 1000000)::bigint AS micros, id FROM ${table}
      WHERE ${where} ORDER BY created_at DESC, id DESC OFFSET (SELECT count(*) / 2 FROM ${table}) LIMIT 1`,
  );
  const place = rows[0];
  return place === undefined ? "" : `&cursor=${cursorText(place)}`;
}

/** Of something in the middle. */
const numberOf = ({ size }: Shop): number => Math.floor(size / 2);
const txidOf = (shop: Shop): string =>
  createHash("sha256")
    .update(`tx ${numberOf(shop)}`)
    .digest("hex");

const ASKED: readonly (readonly [name: string, table: string, ask: Ask])[] = [
  ["invoices, newest", "invoices", invoices("")],
  [
    "invoices, a page in the middle",
    "invoices",
    async (shop) => `/invoices?limit=${LIMIT}${await middle(shop, "invoices", "true")}`,
  ],
  ["invoices by status, many", "invoices", invoices("status=Settled")],
  ["invoices by two statuses, few", "invoices", invoices("status=New&status=Processing")],
  ["invoices by two statuses, of which one is long ago", "invoices", invoices("status=New&status=Invalid")],
  ["invoices by status, none", "invoices", invoices("status=New&createdTo=2020-01-01T00:00:00Z")],
  ["invoices by additional status, few", "invoices", invoices("additionalStatus=Underpaid")],
  [
    "invoices by additional status, fewer than a page",
    "invoices",
    invoices("additionalStatus=PaidAfterExpiration&status=Invalid"),
  ],
  ["invoices, archived", "invoices", invoices("archived=true")],
  ["invoices by status, archived", "invoices", invoices("archived=true&status=Processing")],
  ["invoices by order id", "invoices", (shop) => `/invoices?orderId=order-${numberOf(shop)}`],
  ["search: order id", "invoices", (shop) => `/invoices?q=order-${numberOf(shop)}`],
  ["search: invoice id", "invoices", (shop) => `/invoices?q=inv_${numberOf(shop)}`],
  ["search: txid", "invoices", (shop) => `/invoices?q=${txidOf(shop)}`],
  [
    "search: address",
    "invoices",
    (shop) => `/invoices?q=${addressOfScript(scriptOfNumber(numberOf(shop)), "regtest")}`,
  ],
  ["search: nothing found", "invoices", invoices("q=nothing")],
  ["search: a part of one order id", "invoices", (shop) => `/invoices?search=R-${numberOf(shop)}`],
  ["search: a part of every order id", "invoices", invoices("search=order")],
  ["search: an amount and a part of no order id", "invoices", invoices("search=49.90+EUR+nothing")],
  ["feed, from the beginning", "invoice_events", () => `/events?limit=${LIMIT}`],
  [
    "feed, from the middle",
    "invoice_events",
    ({ size }) => `/events?limit=${LIMIT}&after=${String(size).padStart(16, "0")}`,
  ],
  ["deliveries, newest", "webhook_deliveries", deliveries("")],
  [
    "deliveries, a page in the middle",
    "webhook_deliveries",
    async (shop) =>
      `/webhooks/${shop.webhookId}/deliveries?limit=${LIMIT}${await middle(shop, "webhook_deliveries", "true")}`,
  ],
  ["deliveries that failed", "webhook_deliveries", deliveries("state=failed")],
  ["deliveries that were skipped", "webhook_deliveries", deliveries("state=skipped")],
  ["deliveries that wait, none", "webhook_deliveries", deliveries("state=pending")],
  ["deliveries of a rare event", "webhook_deliveries", deliveries("type=Invalid")],
  ["deliveries of a rare event that failed", "webhook_deliveries", deliveries("type=Invalid&state=failed")],
  [
    "deliveries of an invoice",
    "webhook_deliveries",
    (shop) => deliveries(`invoiceId=inv_${numberOf(shop)}`)(shop),
  ],
];

/** Every list of the API, the home page's numbers and the export, at more and more invoices. */
export const lists: Bench = {
  name: "lists",
  title: "Lists, search, feed and export",
  usesQueues: false,
  async run(lab) {
    const sizes = lab.quick ? [1_000, 2_000] : [1_000, 10_000, 100_000, 1_000_000];
    const service = await lab.startService({ apps: ["api"] });
    const store = await service.openStore();
    const hook = await service.call<{ webhookId: string }>(store, "POST", "/webhooks", {
      url: "http://127.0.0.1:9/hook",
    });
    const { webhookId } = hook.json;
    const measured = new Map<string, Measurement[]>();
    let filled = 0;
    for (const size of sizes) {
      lab.say(`${size.toLocaleString("en")} invoices`);
      const plan = { storeId: store.storeId, webhookId, from: filled, to: size };
      await fillInvoices(service.databaseUrl, plan);
      filled = size;
      await withFiller(service.databaseUrl, (client) =>
        measureAll({ lab, service, store, webhookId, client, size }, measured),
      );
      lab.noteMemory("lists and exports", service.memory());
    }
    return [...measured].map(([name, all]) => figureOf(name, all));
  },
};

interface Measurement {
  size: number;
  unit: string;
  ours: number[];
  raw: { what: string; rounds: number[] };
}

/** At the largest size; the smaller ones are listed beside it. */
function figureOf(name: string, all: readonly Measurement[]): Figure {
  const { ours, raw, unit, size } = all.at(-1) as Measurement;
  const before = all.slice(0, -1).map((one) => [`at ${one.size.toLocaleString("en")}`, medianOf(one.ours)]);
  return figure({
    name: `${name} (${size.toLocaleString("en")})`,
    unit,
    ours,
    raw,
    ...(unit === "ms" ? { aim: AIM } : {}),
    also: Object.fromEntries(before) as Record<string, number>,
  });
}

async function measureAll(shop: Shop, measured: Map<string, Measurement[]>): Promise<void> {
  const note = (name: string, measurement: Omit<Measurement, "size">): void =>
    void measured.set(name, [...(measured.get(name) ?? []), { ...measurement, size: shop.size }]);
  for (const [name, table, ask] of ASKED) note(name, await measureList(shop, table, await ask(shop)));
  note("home page's numbers", await measureHome(shop));
  note("export of all as CSV, until its first invoice", await measureFirstExported(shop));
  note("export as CSV", await measureExport(shop));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

async function measureList(
  { lab, service, store, client }: Shop,
  table: string,
  way: string,
): Promise<Omit<Measurement, "size">> {
  const { rows } = await client.query<{ id: string }>(`SELECT id FROM ${table} LIMIT ${LIMIT}`);
  const ids = rows.map(({ id }) => id);
  const ours: number[] = [];
  const raw: number[] = [];
  for (let round = 0; round < lab.size(11, 3); round += 1) {
    ours.push(
      await timed(async () => {
        const { status, json } = await service.call(store, "GET", way);
        if (status !== 200) throw new Error(`${way}: ${JSON.stringify(json)}`);
      }),
    );
    raw.push(await timed(() => client.query(`SELECT * FROM ${table} WHERE id = ANY($1)`, [ids])));
  }
  // The first has found its pages on disk.
  const what = `SELECT of ${LIMIT} rows by primary key`;
  return { unit: "ms", ours: ours.slice(1), raw: { what, rounds: raw.slice(1) } };
}

/** The dashboard's first page needs a login, so its queries are run here. */
async function measureHome({ lab, service, store, client }: Shop): Promise<Omit<Measurement, "size">> {
  const ours: number[] = [];
  const raw: number[] = [];
  const terminal = { env: service.environment(), out: () => undefined, err: () => undefined };
  await withContext(terminal, [], async (ctx) => {
    for (let round = 0; round < lab.size(6, 2); round += 1) {
      ours.push(await timed(() => readStoreHome(ctx, store.storeId)));
      raw.push(
        await timed(() =>
          client.query(
            "SELECT count(*) FROM invoices WHERE store_id = $1 AND created_at >= now() - interval '30 days'",
            [store.storeId],
          ),
        ),
      );
    }
  });
  return {
    unit: "ms",
    ours: ours.slice(1),
    raw: { what: "count of 30 days' invoices", rounds: raw.slice(1) },
  };
}

async function measureFirstExported({
  lab,
  service,
  store,
  client,
}: Shop): Promise<Omit<Measurement, "size">> {
  const ours: number[] = [];
  const raw: number[] = [];
  for (let round = 0; round < lab.size(11, 3); round += 1) {
    ours.push(
      await timed(async () => {
        const reader = (await exportOf(service, store, "")).body?.getReader();
        // The header's line says nothing yet.
        for (let text = ""; text.split("\n").length < 3;)
          text += Buffer.from((await reader?.read())?.value ?? "\n\n").toString();
        await reader?.cancel();
      }),
    );
    raw.push(
      await timed(() =>
        client.query(
          "SELECT * FROM invoices WHERE store_id = $1 ORDER BY created_at DESC, id DESC LIMIT 200",
          [store.storeId],
        ),
      ),
    );
  }
  const what = "SELECT of the 200 youngest";
  return { unit: "ms", ours: ours.slice(1), raw: { what, rounds: raw.slice(1) } };
}

async function measureExport({
  lab,
  service,
  store,
  client,
  size,
}: Shop): Promise<Omit<Measurement, "size">> {
  const exported = Math.min(size, lab.size(EXPORTED, 500));
  const { rows } = await client.query<{ at: string }>(
    `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at FROM invoices
      WHERE store_id = $1 ORDER BY created_at DESC LIMIT 1 OFFSET $2`,
    [store.storeId, exported - 1],
  );
  const from = rows[0]?.at ?? "2020-01-01T00:00:00Z";
  const perSecond = async (work: () => Promise<unknown>): Promise<number> =>
    exported / ((await timed(work)) / 1_000);
  const ours: number[] = [];
  const raw: number[] = [];
  for (let round = 0; round < lab.size(3, 1); round += 1) {
    ours.push(await perSecond(async () => (await exportOf(service, store, `&createdFrom=${from}`)).text()));
    raw.push(
      await perSecond(() =>
        client.query("SELECT * FROM invoices WHERE store_id = $1 AND created_at >= $2", [
          store.storeId,
          from,
        ]),
      ),
    );
  }
  return { unit: "invoices/s", ours, raw: { what: "one SELECT of the same rows", rounds: raw } };
}

async function exportOf(service: Service, { storeId, apiKey }: Store, query: string): Promise<Response> {
  const url = `${service.base}/api/v1/stores/${storeId}/invoices/export?format=csv${query}`;
  const answer = await fetch(url, { headers: { "x-api-key": apiKey } });
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return answer;
}

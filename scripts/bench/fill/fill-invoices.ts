import { makeSecretBox } from "../../../adapters/crypto";
import { addressFields } from "../../../commands/wallets/destination-macs";
import { fillTables, type Statement, withFiller } from "./fill";
import { BENCH_WALLET_ID, scriptOfNumber } from "./fill-scripts";
import { BENCH_SECRET } from "../service";

/** Invoices `inv_0` …, the higher the younger. */
interface InvoicePlan {
  storeId: string;
  /** All of its events have gone out to it. */
  webhookId: string;
  count: number;
}

/** Made so that the newest of all invoices is some minutes old and each is this much younger than the one before. */
const YEAR_SECONDS = 365 * 86_400;
const NEWEST_MINUTES = 20;

/**
 * Of a thousand invoices: 600 Settled, 10 of them Overpaid; 360 Expired, 10 Underpaid and 2 PaidAfterExpiration; 20
 * Processing. Ten more were New on the last day, Invalid in the first two months and else Expired as well: one list
 * finds them at its beginning, another only at its end. One in 500 is archived.
 */
const STATES = `CASE WHEN k < 590 THEN 'Settled' WHEN k < 600 THEN 'Settled/Overpaid' WHEN k < 948 THEN 'Expired'
  WHEN k < 958 THEN 'Expired/Underpaid' WHEN k < 960 THEN 'Expired/PaidAfterExpiration' WHEN k < 980 THEN 'Processing'
  WHEN seconds < 86400 THEN 'New' WHEN seconds > 300 * 86400 THEN 'Invalid' ELSE 'Expired' END`;

const TABLES = [
  "invoices",
  "invoice_payment_methods",
  "watched_scripts",
  "payments",
  "invoice_events",
  "webhook_deliveries",
];

/** A year of a store's life, evenly spread, whose youngest invoices are those with the highest numbers. */
export async function fillInvoices(databaseUrl: string, plan: InvoicePlan): Promise<void> {
  const { storeId, webhookId, count } = plan;
  const made: Statement = [
    `CREATE TEMPORARY TABLE made AS
     SELECT n, 'inv_' || n AS id, split_part(state, '/', 1) AS status,
            CASE WHEN strpos(state, '/') > 0 THEN split_part(state, '/', 2) ELSE 'None' END AS additional_status,
            clock_timestamp() - ${NEWEST_MINUTES} * interval '1 minute' - seconds * interval '1 second' AS created_at,
            encode(sha256(convert_to('tx ' || n, 'UTF8')), 'hex') AS txid
       FROM (SELECT n, seconds, ${STATES} AS state
               FROM (SELECT n, n::bigint * 7919 % 1000 AS k, ($1::int - n) * (${YEAR_SECONDS}.0 / $1::int) AS seconds
                       FROM generate_series(0, $1::int - 1) AS n) AS numbered) AS stated`,
    [count],
  ];
  await fillTables(databaseUrl, TABLES, count, [
    made,
    ...macRows(count),
    ...invoiceRows(storeId),
    ...paymentRows(storeId),
    ...eventRows(storeId, webhookId),
    ["DROP TABLE made"],
  ]);
}

/** Not one amount for all, whose trigrams would be in each row that is searched. */
const SATS = "(40000 + n::bigint * 7919 % 20000)";

const MACS_AT_ONCE = 100_000;

/** What the service would have written beside each address: Postgres cannot compute it without the secret. */
function macRows(count: number): Statement[] {
  const box = makeSecretBox({ appSecret: BENCH_SECRET });
  const statements: Statement[] = [["CREATE TEMPORARY TABLE macs (n integer, mac text)"]];
  for (let first = 0; first < count; first += MACS_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(MACS_AT_ONCE, count - first) }, (_, at) => first + at);
    const macs = numbers.map((n) => {
      const invoiceId = `inv_${n}`;
      const place = { walletId: BENCH_WALLET_ID, addressIndex: n, scriptPubKey: scriptOfNumber(n) };
      return box.mac(addressFields({ invoiceId, address: `bcrt1qbench${n}`, ...place })).toString("hex");
    });
    statements.push([
      "INSERT INTO macs SELECT * FROM unnest(string_to_array($1, ',')::integer[], string_to_array($2, ','))",
      [numbers.join(), macs.join()],
    ]);
  }
  return statements;
}

function invoiceRows(storeId: string): Statement[] {
  return [
    [
      `INSERT INTO invoices (id, store_id, status, additional_status, amount, currency, due_sats, min_due_sats,
              paid_sats, confirmed_sats, metadata, order_id, required_confirmations, created_at, expires_at,
              monitoring_until, archived_at)
       SELECT id, $1, status, additional_status, ${SATS}, 'SATS', ${SATS}, ${SATS},
              CASE WHEN status = 'Expired' THEN 0 ELSE ${SATS} END, CASE WHEN status = 'Settled' THEN ${SATS} ELSE 0 END,
              '{"orderId":"order-' || n || '","customer":"somebody"}', 'order-' || n, 1, created_at,
              created_at + interval '15 minutes', created_at + interval '1 day 15 minutes',
              CASE WHEN n % 500 = 0 THEN created_at END
         FROM made`,
      [storeId],
    ],
    [
      `INSERT INTO invoice_payment_methods (invoice_id, type, destination, mac)
       SELECT id, 'BTC-CHAIN', 'bcrt1qbench' || n, decode(mac, 'hex') FROM made JOIN macs USING (n)`,
    ],
    ["DROP TABLE macs"],
    [
      `INSERT INTO watched_scripts (script_pub_key, invoice_id, wallet_id, address_index)
       SELECT '\\x0014'::bytea || substr(sha256(convert_to('script ' || n, 'UTF8')), 1, 20), id, '${BENCH_WALLET_ID}', n FROM made`,
    ],
  ];
}

function paymentRows(storeId: string): Statement[] {
  return [
    [
      `INSERT INTO payments (id, invoice_id, store_id, type, amount_sats, state, first_seen_at, confirmed_at, txid, vout,
              block_height, block_hash)
       SELECT txid || ':0', id, $1, 'BTC-CHAIN', ${SATS}, 'confirmed', created_at + interval '5 minutes',
              created_at + interval '15 minutes', txid, 0, 100 + n / 100, 'block ' || n / 100
         FROM made WHERE status = 'Settled' OR additional_status <> 'None'`,
      [storeId],
    ],
  ];
}

/** `New` of each, and what became of it; each with its place in the feed. */
function eventRows(storeId: string, webhookId: string): Statement[] {
  const events: Statement = [
    `INSERT INTO invoice_events (id, seq, store_id, invoice_id, type, additional_status, body, created_at, feed_seq)
     SELECT 'evt_' || n || type, nextval('invoice_events_seq_seq'), $1, id, type, told.additional_status,
            convert_to('{"type":"' || type || '","invoiceId":"' || id || '"}', 'UTF8'), at,
            row_number() OVER (ORDER BY at, n)
       FROM made CROSS JOIN LATERAL (
         SELECT 'New' AS type, 'None' AS additional_status, created_at AS at
         UNION ALL SELECT status, made.additional_status, created_at + interval '15 minutes' WHERE status <> 'New') AS told
      ORDER BY at, n`,
    [storeId],
  ];
  return [
    events,
    [
      `INSERT INTO webhook_deliveries (id, event_id, event_seq, webhook_id, store_id, invoice_id, state, attempt_count,
              http_status, error, duration_ms, created_at, last_attempt_at)
       SELECT 'whd_' || e.seq, e.id, e.seq, $2, $1, e.invoice_id,
              CASE WHEN n % 1000 = 1 THEN 'failed' WHEN n % 5000 = 2 THEN 'skipped' ELSE 'delivered' END, 1,
              CASE WHEN n % 1000 = 1 THEN 500 ELSE 200 END, CASE WHEN n % 1000 = 1 THEN 'http-500' END, 20,
              e.created_at, e.created_at
         FROM made JOIN invoice_events e ON e.invoice_id = made.id`,
      [storeId, webhookId],
    ],
  ];
}

/** Unpaid invoices `inv_0` … whose `New` was delivered. */
export async function fillExpiring(
  databaseUrl: string,
  { storeId, webhookId, count }: InvoicePlan,
): Promise<void> {
  await fillTables(databaseUrl, TABLES, count, [
    [
      `CREATE TEMPORARY TABLE made AS
       SELECT n, 'inv_' || n AS id, 'New' AS status, 'None' AS additional_status, clock_timestamp() AS created_at
         FROM generate_series(0, $1::int - 1) AS n`,
      [count],
    ],
    ...macRows(count),
    ...invoiceRows(storeId),
    ...eventRows(storeId, webhookId),
    ["UPDATE webhook_deliveries SET state = 'delivered' WHERE store_id = $1", [storeId]],
    ["DROP TABLE made"],
  ]);
}

/** All of a store's invoices expire at one instant, in milliseconds since 1970. */
export async function expireAt(databaseUrl: string, storeId: string, atMs: number): Promise<void> {
  await withFiller(databaseUrl, async (client) => {
    await client.query(
      `UPDATE invoices SET expires_at = at, decide_at = at, paid_sats = 0, archived_at = NULL
         FROM to_timestamp($2::float8 / 1000) AS at WHERE store_id = $1`,
      [storeId, atMs],
    );
  });
}

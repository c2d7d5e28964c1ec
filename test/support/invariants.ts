import type { DataSource } from "typeorm";
import { statement } from "../../database/statement";
import type { Received, Receiver } from "./receiver";

/**
 * What must hold after every integration test, whatever it did, once nothing is under way any more. Rejects with all
 * that does not. With a receiver it also compares what that got with what the database says.
 */
export async function checkInvariants(db: DataSource, receiver?: Receiver): Promise<void> {
  const broken = [...(await brokenRows(db)), ...(receiver ? await differencesTo(db, receiver) : [])];
  if (broken.length > 0) throw new Error(`invariants are broken:\n${broken.join("\n")}`);
}

/** What is wrong with a row that the query returns. */
const QUERIES: readonly [what: string, sql: string][] = [
  [
    "was settled by the system though the price was never confirmed",
    `SELECT DISTINCT i.id FROM invoices i JOIN invoice_events e ON e.invoice_id = i.id
      WHERE e.type = 'Settled' AND NOT e.by_hand
        AND i.min_due_sats > (SELECT coalesce(sum(p.amount_sats), 0) FROM payments p
          WHERE p.invoice_id = i.id AND p.confirmed_at IS NOT NULL AND NOT p.below_dust)`,
  ],
  [
    "is settled, not by hand, with less than the price confirmed and nobody alerted",
    `SELECT i.id FROM invoices i
      WHERE i.status = 'Settled' AND i.marked_by_hand IS NULL
        AND i.min_due_sats > (SELECT coalesce(sum(p.amount_sats), 0) FROM payments p
          WHERE p.invoice_id = i.id AND p.state = 'confirmed' AND NOT p.below_dust)
        AND NOT EXISTS (SELECT 1 FROM alerts a WHERE a.invoice_id = i.id AND a.resolved_at IS NULL
          AND a.kind IN ('reorganisation', 'double-spend'))`,
  ],
  [
    "has a status that was never told",
    `SELECT i.id, i.status, i.additional_status FROM invoices i
      WHERE NOT EXISTS (SELECT 1 FROM invoice_events e WHERE e.invoice_id = i.id AND e.type = i.status
        AND e.additional_status = i.additional_status)`,
  ],
  [
    "was told twice, or in rounds with a gap",
    `SELECT invoice_id, type, additional_status, array_agg(round ORDER BY round) AS rounds FROM invoice_events
      GROUP BY invoice_id, type, additional_status
     HAVING max(round) <> count(*) OR min(round) <> 1`,
  ],
  [
    "was not written as exactly one delivery to a webhook that was subscribed",
    `SELECT e.id AS event, e.type, w.id AS webhook, count(d.id)::int AS deliveries
       FROM invoice_events e
       JOIN webhooks w ON w.store_id = e.store_id AND w.created_at <= e.created_at
        AND (w.deleted_at IS NULL OR w.deleted_at > e.created_at) AND e.type = ANY(w.events)
       LEFT JOIN webhook_deliveries d ON d.event_id = e.id AND d.webhook_id = w.id
      WHERE NOT e.test
      GROUP BY e.id, e.type, w.id HAVING count(d.id) <> 1`,
  ],
  [
    "is a delivery to a webhook of another store, or of no event",
    `SELECT d.id FROM webhook_deliveries d
       LEFT JOIN invoice_events e ON e.id = d.event_id AND e.store_id = d.store_id AND e.seq = d.event_seq
       LEFT JOIN webhooks w ON w.id = d.webhook_id AND w.store_id = d.store_id
      WHERE e.id IS NULL OR w.id IS NULL`,
  ],
  [
    "is an outpoint of two invoices",
    `SELECT txid, vout, array_agg(invoice_id) AS invoices FROM payments WHERE txid IS NOT NULL
      GROUP BY txid, vout HAVING count(*) > 1`,
  ],
  [
    "is a script of two invoices",
    `SELECT encode(script_pub_key, 'hex') AS script FROM watched_scripts
      GROUP BY script_pub_key HAVING count(DISTINCT invoice_id) > 1`,
  ],
  [
    "shows an address while it has not exactly one watched script",
    `SELECT m.invoice_id, m.destination FROM invoice_payment_methods m
      WHERE m.type = 'BTC-CHAIN' AND m.destination IS NOT NULL
        AND 1 <> (SELECT count(*) FROM watched_scripts s WHERE s.invoice_id = m.invoice_id)`,
  ],
  [
    "is a destination of two invoices",
    `SELECT destination FROM invoice_payment_methods WHERE destination IS NOT NULL
      GROUP BY destination HAVING count(DISTINCT invoice_id) > 1`,
  ],
  [
    "has more than one BOLT11 that may be paid",
    `SELECT invoice_id, count(*)::int AS bolt11s FROM bolt11s
      WHERE state IN ('wanted', 'open') AND NOT cancel_wanted GROUP BY invoice_id HAVING count(*) > 1`,
  ],
  [
    "shows a BOLT11 that it does not wait for",
    `SELECT m.invoice_id, m.destination FROM invoice_payment_methods m
      WHERE m.type = 'BTC-LN' AND m.destination IS NOT NULL
        AND NOT EXISTS (SELECT FROM bolt11s b WHERE b.invoice_id = m.invoice_id AND b.bolt11 = m.destination
          AND b.state = 'open' AND NOT b.cancel_wanted)`,
  ],
  [
    "shows a BOLT11 over something else than what is due",
    `SELECT i.id, i.due_sats, i.paid_sats, b.amount_sats FROM invoices i
       JOIN invoice_payment_methods m ON m.invoice_id = i.id AND m.type = 'BTC-LN'
       JOIN bolt11s b ON b.bolt11 = m.destination
      WHERE b.amount_sats <> i.due_sats - i.paid_sats OR i.status <> 'New'`,
  ],
  [
    "is a settled BOLT11 without its payment, or a Lightning payment without its settled BOLT11",
    `SELECT b.payment_hash, b.state, p.id AS payment FROM bolt11s b
       FULL JOIN (SELECT id, invoice_id FROM payments WHERE type = 'BTC-LN') p
         ON p.id = b.payment_hash AND p.invoice_id = b.invoice_id
      WHERE (b.state = 'settled') <> (p.id IS NOT NULL) OR b.payment_hash IS NULL`,
  ],
  [
    "says of its payment method neither where to pay nor why not",
    `SELECT invoice_id, type FROM invoice_payment_methods
      WHERE available <> (destination IS NOT NULL) OR available <> (reason IS NULL)`,
  ],
  [
    "had more than one automatic attempt, or at a shop plugin's webhook more than its retries",
    `SELECT a.delivery_id FROM webhook_attempts a
       LEFT JOIN webhooks w ON w.id = a.webhook_id LEFT JOIN webhook_deliveries d ON d.id = a.delivery_id
      WHERE a.cause = 'automatic' GROUP BY a.delivery_id
     HAVING count(*) > 1 + coalesce(max(CASE WHEN w.dialect = 'greenfield' THEN d.retry_count END), 0)`,
  ],
  [
    "counts other attempts than it has",
    `SELECT d.id, d.attempt_count, count(a.number)::int AS attempts FROM webhook_deliveries d
       LEFT JOIN webhook_attempts a ON a.delivery_id = d.id
      GROUP BY d.id HAVING count(a.number) <> d.attempt_count OR coalesce(max(a.number), 0) > d.requested_attempt`,
  ],
  [
    "is sent again by itself, but is not failed or was not asked for it",
    `SELECT d.id, d.state, d.retry_at FROM webhook_deliveries d LEFT JOIN webhooks w ON w.id = d.webhook_id
      WHERE d.retry_at IS NOT NULL
        AND (d.state IN ('delivered', 'skipped') OR coalesce(w.dialect, 'native') = 'native')`,
  ],
  [
    "says otherwise than its last attempt",
    `SELECT d.id, d.state, last.state AS attempt FROM webhook_deliveries d
       JOIN LATERAL (SELECT a.number, a.state FROM webhook_attempts a WHERE a.delivery_id = d.id
                      ORDER BY a.number DESC LIMIT 1) AS last ON true
      WHERE last.number = d.requested_attempt AND d.state <> last.state`,
  ],
];

/** One statement, prepared: it runs after every test, and to plan it takes longer than to run it. */
const readBrokenRows = statement<[], { at: number; row: unknown }>(
  "test.read-broken-rows",
  QUERIES.map(([, sql], at) => `SELECT ${at} AS at, to_jsonb(broken) AS row FROM (${sql}) AS broken`).join(
    "\nUNION ALL ",
  ),
);

async function brokenRows(db: DataSource): Promise<string[]> {
  const { rows } = await readBrokenRows(db.manager);
  return rows.map(({ at, row }) => `${QUERIES[at]?.[0]}: ${JSON.stringify(row)}`);
}

interface AttemptRow {
  deliveryId: string;
  number: number;
  state: string;
  error: string | null;
  httpStatus: number | null;
  url: string;
  body: Buffer | null;
}

async function differencesTo(db: DataSource, receiver: Receiver): Promise<string[]> {
  const rows: AttemptRow[] = await db.query(
    `SELECT a.delivery_id AS "deliveryId", a.number, a.state, a.error, a.http_status AS "httpStatus", w.url,
            CASE WHEN d.dialect_type IS NULL THEN e.body END AS body
       FROM webhook_attempts a JOIN webhooks w ON w.id = a.webhook_id
       JOIN webhook_deliveries d ON d.id = a.delivery_id JOIN invoice_events e ON e.id = d.event_id`,
  );
  const attempts = new Map(rows.map((row) => [`${row.deliveryId} #${row.number}`, row]));
  const got = new Map<string, Received[]>();
  for (const request of receiver.requests) {
    const name = `${request.headers["x-service-delivery-id"]} #${request.headers["x-service-attempt"]}`;
    got.set(name, [...(got.get(name) ?? []), request]);
  }
  const broken: string[] = [];
  for (const [name, requests] of got) {
    const [request] = requests;
    const attempt = attempts.get(name);
    if (requests.length > 1) broken.push(`was received ${requests.length} times: ${name}`);
    if (!attempt) broken.push(`was received, but nothing tells of it: ${name}`);
    else if (request) broken.push(...contradictions(name, attempt, request));
  }
  for (const [name, attempt] of attempts)
    if (attempt.state === "delivered" && attempt.url.startsWith(receiver.url) && !got.has(name))
      broken.push(`is called delivered, but was not received: ${name}`);
  return broken;
}

/** What the service could not see (it died, or the answer came too late) may differ from what the receiver answered. */
const UNSEEN: readonly (string | null)[] = ["interrupted", "timeout", "connection-reset"];

function contradictions(name: string, attempt: AttemptRow, { answered, body }: Received): string[] {
  const broken: string[] = [];
  if (attempt.body !== null && !attempt.body.equals(body)) broken.push(`has other bytes: ${name}`);
  if (attempt.state === "sending") return [...broken, `was received and is still called sending: ${name}`];
  if (attempt.state === "failed" && UNSEEN.includes(attempt.error)) return broken;
  if (attempt.httpStatus !== answered)
    broken.push(`was answered ${answered} and recorded as ${attempt.httpStatus ?? attempt.error}: ${name}`);
  const accepted = answered !== null && answered >= 200 && answered <= 299;
  if (accepted !== (attempt.state === "delivered"))
    broken.push(`was answered ${answered} and is called ${attempt.state}: ${name}`);
  return broken;
}

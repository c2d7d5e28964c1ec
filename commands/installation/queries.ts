import type { JsonRows } from "../../database/insert-rows";
import { statement } from "../../database/statement";
import { isUnfinished } from "../../entities/webhook-delivery";
import { SEALED_COLUMNS } from "../server/sealed-places";

// Secrets and MACs that are made again, and rows that are deleted with time.

export const SEALED_BATCH = 500;

/** By column: read in the order of rows; replaced if unchanged since. */
export const SEALED = SEALED_COLUMNS.map(({ table, column }) => ({
  table,
  column,
  readValues: statement<[after: string], { id: string; value: Buffer }>(
    `installation.read-sealed-${table}-${column}`,
    `SELECT id, ${column} AS value FROM ${table} WHERE id > $1 AND ${column} IS NOT NULL
      ORDER BY id LIMIT ${SEALED_BATCH}`,
  ),
  replaceValue: statement<[id: string, before: Buffer, after: Buffer]>(
    `installation.seal-again-${table}-${column}`,
    `UPDATE ${table} SET ${column} = $3 WHERE id = $1 AND ${column} = $2`,
  ),
}));

export const readAnswers = statement<
  [of: JsonRows<{ one: string; two: string }>],
  { storeId: string; key: string; requestHash: Buffer; answer: Buffer; mac: Buffer | null }
>(
  "installation.read-answers",
  `SELECT store_id AS "storeId", key, request_hash AS "requestHash", answer, mac FROM idempotency_keys
    WHERE (store_id, key) IN (SELECT one, two FROM json_to_recordset($1) AS of (one text, two text)) AND answer IS NOT NULL`,
);

export const READ_AT_ONCE = 5_000;

interface RenewedMac {
  one: string;
  two: string;
  mac: Buffer;
  renewed: Buffer;
}

function macsOf(table: string, [one, two]: readonly [string, string]) {
  return {
    readAfter: statement<[one: string, two: string], { one: string; two: string; mac: Buffer | null }>(
      `installation.read-macs-of-${table}`,
      `SELECT ${one} AS one, ${two} AS two, mac FROM ${table} WHERE (${one}, ${two}) > ($1, $2)
        ORDER BY ${one}, ${two} LIMIT ${READ_AT_ONCE}`,
    ),
    /** If the MAC is still the one that was read. */
    renew: statement<[made: JsonRows<RenewedMac>]>(
      `installation.renew-macs-of-${table}`,
      `UPDATE ${table} t SET mac = made.renewed
         FROM json_to_recordset($1) AS made (one text, two text, mac bytea, renewed bytea)
        WHERE t.${one} = made.one AND t.${two} = made.two AND t.mac = made.mac`,
    ),
  };
}

export type Macs = ReturnType<typeof macsOf>;

export const MACS = {
  walletLinks: macsOf("store_payment_methods", ["store_id", "type"]),
  destinations: macsOf("invoice_payment_methods", ["invoice_id", "type"]),
  bolt11s: macsOf("bolt11s", ["payment_hash", "invoice_id"]),
  answers: macsOf("idempotency_keys", ["store_id", "key"]),
  nodes: macsOf("lightning_nodes", ["id", "state"]),
} as const;

const PRUNED_AT_ONCE = 1_000;
/** A difficulty period: no reorganisation is deeper. */
const BLOCKS_KEPT = 4_032;

/** The operator sets how long. `ORDER BY` finds the oldest by their index: a generic plan would scan the table. */
export const PRUNE_RECORDS = [
  statement<[oldestKept: Date]>(
    "installation.prune-bodies",
    `UPDATE invoice_events SET body = NULL WHERE id IN (SELECT e.id FROM invoice_events e
       WHERE e.body IS NOT NULL AND e.created_at < $1 AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d
         WHERE d.event_id = e.id AND ${isUnfinished("d")})
       ORDER BY e.created_at LIMIT ${PRUNED_AT_ONCE})`,
  ),
  statement<[oldestKept: Date]>(
    "installation.prune-attempts",
    `DELETE FROM webhook_attempts WHERE (delivery_id, number) IN (SELECT delivery_id, number FROM webhook_attempts
       WHERE state <> 'sending' AND started_at < $1 ORDER BY started_at LIMIT ${PRUNED_AT_ONCE})`,
  ),
  statement<[oldestKept: Date]>(
    "installation.prune-gaps",
    `DELETE FROM chain_gaps WHERE id IN (SELECT id FROM chain_gaps WHERE closed_at < $1 LIMIT ${PRUNED_AT_ONCE})`,
  ),
  statement<[oldestKept: Date]>(
    "installation.prune-alerts",
    `DELETE FROM alerts WHERE id IN (SELECT id FROM alerts
       WHERE resolved_at < $1 AND sent_at IS NOT NULL ORDER BY resolved_at LIMIT ${PRUNED_AT_ONCE})`,
  ),
];

export const PRUNE_REST = [
  statement<[now: Date]>(
    "installation.prune-heartbeats",
    "DELETE FROM heartbeats WHERE beat_at < $1::timestamptz - interval '10 minutes'",
  ),
  statement<[now: Date]>(
    "installation.prune-links",
    "DELETE FROM user_links WHERE expires_at < $1::timestamptz - interval '1 day'",
  ),
  statement<[now: Date]>(
    "installation.prune-invitations",
    "DELETE FROM store_invitations WHERE expires_at < $1::timestamptz - interval '1 day'",
  ),
  statement<[now: Date]>("installation.prune-sessions", "DELETE FROM sessions WHERE expires_at <= $1"),
  statement<[now: Date]>(
    "installation.prune-challenges",
    "DELETE FROM passkey_challenges WHERE expires_at <= $1",
  ),
  statement<[now: Date]>(
    "installation.prune-idempotency-keys",
    // Claimed again while this waited for its lock: found with its new time.
    `DELETE FROM idempotency_keys WHERE expires_at <= $1 AND (store_id, key) IN (SELECT store_id, key
       FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${PRUNED_AT_ONCE})`,
  ),
  statement<[now: Date]>(
    "installation.prune-blocks",
    `DELETE FROM chain_blocks WHERE $1::timestamptz IS NOT NULL AND height IN (SELECT height FROM chain_blocks
       WHERE height <= (SELECT max(height) FROM chain_blocks) - ${BLOCKS_KEPT} LIMIT ${PRUNED_AT_ONCE})`,
  ),
  statement<[now: Date]>(
    "installation.prune-copies",
    "DELETE FROM leases WHERE name LIKE 'lightning-watch@%' AND expires_at < $1::timestamptz - interval '1 hour'",
  ),
];

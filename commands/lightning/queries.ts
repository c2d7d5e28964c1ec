import type { JsonRows } from "../../database/insert-rows";
import { rowsOf } from "../../database/read-rows";
import { statement } from "../../database/statement";
import { unindexed } from "../../database/unindexed";
import { Bolt11 } from "../../entities/bolt11";
import type { InvoicePaymentMethod } from "../../entities/invoice-payment-method";

/** Reports come every few seconds. */
const BELIEVED_SECONDS = 20;

/** SQL: the watcher has just found that LND gives no answers. */
const KNOWN_AWAY = `EXISTS (SELECT 1 FROM payment_method_syncs
  WHERE type = 'BTC-LN' AND fault IS NOT NULL
    AND checked_at > clock_timestamp() - ${BELIEVED_SECONDS} * interval '1 second')`;

export const readAway = statement<[], { away: boolean }>(
  "lightning.read-away",
  `SELECT ${KNOWN_AWAY} AS away`,
);

export const RETURNING_SEEN = `RETURNING ${KNOWN_AWAY} AS away,
  (SELECT receivable_sats FROM payment_method_syncs WHERE type = 'BTC-LN') AS "receivableSats",
  EXISTS (SELECT FROM alerts WHERE kind = 'lightning-clock' AND resolved_at IS NULL) AS "clockIsWrong"`;

export const readLatestOfNodes = statement<[], { nodeKey: string; paymentHash: string }>(
  "lightning.read-latest-of-nodes",
  `SELECT DISTINCT ON (node_key) node_key AS "nodeKey", payment_hash AS "paymentHash" FROM bolt11s
    WHERE node_key IS NOT NULL AND bolt11 IS NOT NULL ORDER BY node_key, created_at DESC`,
);

export const readUnfinishedOfNodes = statement<[], { nodeKey: string; paymentHash: string }>(
  "lightning.read-unfinished-of-nodes",
  `SELECT DISTINCT ON (node_key) node_key AS "nodeKey", payment_hash AS "paymentHash" FROM bolt11s
    WHERE state IN ('wanted', 'open') AND node_key IS NOT NULL ORDER BY node_key, created_at DESC`,
  "each time",
);

/** Expired within the last day, or still payable. */
export const countOfOtherNodes = statement<[nodeKey: string, now: Date], { count: number }>(
  "lightning.count-of-other-nodes",
  `SELECT count(*)::integer AS count FROM bolt11s b JOIN invoices i ON i.id = b.invoice_id
    WHERE b.state IN ('wanted', 'open') AND b.node_key <> $1 AND b.expires_at > $2::timestamptz - interval '1 day'`,
);

export const countOfUnfinished = statement<[now: Date], { count: number }>(
  "lightning.count-of-unfinished",
  `SELECT count(*)::integer AS count FROM bolt11s b JOIN invoices i ON i.id = b.invoice_id
    WHERE b.state IN ('wanted', 'open') AND b.expires_at <= $1::timestamptz - interval '1 day'`,
);

export const readBolt11s = rowsOf(Bolt11, ["paymentHash", "invoiceId", "bolt11", "mac"]).statement<
  [paymentHashes: readonly string[]]
>("lightning.read-bolt11s", "WHERE payment_hash = ANY($1::text[])");

/** Returns those still wanted; by their keys, not by the index of unfinished ones. */
export const openBolt11s = statement<
  [made: JsonRows<{ paymentHash: string; bolt11: string; nodeKey: string; mac: Buffer }>],
  { paymentHash: string }
>(
  "lightning.open-bolt11s",
  `UPDATE bolt11s SET state = 'open', bolt11 = made.bolt11, node_key = made."nodeKey", mac = made.mac
     FROM json_to_recordset($1) AS made ("paymentHash" text, bolt11 text, "nodeKey" text, mac bytea)
    WHERE bolt11s.payment_hash = made."paymentHash" AND NOT bolt11s.cancel_wanted
      AND ${unindexed("bolt11s.state")} = 'wanted'
    RETURNING bolt11s.payment_hash AS "paymentHash"`,
  "each time",
);

export type ShownMethod = Pick<InvoicePaymentMethod, "invoiceId" | "destination" | "mac" | "reason">;

export const showMethods = statement<[shown: JsonRows<ShownMethod>]>(
  "lightning.show-methods",
  `UPDATE invoice_payment_methods method
      SET destination = shown.destination, mac = shown.mac, reason = shown.reason,
          available = shown.destination IS NOT NULL
     FROM json_to_recordset($1) AS shown ("invoiceId" text, destination text, mac bytea, reason text)
    WHERE method.invoice_id = shown."invoiceId" AND method.type = 'BTC-LN'`,
  "each time",
);

/** If the cursor of the BOLT11's node is beyond the index. */
export const setBackCursor = statement<[paymentHash: string, settleIndex: string]>(
  "lightning.set-back-cursor",
  `UPDATE lightning_cursors SET settle_index = $2, gap_since = NULL
    WHERE settle_index > $2
      AND (node_id, node_key) = (SELECT node_id, node_key FROM bolt11s WHERE payment_hash = $1)`,
);

/** SQL: the node with the key `$1` can be asked; null: unknown which node it is. */
const OF_NODE = "(b.node_key IS NULL OR $1::text IS NULL OR b.node_key = $1)";

/**
 * The most urgent first, without what exceeds the node's capacity. `more`: also over for an hour, or not yet known to
 * exceed it.
 */
export const readPressing = statement<[nodeKey: string | null, more: boolean, now: Date], { id: string }>(
  "lightning.read-pressing",
  `SELECT b.invoice_id AS id FROM bolt11s b JOIN invoices i ON i.id = b.invoice_id
    WHERE b.state IN ('wanted', 'open') AND ${OF_NODE}
      AND ($2 OR b.expires_at > $3::timestamptz - interval '1 hour')
      AND (b.cancel_wanted OR b.expires_at <= $3 OR b.state = 'wanted' AND (b.amount_sats <=
        COALESCE((SELECT receivable_sats FROM payment_method_syncs WHERE type = 'BTC-LN'), b.amount_sats)
        OR $2 AND EXISTS (SELECT FROM invoice_payment_methods m WHERE m.invoice_id = b.invoice_id
                           AND m.type = 'BTC-LN' AND m.reason IS DISTINCT FROM 'exceeds-receivable')))
    GROUP BY b.invoice_id ORDER BY min(b.expires_at)`,
);

export interface OpenBolt11 {
  expiresAt: Date;
  paymentHash: string;
}

/** Payable now, as far as is known, in the order of their expiry. The first condition is that of the index. */
export const readOpen = statement<
  [nodeKey: string | null, expiresAt: Date, paymentHash: string, limit: number],
  OpenBolt11 & { invoiceId: string }
>(
  "lightning.read-open",
  `SELECT b.expires_at AS "expiresAt", b.payment_hash AS "paymentHash", b.invoice_id AS "invoiceId"
     FROM bolt11s b JOIN invoices i ON i.id = b.invoice_id
    WHERE b.state IN ('wanted', 'open') AND b.state = 'open' AND NOT b.cancel_wanted AND ${OF_NODE}
      AND (b.expires_at, b.payment_hash) > ($2::timestamptz, $3::text)
    ORDER BY b.expires_at, b.payment_hash LIMIT $4`,
  "each time",
);

/** May lack a BOLT11: a process died before requesting it. `lightningPlan` (domain/invoice) decides. */
export const readBare = statement<[now: Date], { id: string }>(
  "lightning.read-bare",
  `SELECT i.id FROM invoices i JOIN invoice_payment_methods m ON m.invoice_id = i.id AND m.type = 'BTC-LN'
    WHERE i.decide_at IS NOT NULL AND i.status = 'New' AND i.expires_at > $1
      AND NOT EXISTS (SELECT FROM bolt11s b WHERE b.invoice_id = i.id AND b.state IN ('wanted', 'open'))`,
  "each time",
);

/** A creation takes seconds: a row without an invoice after this time never gets one. */
const FORSAKEN_AFTER_SECONDS = 60;

export interface OrphanBolt11 {
  paymentHash: string;
  nodeKey: string | null;
}

export const readForsaken = statement<[now: Date], OrphanBolt11>(
  "lightning.read-forsaken",
  `SELECT payment_hash AS "paymentHash", node_key AS "nodeKey" FROM bolt11s b
    WHERE state IN ('wanted', 'open') AND created_at < $1::timestamptz - ${FORSAKEN_AFTER_SECONDS} * interval '1 second'
      AND NOT EXISTS (SELECT FROM invoices i WHERE i.id = b.invoice_id)`,
  "each time",
);

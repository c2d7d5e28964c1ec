import type { JsonRows } from "../../database/insert-rows";
import { keysOf, rowsOf, statement } from "../../database/statement";
import { LightningCursor } from "../../entities/lightning-cursor";

// For all nodes that a process watches.

/** SQL: the row's node is still the LND that made it, as far as is known. */
const ofKey = (nodeKey: string): string =>
  `(b.node_key IS NULL OR ${nodeKey}::text IS NULL OR b.node_key = ${nodeKey})`;

/** Which of these settled invoices of a node are of BOLT11s of ours. */
export const readOurs = statement<
  [asked: JsonRows<{ nodeId: string; paymentHash: string }>],
  { nodeId: string; paymentHash: string }
>(
  "lightning-watch.read-ours",
  `SELECT node_id AS "nodeId", payment_hash AS "paymentHash"
     FROM json_to_recordset($1) AS asked ("nodeId" text, "paymentHash" text)
     JOIN bolt11s b ON b.payment_hash = asked."paymentHash" AND b.node_id = asked."nodeId"
    WHERE b.payment_hash = ANY(${keysOf("$1", "paymentHash")})`,
);

/** `more`: also over for an hour, or not yet known to exceed the node's capacity. */
export interface NodeAsked {
  nodeId: string;
  nodeKey: string | null;
  more: boolean;
}
const ASKED = `json_to_recordset($1) AS asked ("nodeId" text, "nodeKey" text, more boolean)`;

/** For many nodes: the most urgent first, without what exceeds a node's capacity. */
export const readPressing = statement<
  [asked: JsonRows<NodeAsked>, now: Date],
  { nodeId: string; invoiceId: string }
>(
  "lightning-watch.read-pressing",
  `SELECT b.node_id AS "nodeId", b.invoice_id AS "invoiceId" FROM ${ASKED}
     JOIN lightning_nodes n ON n.id = asked."nodeId"
     JOIN bolt11s b ON b.node_id = asked."nodeId" AND b.state IN ('wanted', 'open') AND ${ofKey('asked."nodeKey"')}
     JOIN invoices i ON i.id = b.invoice_id
    WHERE (asked.more OR b.expires_at > $2::timestamptz - interval '1 hour')
      AND (b.cancel_wanted OR b.expires_at <= $2
        OR b.state = 'wanted' AND (b.amount_sats <= coalesce(n.receivable_sats, b.amount_sats)
        OR asked.more AND EXISTS (SELECT FROM invoice_payment_methods m WHERE m.invoice_id = b.invoice_id
                                   AND m.type = 'BTC-LN' AND m.reason IS DISTINCT FROM 'exceeds-receivable')))
    GROUP BY 1, 2 ORDER BY min(b.expires_at)`,
  "each time",
);

export interface OpenBolt11 {
  expiresAt: Date;
  paymentHash: string;
}
/** The next after this one. */
export interface OpenAsked extends OpenBolt11 {
  nodeId: string;
  nodeKey: string | null;
  rowsMax: number;
}

/** Payable now, as far as is known, in the order of their expiry. The first condition is that of the index. */
export const readOpen = statement<
  [asked: JsonRows<OpenAsked>],
  OpenBolt11 & { nodeId: string; invoiceId: string }
>(
  "lightning-watch.read-open",
  `SELECT asked."nodeId", next.*
     FROM json_to_recordset($1) AS asked ("nodeId" text, "nodeKey" text, "expiresAt" timestamptz, "paymentHash" text, "rowsMax" integer)
    CROSS JOIN LATERAL (
      SELECT b.expires_at AS "expiresAt", b.payment_hash AS "paymentHash", b.invoice_id AS "invoiceId"
        FROM bolt11s b JOIN invoices i ON i.id = b.invoice_id
       WHERE b.node_id = asked."nodeId" AND b.state IN ('wanted', 'open') AND b.state = 'open' AND NOT b.cancel_wanted
         AND ${ofKey('asked."nodeKey"')} AND (b.expires_at, b.payment_hash) > (asked."expiresAt", asked."paymentHash")
       ORDER BY b.expires_at, b.payment_hash LIMIT asked."rowsMax") next`,
  "each time",
);

/** May lack a BOLT11: a process died before requesting it. `lightningPlan` (domain/invoice) decides. */
export const readBare = statement<
  [asked: JsonRows<NodeAsked>, now: Date],
  { nodeId: string; invoiceId: string }
>(
  "lightning-watch.read-bare",
  `SELECT asked."nodeId", i.id AS "invoiceId" FROM ${ASKED}
     JOIN store_payment_methods s ON s.lightning_node_id = asked."nodeId"
     JOIN invoices i ON i.store_id = s.store_id
     JOIN invoice_payment_methods m ON m.invoice_id = i.id AND m.type = 'BTC-LN'
    WHERE i.decide_at IS NOT NULL AND i.status = 'New' AND i.expires_at > $2
      AND NOT EXISTS (SELECT FROM bolt11s b WHERE b.invoice_id = i.id AND b.state IN ('wanted', 'open'))`,
  "each time",
);

/** A creation takes seconds: a row without an invoice after this time never gets one. */
const FORSAKEN_AFTER_SECONDS = 60;

export interface OrphanBolt11 {
  nodeId: string;
  paymentHash: string;
  nodeKey: string | null;
}

export const readForsaken = statement<[asked: JsonRows<NodeAsked>, now: Date], OrphanBolt11>(
  "lightning-watch.read-forsaken",
  `SELECT node_id AS "nodeId", payment_hash AS "paymentHash", node_key AS "nodeKey" FROM ${ASKED}
     JOIN bolt11s b ON b.node_id = asked."nodeId"
    WHERE state IN ('wanted', 'open') AND created_at < $2::timestamptz - ${FORSAKEN_AFTER_SECONDS} * interval '1 second'
      AND NOT EXISTS (SELECT FROM invoices i WHERE i.id = b.invoice_id)`,
  "each time",
);

/** `others`: another LND made them, and they expired within the last day or are payable; `unfinished` were over before. */
export const countUnfinished = statement<
  [asked: JsonRows<{ nodeId: string; nodeKey: string | null }>, now: Date],
  { nodeId: string; others: number; unfinished: number }
>(
  "lightning-watch.count-unfinished",
  `SELECT b.node_id AS "nodeId",
          (count(*) FILTER (WHERE b.node_key <> asked."nodeKey" AND b.expires_at > $2::timestamptz - interval '1 day'))::integer
            AS others,
          (count(*) FILTER (WHERE b.expires_at <= $2::timestamptz - interval '1 day'))::integer AS unfinished
     FROM (SELECT DISTINCT * FROM json_to_recordset($1) AS asked ("nodeId" text, "nodeKey" text)) asked
     JOIN bolt11s b ON b.node_id = asked."nodeId" AND b.state IN ('wanted', 'open')
     JOIN invoices i ON i.id = b.invoice_id
    GROUP BY 1`,
  "each time",
);

export const lockCursor = rowsOf(LightningCursor, ["settleIndex", "gapSince"]).statement<
  [nodeId: string, nodeKey: string]
>("lightning-watch.lock-cursor", "WHERE node_id = $1 AND node_key = $2 FOR UPDATE");

export const moveCursor = statement<
  [nodeId: string, nodeKey: string, settleIndex: string, gapSince: Date | null]
>(
  "lightning-watch.move-cursor",
  `INSERT INTO lightning_cursors (node_id, node_key, settle_index, gap_since) VALUES ($1, $2, $3, $4)
   ON CONFLICT (node_id, node_key) DO UPDATE SET settle_index = excluded.settle_index, gap_since = excluded.gap_since`,
);

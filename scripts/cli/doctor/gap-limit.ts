import { ok, warning, type Check, type Database } from "./check";

/** What wallets look ahead by default when they are restored (BIP 44, "Address gap limit"). */
const GAP_LIMIT = 20;

/** Whether a wallet that is restored from its seed finds every payment: it stops at so many unused addresses in a row. */
export async function gapLimitCheck(db: Database): Promise<Check> {
  const name = "gap-limit";
  const rows = await db.query<{ stores: string; gap: number }[]>(
    `WITH used AS (
       SELECT script.derivation_id, min(script.address_index) AS first,
              max(script.address_index) FILTER (WHERE EXISTS (
                SELECT 1 FROM payments payment WHERE payment.invoice_id = script.invoice_id AND payment.txid IS NOT NULL
              )) AS last
         FROM watched_scripts script GROUP BY script.derivation_id)
     SELECT derivation.next_index - coalesce(used.last + 1, used.first) AS gap,
            (SELECT string_agg(method.store_id, ', ') FROM store_payment_methods method
              WHERE method.derivation_id = derivation.id) AS stores
       FROM derivations derivation JOIN used ON used.derivation_id = derivation.id
      WHERE derivation.next_index - coalesce(used.last + 1, used.first) > $1
      ORDER BY gap DESC`,
    [GAP_LIMIT],
  );
  const widest = rows[0]?.gap;
  if (widest === undefined)
    return ok(name, `No wallet has more than ${GAP_LIMIT} unpaid addresses after its last paid one.`);
  const wallets = rows.map(({ stores, gap }) => `${gap} (stores: ${stores ?? "none"})`).join("; ");
  return warning(
    name,
    `Unpaid addresses after the last paid one: ${wallets}.`,
    `In the wallets that hold these keys set the gap limit to more than ${widest}, now and after every restore: else they may not show a payment that comes to a later address.`,
  );
}

import type { EntityManager } from "typeorm";
import type { Payment } from "../../entities/payment";
import type { CommandContext } from "../context";
import { alertNotAuthentic } from "../server/alert-not-authentic";
import { bolt11Fields } from "../wallets/destination-macs";
import { readBolt11s } from "./queries";

/**
 * By payment hash: the invoice's payment method has forgotten it. A text that is not authentic is left out, with an
 * alert.
 */
export async function readPaidBolt11s(
  manager: EntityManager,
  ctx: CommandContext,
  invoice: { id: string; storeId: string },
  payments: readonly Pick<Payment, "id" | "type">[],
): Promise<ReadonlyMap<string, string>> {
  const hashes = payments.filter(({ type }) => type === "BTC-LN").map(({ id }) => id);
  if (hashes.length === 0) return new Map();
  const paid = new Map<string, string>();
  let authentic = true;
  for (const { paymentHash, invoiceId, bolt11, mac } of await readBolt11s(manager, hashes)) {
    if (bolt11 === null) continue; // erased
    if (ctx.secrets.macMatches(mac, bolt11Fields({ invoiceId, paymentHash, bolt11 })))
      paid.set(paymentHash, bolt11);
    else authentic = false;
  }
  if (!authentic)
    await alertNotAuthentic(
      ctx,
      { storeId: invoice.storeId, what: { id: invoice.id, type: "BTC-LN" } },
      manager,
    );
  return paid;
}

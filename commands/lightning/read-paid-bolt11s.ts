import type { EntityManager } from "typeorm";
import { findRows } from "../../database/find-rows";
import { Bolt11 } from "../../entities/bolt11";
import type { Payment } from "../../entities/payment";
import type { SecretsPort } from "../ports";
import { bolt11Fields } from "../wallets/destination-macs";

/**
 * The BOLT11 that each payment by Lightning paid, by payment hash: an invoice's payment method has forgotten it by then.
 * One that this service did not store there is left out.
 */
export async function readPaidBolt11s(
  manager: EntityManager,
  secrets: SecretsPort,
  payments: readonly Pick<Payment, "id" | "type">[],
): Promise<ReadonlyMap<string, string>> {
  const hashes = payments.filter(({ type }) => type === "BTC-LN").map(({ id }) => id);
  if (hashes.length === 0) return new Map();
  const rows = await findRows(manager, Bolt11, {
    select: ["paymentHash", "invoiceId", "bolt11", "mac"],
    rest: "WHERE payment_hash = ANY($1::text[])",
    values: [hashes],
  });
  return new Map(
    rows.flatMap(({ paymentHash, invoiceId, bolt11, mac }): [string, string][] =>
      bolt11 !== null && secrets.macMatches(mac, bolt11Fields({ invoiceId, paymentHash, bolt11 }))
        ? [[paymentHash, bolt11]]
        : [],
    ),
  );
}

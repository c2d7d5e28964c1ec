import type { Payment } from "../../entities/payment";
import type { Reading } from "../transaction";
import { bolt11Fields } from "../wallets/destination-macs";
import { readBolt11s } from "./queries";

/** By payment hash: the invoice's payment method has forgotten it. A text that is not authentic is left out. */
export async function readPaidBolt11s(
  { manager, secrets }: Reading,
  payments: readonly Pick<Payment, "id" | "type">[],
): Promise<{ texts: ReadonlyMap<string, string>; authentic: boolean }> {
  const texts = new Map<string, string>();
  let authentic = true;
  const hashes = payments.filter(({ type }) => type === "BTC-LN").map(({ id }) => id);
  const rows = hashes.length === 0 ? [] : await readBolt11s(manager, hashes);
  for (const { paymentHash, invoiceId, bolt11, mac } of rows) {
    if (bolt11 === null) continue; // erased
    if (secrets.macMatches(mac, bolt11Fields({ invoiceId, paymentHash, bolt11 })))
      texts.set(paymentHash, bolt11);
    else authentic = false;
  }
  return { texts, authentic };
}

import { DomainError } from "../../domain/errors";
import { paysEach } from "../../domain/invoice/refund";
import type { Tx } from "../transaction";
import { type Refund, type RefundFound, refundScript } from "./look-up-refund";
import { readRefundsBy } from "./queries";

/**
 * Under the store's lock: two at once would not see each other. One transaction may be several refunds, if the node
 * shows that it pays each, or, where it cannot, of customers with different addresses.
 * @throws DomainError `refund-recorded`.
 */
export async function refuseRecorded(
  tx: Tx,
  storeId: string,
  { refund, address, found }: { refund: Refund; address: string | null; found: RefundFound },
): Promise<void> {
  const { type, reference, amountSats } = refund;
  const { rows } = await readRefundsBy(tx.manager, storeId, type, reference);
  const [first] = rows;
  if (first === undefined) return;
  const refunds = [
    { script: refundScript(tx, address), amountSats },
    ...rows.map((row) => ({ script: refundScript(tx, row.refundAddress), amountSats: BigInt(row.sats) })),
  ];
  if (
    type === "BTC-CHAIN" &&
    (found.outputs === null ? haveOwnScripts(refunds) : paysEach(found.outputs, refunds))
  )
    return;
  const why = found.outputs === null ? "the node does not show what it pays" : "it does not pay both";
  throw new DomainError(
    "refund-recorded",
    type === "BTC-LN"
      ? `This Lightning payment is the refund of order ${first.orderId} already.`
      : `This transaction is the refund of order ${first.orderId} already, and ${why}.`,
  );
}

function haveOwnScripts(refunds: readonly { script: Buffer | null }[]): boolean {
  const scripts = refunds.flatMap(({ script }) => (script === null ? [] : [script.toString("hex")]));
  return new Set(scripts).size === refunds.length;
}

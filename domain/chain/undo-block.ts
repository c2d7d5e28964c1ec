import { isLive, liveState } from "./apply-transaction";
import type { OnchainPayment } from "./onchain-payment";

/**
 * Undoes a block of the processed chain: its payments are unconfirmed again, and its conflicting transactions no
 * longer count as confirmed. `now`: the database's clock.
 */
export function undoBlockFor(
  payment: OnchainPayment,
  block: { hash: string; height: number },
  now: Date,
): OnchainPayment {
  const wasIn = payment.blockHash === block.hash;
  return {
    ...payment,
    state: wasIn && isLive(payment) ? liveState(payment.requiredConfirmations) : payment.state,
    blockHeight: wasIn ? null : payment.blockHeight,
    blockHash: wasIn ? null : payment.blockHash,
    leftBlockAt: wasIn ? now : payment.leftBlockAt,
    conflictHeights: payment.conflictHeights.filter((height) => height !== block.height),
  };
}

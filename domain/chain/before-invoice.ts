import type { Evidence, OnchainPayment, PaidInvoice } from "./onchain-payment";

/** A miner's clock may be two hours off, and a block's time below that of its parent. */
export const BLOCK_TIME_MARGIN_MS = 4 * 3_600_000;

/** The clock of the node and that of the database may differ by so much. */
export const CLOCK_MARGIN_MS = 60_000;

/** Whether a block was surely mined before an invoice was created. */
export function isMinedBefore(minedAt: Date, createdAt: Date): boolean {
  return createdAt.getTime() > minedAt.getTime() + BLOCK_TIME_MARGIN_MS;
}

/**
 * A transaction that the node had before the invoice was created is not its customer's: the address was used before, or
 * the merchant's own wallet gives it away too. The other explanation is a clock: of the database, ahead, or of the node,
 * behind. So the node's date proves nothing where its mempool was listed after the creation, and did not have it.
 */
export function isOlderThan({ createdAt }: PaidInvoice, evidence: Evidence): boolean {
  if (evidence.where === "block" && isMinedBefore(evidence.minedAt, createdAt)) return true;
  if (evidence.where === "mempool" && evidence.absentAt !== null && evidence.absentAt >= createdAt)
    return false;
  const hadAt = evidence.where === "block" ? evidence.listedAt : evidence.acceptedAt;
  return hadAt !== null && createdAt.getTime() > hadAt.getTime() + CLOCK_MARGIN_MS;
}

/** Whether a payment was recorded as older than its invoice. A replacement by fee inherits this with the time. */
export function isRecordedAsOlder(
  { firstSeenAt }: Pick<OnchainPayment, "firstSeenAt">,
  { createdAt }: Pick<PaidInvoice, "createdAt">,
): boolean {
  return firstSeenAt < createdAt;
}

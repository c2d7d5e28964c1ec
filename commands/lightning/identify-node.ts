import type { LightningInfo, LightningPort } from "../ports";

/**
 * The node's public key; if the macaroon does not allow reading it, that of the first of these BOLT11s that the node knows.
 * Null if it knows none.
 * @throws NodeUnavailableError
 */
export async function identifyNode(
  lightning: LightningPort,
  info: LightningInfo,
  bolt11s: readonly { nodeKey: string; paymentHash: string }[],
): Promise<string | null> {
  if (info.nodeKey !== null) return info.nodeKey;
  for (const { nodeKey, paymentHash } of bolt11s)
    if ((await lightning.lookUpInvoice(paymentHash)) !== null) return nodeKey;
  return null;
}

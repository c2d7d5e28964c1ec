import type { Answer } from "../../database/statement";
import type { LightningInfo, LightningPort } from "../ports";

/**
 * Its public key; if the macaroon hides it, that of the first BOLT11 of ours that the node knows; else null.
 * @throws NodeUnavailableError
 */
export async function identifyNode(
  lightning: LightningPort,
  info: LightningInfo,
  read: () => Promise<Answer<{ nodeKey: string; paymentHash: string }>>,
): Promise<string | null> {
  if (info.nodeKey !== null) return info.nodeKey;
  for (const { nodeKey, paymentHash } of (await read()).rows)
    if ((await lightning.lookUpInvoice(paymentHash)) !== null) return nodeKey;
  return null;
}

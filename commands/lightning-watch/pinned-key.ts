import { NodeUnavailableError } from "../../domain/errors";
import { LightningNode } from "../../entities/lightning-node";
import type { LightningInfo } from "../ports";
import { inTransaction } from "../transaction";
import type { LightningWatch } from "../lightning/lightning-node";

/**
 * A store's node is the one that its owner connected: another under its address is not used.
 * @throws NodeUnavailableError, LeaseLostError
 */
export async function checkPinnedKey(
  { ctx, node }: LightningWatch,
  { nodeKey: seen }: LightningInfo,
): Promise<void> {
  if (node.nodeKey === null || seen === null) return;
  const otherKey = seen === node.nodeKey ? null : seen;
  if (otherKey !== node.otherKey)
    await inTransaction(ctx, ({ manager }) => manager.update(LightningNode, { id: node.id }, { otherKey }));
  node.otherKey = otherKey;
  if (otherKey !== null) throw new NodeUnavailableError("another node answers at its address", "changed");
}

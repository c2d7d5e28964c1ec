import type { EntityManager } from "typeorm";
import { describeCertificate } from "../../domain/lightning/node-access";
import { LightningNode, SERVER_NODE_ID } from "../../entities/lightning-node";

/** Without certificate and macaroon. */
export interface NodeView extends Pick<LightningNode, "nodeKey" | "network" | "problem" | "receivableSats"> {
  node: "server" | "store";
  /** Null for the server's. */
  address: string | null;
  certificateExpiresAt: Date | null;
  /** `other-node`: another one answers at its address; `unchecked`: just connected. */
  state: "available" | "unavailable" | "other-node" | "unchecked";
}

/** Null: the server's. */
export async function readNodeView(manager: EntityManager, nodeId: string | null): Promise<NodeView> {
  const id = nodeId ?? SERVER_NODE_ID;
  const { nodeKey, network, problem, receivableSats, ...node } = await manager.findOneByOrFail(
    LightningNode,
    { id },
  );
  const { address, tlsCertificate } = node;
  return {
    node: id === SERVER_NODE_ID ? "server" : "store",
    ...{ address, nodeKey, network, problem, receivableSats },
    certificateExpiresAt: tlsCertificate === null ? null : describeCertificate(tlsCertificate).validTo,
    state: stateOf(node),
  };
}

function stateOf({
  otherKey,
  checkedAt,
  synchronized,
}: Pick<LightningNode, "otherKey" | "checkedAt" | "synchronized">): NodeView["state"] {
  if (otherKey !== null) return "other-node";
  if (checkedAt === null) return "unchecked";
  return synchronized ? "available" : "unavailable";
}

import { LightningNode, SERVER_NODE_ID } from "../../entities/lightning-node";
import type { CommandContext, LeaderContext } from "../context";
import type { LightningPort, NodeAccess, SecretsPort } from "../ports";
import { macaroonPlace } from "../server/sealed-places";
import type { Tx } from "../transaction";

const TYPE = "BTC-LN";

/** Subject of the node's alerts. */
export const subjectOf = (nodeId: string): string => (nodeId === SERVER_NODE_ID ? TYPE : `${TYPE} ${nodeId}`);

/** As its session knows it. */
export type WatchedNode = Pick<LightningNode, "id" | "storeId" | "nodeKey" | "otherKey" | "state">;

/** A leader's. Every transaction in which it writes checks the lease first. */
export interface LightningWatch {
  ctx: LeaderContext;
  node: WatchedNode;
  lightning: LightningPort;
}

/** With its client. */
export interface CallableNode extends Pick<LightningNode, "id" | "storeId"> {
  /** Null: any, as of the server's node. */
  nodeKey: string | null;
  calls: LightningPort;
}

/** Null: it cannot be called now, or is another store's. `storeId`: undefined of an invoice that was not created. */
export async function callableNode(
  ctx: CommandContext,
  nodeId: string,
  storeId: string | undefined,
): Promise<CallableNode | null> {
  const { lightning, db, secrets } = ctx;
  if (nodeId === SERVER_NODE_ID) {
    const server = { id: nodeId, storeId: null, nodeKey: null };
    return lightning.server ? { ...server, calls: lightning.of({ id: nodeId }) } : null;
  }
  const node = await db.manager.findOneBy(LightningNode, {
    id: nodeId,
    ...(storeId === undefined ? {} : { storeId }),
  });
  const access = node?.otherKey === null ? openNode(secrets, node) : null;
  if (node === null || access === null) return null;
  return { id: nodeId, storeId: node.storeId, nodeKey: node.nodeKey, calls: lightning.of(access) };
}

type StoreNode = Pick<LightningNode, "id" | "storeId" | "nodeKey" | "tlsCertificate"> & {
  address: string;
};

/** Without its MAC, which covers the macaroon in clear. */
function nodeFields(
  { id, storeId, address, tlsCertificate, nodeKey }: StoreNode,
  macaroon: string,
): string[] {
  return ["lightning-node", id, storeId ?? "", address, tlsCertificate ?? "", macaroon, nodeKey ?? ""];
}

/** By its owner, and by the check. */
export interface NodeGiven {
  storeId: string;
  address: string;
  tlsCertificate: string | null;
  /** Hex. */
  macaroon: string;
  nodeKey: string | null;
  network: string | null;
}

/** Active; the store's method has to name it. The caller holds the store's lock. */
export async function insertNode(tx: Tx, given: NodeGiven): Promise<LightningNode> {
  const node = tx.manager.create(LightningNode, {
    ...given,
    ...sealed(tx.secrets, { ...given, id: tx.newId("lnd") }, given.macaroon),
    state: "active",
  });
  return tx.manager.save(LightningNode, node);
}

/** The columns that a change of a node writes together. */
export function sealed(
  secrets: SecretsPort,
  node: StoreNode,
  macaroon: string,
): Pick<LightningNode, "id" | "address" | "tlsCertificate" | "nodeKey" | "macaroon" | "mac"> {
  const { id, address, tlsCertificate, nodeKey } = node;
  const encrypted = secrets.encrypt(macaroon, macaroonPlace(id));
  return {
    ...{ id, address, tlsCertificate, nodeKey },
    macaroon: encrypted,
    mac: secrets.mac(nodeFields(node, macaroon)),
  };
}

/** With the macaroon in clear. Null for a row that this service did not write, and without access any more. */
export function openNode(secrets: SecretsPort, node: LightningNode): NodeAccess | null {
  const { id, address, macaroon: encrypted, tlsCertificate: certificate } = node;
  if (id === SERVER_NODE_ID) return { id };
  if (address === null || encrypted === null) return null;
  let macaroon: string;
  try {
    macaroon = secrets.decrypt(encrypted, macaroonPlace(id));
  } catch {
    return null;
  }
  const authentic = secrets.macMatches(node.mac, nodeFields({ ...node, address }, macaroon));
  return authentic ? { id, given: { address, certificate, macaroon } } : null;
}

/** For the renewal of MACs: null for a row that is not authentic. */
export function fieldsOfNode(secrets: SecretsPort, node: LightningNode): string[] | null {
  const access = openNode(secrets, node);
  if (access?.given === undefined) return null;
  const { address, macaroon } = access.given;
  return nodeFields({ ...node, address }, macaroon);
}

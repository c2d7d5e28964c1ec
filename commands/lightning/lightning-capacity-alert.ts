import type { EntityManager } from "typeorm";
import { LightningNode, SERVER_NODE_ID } from "../../entities/lightning-node";
import { raiseAlert, resolveAlert, resolveAlerts } from "../server/raise-alert";
import { subjectOf, type WatchedNode } from "./lightning-node";
import { readStoresOf } from "./queries";
import type { Tx } from "../transaction";

const KIND = "cannot-receive";
const NO_ROOM = "LND has no active channel with capacity to receive: nobody can pay by Lightning.";
const WHO_ADDS = {
  server: "a server admin must add capacity",
  store: "open a channel with inbound capacity, or wait for its peers",
};

type Node = Pick<WatchedNode, "id">;

async function storesOf(manager: EntityManager, { id }: Node): Promise<string[]> {
  return (await readStoresOf(manager, id)).rows.map(({ storeId }) => storeId);
}

/** By a store, for new invoices. */
export async function isOffered(manager: EntityManager, node: Node): Promise<boolean> {
  return (await storesOf(manager, node)).length > 0;
}

/** Every store that offers it, and the operator if it is the server's. */
export async function alertCannotReceive(tx: Tx, node: Node): Promise<void> {
  if (node.id === SERVER_NODE_ID) {
    const alert = { kind: KIND, severity: "warning", subject: subjectOf(node.id) } as const;
    const message = `${NO_ROOM} Its channels have no inbound capacity, or their peers are offline.`;
    await raiseAlert(tx, { ...alert, message });
  }
  for (const storeId of await storesOf(tx.manager, node)) await alertStore(tx, storeId, node.id);
}

export async function endCannotReceive(tx: Tx, node: Node): Promise<void> {
  const stores = await storesOf(tx.manager, node);
  await resolveAlerts(tx, KIND, [subjectOf(node.id), ...stores.map(subjectOfStore)]);
}

/** The node can receive nothing, as far as is known. */
export async function warnNewStore(tx: Tx, storeId: string, nodeId: string): Promise<void> {
  const node = await tx.manager.findOneBy(LightningNode, { id: nodeId });
  if (node?.receivableSats === 0n) await alertStore(tx, storeId, nodeId);
}

export async function endStoreWarning(tx: Tx, storeId: string): Promise<void> {
  await resolveAlert(tx, KIND, subjectOfStore(storeId));
}

function alertStore(tx: Tx, storeId: string, nodeId: string): Promise<void> {
  const who = nodeId === SERVER_NODE_ID ? WHO_ADDS.server : WHO_ADDS.store;
  const message = `${NO_ROOM} Invoices of this store show exceeds-receivable; ${who}.`;
  const subject = subjectOfStore(storeId);
  return raiseAlert(tx, { kind: KIND, severity: "warning", subject, storeId, message });
}

export function subjectOfStore(storeId: string): string {
  return `BTC-LN ${storeId}`;
}

import { IsNull, Not } from "typeorm";
import { LightningNode } from "../../entities/lightning-node";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import type { CommandContext } from "../context";
import { resolveAlert } from "../server/raise-alert";
import { writeAudit } from "../server/write-audit";
import { lockStore } from "../../database/rows";
import { inTransaction, type Reading, type Tx } from "../transaction";
import { subjectOf, type WatchedNode } from "./lightning-node";
import { cancelOfNode, decideInvoicesOfNode, endOfNode, readInvoicesOfNode } from "./queries";

const ALERT_KINDS = [
  "lightning-away",
  "lightning-locked",
  "lightning-forbidden",
  "lightning-node-changed",
  "lightning-certificate",
  "lightning-clock",
  "lightning-other-node",
  "lightning-unfinished",
  "cannot-receive",
] as const;

/** A creation that began before may make a BOLT11 there for less than this. */
const CREATION_MS = 10 * 60_000;

/**
 * The store's active node, if it has one: no new BOLT11s, and those that are open are cancelled there by its watcher. What
 * is paid meanwhile counts. The caller holds the store's lock, and changes its payment method.
 */
export async function retireNode(tx: Tx, storeId: string): Promise<void> {
  const { manager } = tx;
  const active = await manager.findBy(LightningNode, { storeId, state: "active" });
  for (const { id } of active) {
    await manager.update(LightningNode, { id }, { state: "retired", retiredAt: await tx.now() });
    await decideInvoicesOfNode(manager, id, await tx.now());
    await cancelOfNode(manager, id);
    await endAlerts(tx, id);
  }
}

/** With the payment method that names it. */
export async function removeOwnNode(tx: Tx, storeId: string): Promise<void> {
  const node = await tx.manager.findOneBy(LightningNode, { storeId, state: "active" });
  if (node === null) return;
  await retireNode(tx, storeId);
  await tx.manager.delete(StorePaymentMethod, { storeId, type: "BTC-LN", lightningNodeId: node.id });
}

/** Without another call: nothing can be paid there any more, or it has been over for a day. */
export async function endRetiredNode({
  ctx,
  node,
}: {
  ctx: CommandContext;
  node: WatchedNode;
}): Promise<void> {
  if (node.state !== "retired") return;
  await inTransaction(ctx, async (tx) => {
    const { retiredAt } = await tx.manager.findOneByOrFail(LightningNode, { id: node.id });
    if ((await tx.now()).getTime() - (retiredAt?.getTime() ?? 0) < CREATION_MS) return;
    const { rows } = await readInvoicesOfNode(tx.manager, node.id, await tx.now());
    if (rows.every(({ payable }) => !payable)) await endWait(tx, node.id);
  });
}

export interface FormerNode extends Pick<LightningNode, "id" | "address" | "nodeKey" | "retiredAt"> {
  /** Ids of those that could still be paid there. */
  invoices: string[];
}

/** Retired, and still watched. */
export async function readFormerNodes(from: Reading, storeId: string): Promise<FormerNode[]> {
  const retired = await from.manager.find(LightningNode, {
    where: { storeId, state: "retired", macaroon: Not(IsNull()) },
    order: { retiredAt: "ASC" },
  });
  const now = await from.now();
  return Promise.all(
    retired.map(async ({ id, address, nodeKey, retiredAt }) => {
      const { rows } = await readInvoicesOfNode(from.manager, id, now);
      const invoices = rows.filter(({ payable }) => payable).map(({ invoiceId }) => invoiceId);
      return { id, address, nodeKey, retiredAt, invoices };
    }),
  );
}

/**
 * By hand: the node is gone. Returns the invoices that could still be paid there, of which nobody hears any more.
 * @throws DomainError `store-not-found`
 */
export async function stopWaiting(ctx: CommandContext, storeId: string): Promise<string[]> {
  return inTransaction(ctx, async (tx) => {
    await lockStore(tx.manager, storeId);
    const left: string[] = [];
    for (const { id, invoices } of await readFormerNodes(tx, storeId)) {
      await endWait(tx, id);
      const details = { invoices };
      await writeAudit(tx, { action: "lightning.wait-ended", storeId, subject: id, details });
      left.push(...invoices);
    }
    return left;
  });
}

async function endWait(tx: Tx, nodeId: string): Promise<void> {
  await decideInvoicesOfNode(tx.manager, nodeId, await tx.now());
  await endOfNode(tx.manager, nodeId);
  const nothing = { macaroon: null, tlsCertificate: null, mac: null, otherKey: null };
  await tx.manager.update(LightningNode, { id: nodeId, state: "retired" }, nothing);
  await endAlerts(tx, nodeId);
}

async function endAlerts(tx: Tx, nodeId: string): Promise<void> {
  for (const kind of ALERT_KINDS) await resolveAlert(tx, kind, subjectOf(nodeId));
}

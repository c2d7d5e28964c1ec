import { In, IsNull, Not, type EntityManager } from "typeorm";
import { DomainError, invalidField, NodeUnavailableError } from "../../domain/errors";
import {
  fieldPointer,
  type GivenAccess,
  readNodeAccess,
  type ReadAccess,
} from "../../domain/lightning/node-access";
import { LightningNode, SERVER_NODE_ID } from "../../entities/lightning-node";
import type { Store } from "../../entities/store";
import { StoreMember } from "../../entities/store-member";
import { StorePaymentMethod } from "../../entities/store-payment-method";
import { findAuthentic } from "../server/authentic-rows";
import { isOperator } from "../server/is-operator";
import type { CommandContext } from "../context";
import { alertingOwners } from "../wallets/alerting-owners";
import { lockStore, readStore } from "../../database/rows";
import { type Reading, reading, type Tx } from "../transaction";
import { refuseWalletKey } from "../wallets/change-wallet";
import {
  paymentMethodNotFound,
  type PaymentMethodView,
  readPaymentMethod,
} from "../wallets/list-payment-methods";
import { type CheckStep, FIELD_OF, runCheck } from "./check-node";
import type { CheckedNode } from "./check-steps";
import { insertNode, openNode, sealed } from "./lightning-node";
import { lockNodeCount } from "./queries";
import { retireNode } from "./retire-node";
import { refuseUnlessOperator, switchLightningOff, switchLightningOn } from "./switch-lightning";

const TYPE = "BTC-LN";
const FORMER_MAX = 5;
const AGAIN = "connect your node again";
type OnStep = (step: CheckStep) => void;

/**
 * Checked first; then new invoices are paid to it. The same node with another certificate, macaroon or address stays
 * the same; another retires the former.
 * @throws DomainError `validation-failed` at the field that a failed step is about; `admin-only`, `dashboard-only`,
 * `limit-reached`, `wallet-in-use`, `store-not-found`.
 */
export async function connectNode(
  ctx: CommandContext,
  storeId: string,
  given: GivenAccess,
  { onStep, sameNode = false }: { onStep?: OnStep | undefined; sameNode?: boolean } = {},
): Promise<PaymentMethodView> {
  await refuseByPolicy(ctx);
  const access = readNodeAccess(given);
  // Nothing is sent for whom it would be in vain.
  await refuseChangeByKey(reading(ctx), await readStore(ctx, storeId));
  const node = await passedCheck(ctx, given, onStep);
  return alertingOwners(ctx, AGAIN, async (tx, alert) => {
    const store = await lockStore(tx.manager, storeId);
    await refuseChangeByKey(tx, store);
    await refuseNodeInUse(tx, storeId, node.nodeKey);
    // A key's first may be a thief's.
    const first = tx.actor.kind !== "key" && !(await hadLightning(tx.manager, storeId));
    const before = await connectedNode(tx.manager, storeId);
    if (sameNode && before?.nodeKey !== node.nodeKey) throw otherNodeFound();
    const after =
      before?.nodeKey === node.nodeKey
        ? await renew(tx, before, access)
        : await replace(tx, { storeId, before, access, node });
    const details = { from: shown(before), to: shown(after) };
    const audit = { action: "lightning.node-connected", storeId, subject: after.id, details } as const;
    const what = before === null ? "was connected" : "was changed";
    await alert(
      audit,
      `The Lightning node that payments go to ${what}, from ${nameOf(before)} to ${nameOf(after)}`,
      first,
    );
    return readPaymentMethod(tx, storeId, TYPE);
  });
}

/** With the given access, or the connected node's. @throws DomainError also `payment-method-not-found` */
export async function checkAccess(
  ctx: CommandContext,
  storeId: string,
  given: GivenAccess | null,
  onStep?: OnStep,
): Promise<CheckStep[]> {
  if (given !== null) {
    await refuseByPolicy(ctx);
    return (await runCheck(ctx, readNodeAccess(given), onStep)).steps;
  }
  return (await runCheck(ctx, await storedAccess(ctx, storeId), onStep)).steps;
}

/**
 * All stores that do so are paid into it, and the operator holds their money: only an admin may.
 * @throws DomainError `admin-only`, `store-not-found`
 */
export async function useServerNode(ctx: CommandContext, storeId: string): Promise<PaymentMethodView> {
  if ((await connectedNode(ctx.db.manager, storeId)) === null) return switchLightningOn(ctx, storeId);
  await refuseUnlessOperator(ctx);
  return alertingOwners(ctx, AGAIN, async (tx, alert) => {
    await lockStore(tx.manager, storeId);
    const node = await connectedNode(tx.manager, storeId);
    if (node === null) return readPaymentMethod(tx, storeId, TYPE);
    await retireNode(tx, storeId);
    await tx.manager.update(StorePaymentMethod, { storeId, type: TYPE }, { lightningNodeId: SERVER_NODE_ID });
    const details = { from: shown(node), to: { id: SERVER_NODE_ID } };
    const audit = { action: "lightning.switched-on", storeId, subject: storeId, details } as const;
    await alert(audit, `Lightning payments go to the server's node, no longer to ${nameOf(node)}`);
    return readPaymentMethod(tx, storeId, TYPE);
  });
}

/**
 * The store's own; BOLT11s that are open there stay watched. Or the server's, by an admin.
 * @throws DomainError `store-not-found`, `payment-method-not-found`, `dashboard-only`, `admin-only`
 */
export async function removeLightning(ctx: CommandContext, storeId: string): Promise<void> {
  if ((await connectedNode(ctx.db.manager, storeId)) === null) return switchLightningOff(ctx, storeId);
  await alertingOwners(ctx, AGAIN, async (tx, alert) => {
    const store = await lockStore(tx.manager, storeId);
    const node = await connectedNode(tx.manager, storeId);
    if (node === null) throw paymentMethodNotFound(TYPE);
    refuseWalletKey(tx, store);
    await retireNode(tx, storeId);
    await tx.manager.delete(StorePaymentMethod, { storeId, type: TYPE });
    const details = { from: shown(node) };
    const audit = { action: "lightning.node-removed", storeId, subject: node.id, details } as const;
    await alert(audit, `The Lightning node that payments go to was removed: ${nameOf(node)}`);
  });
}

/**
 * With the certificate that its node shows now: renewed, while the node's key stays the same. `otherNode`: the owner
 * confirms that the node behind the address is another one.
 * @throws DomainError as `connectNode`, `payment-method-not-found`
 */
export async function reconnectNode(
  ctx: CommandContext,
  storeId: string,
  { otherNode }: { otherNode: boolean },
  onStep?: OnStep,
): Promise<PaymentMethodView> {
  const { address, certificate, macaroon } = await storedAccess(ctx, storeId);
  const shown = certificate === null ? null : await certificateOf(ctx, { address, certificate, macaroon });
  const given = { address, macaroon, ...(shown === null ? {} : { tlsCertificate: shown }) };
  return connectNode(ctx, storeId, given, { onStep, sameNode: !otherNode });
}

async function storedAccess(ctx: CommandContext, storeId: string): Promise<ReadAccess> {
  const node = await connectedNode(ctx.db.manager, storeId);
  const access = node && openNode(ctx.secrets, node);
  if (access?.given === undefined) throw paymentMethodNotFound(TYPE);
  return access.given;
}

/** The known one where none is seen, which the check reports. */
async function certificateOf(
  ctx: CommandContext,
  access: ReadAccess & { certificate: string },
): Promise<string> {
  const visit = ctx.visitNode(access);
  try {
    await visit.resolve();
    await visit.reach();
    return (await visit.handshake()).pem;
  } catch (error) {
    if (error instanceof NodeUnavailableError) return access.certificate;
    throw error;
  } finally {
    visit.close();
  }
}

/** Null: none, or the server's. */
export async function connectedNode(manager: EntityManager, storeId: string): Promise<LightningNode | null> {
  const method = await manager.findOneBy(StorePaymentMethod, { storeId, type: TYPE });
  const id = method?.lightningNodeId ?? null;
  return id === null ? null : manager.findOneBy(LightningNode, { id, storeId });
}

function otherNodeFound(): DomainError {
  return invalidField("/otherNode", "Another node answers at this address. Connect it only if it is yours.");
}

async function refuseByPolicy(ctx: CommandContext): Promise<void> {
  const { storeLightning } = ctx.settings;
  if (storeLightning === "everyone" || (storeLightning === "admins" && (await isOperator(reading(ctx)))))
    return;
  throw new DomainError(
    "admin-only",
    storeLightning === "off"
      ? "This server connects no Lightning nodes of stores."
      : "Only server admins can connect Lightning nodes here. Ask one to connect yours.",
  );
}

/** A key may connect the store's first node. */
async function refuseChangeByKey(from: Reading, store: Store): Promise<void> {
  if (from.actor.kind !== "key") return;
  if (await hadLightning(from.manager, store.id)) refuseWalletKey(from, store);
}

async function hadLightning(manager: EntityManager, storeId: string): Promise<boolean> {
  return (
    (await manager.existsBy(LightningNode, { storeId })) ||
    (await manager.existsBy(StorePaymentMethod, { storeId, type: TYPE }))
  );
}

/** @throws DomainError `validation-failed` at the field that the failed step is about */
export async function passedCheck(
  ctx: CommandContext,
  given: GivenAccess,
  onStep?: OnStep,
): Promise<CheckedNode> {
  const { steps, node } = await runCheck(ctx, readNodeAccess(given), onStep);
  const last = steps.at(-1);
  if (node === null && last !== undefined)
    throw invalidField(fieldPointer(given, FIELD_OF[last.step]), last.message);
  if (node === null) throw new Error("a check without steps");
  return node;
}

/** Its payments would mix in the other store's node. @throws DomainError `wallet-in-use`, which names no store. */
async function refuseNodeInUse(tx: Tx, storeId: string, nodeKey: string): Promise<void> {
  const others = await tx.manager.findBy(LightningNode, { nodeKey, state: "active", storeId: Not(storeId) });
  if (others.length === 0 || (await isOperator(tx))) return;
  const { kind, id: userId } = tx.actor;
  if (kind === "user" && userId !== null) {
    const stores = [...new Set([storeId, ...others.flatMap(({ storeId: other }) => other ?? [])])];
    const place = { storeId: In(stores), userId, role: "owner" as const };
    if ((await findAuthentic(tx, StoreMember, place)).length === stores.length) return;
  }
  throw new DomainError(
    "wallet-in-use",
    "Another store uses this node. Connect another, or ask a server admin or an owner of both stores to connect it.",
  );
}

async function renew(
  tx: Tx,
  node: LightningNode,
  { address, certificate: tlsCertificate, macaroon }: ReadAccess,
): Promise<LightningNode> {
  const columns = sealed(tx.secrets, { ...node, address, tlsCertificate }, macaroon);
  return tx.manager.save(LightningNode, { ...node, ...columns, otherKey: null });
}

interface Replacement {
  storeId: string;
  before: LightningNode | null;
  access: ReadAccess;
  node: CheckedNode;
}

async function replace(tx: Tx, { storeId, before, access, node }: Replacement): Promise<LightningNode> {
  const { address, certificate: tlsCertificate, macaroon } = access;
  const { nodeKey, network } = node;
  if (before === null) await checkLimit(tx);
  await checkFormer(tx, storeId);
  await retireNode(tx, storeId);
  const given = { storeId, address, tlsCertificate, macaroon, nodeKey, network };
  const after = await insertNode(tx, given);
  const method = { storeId, type: TYPE, walletId: null, lightningNodeId: after.id } as const;
  await tx.manager.upsert(StorePaymentMethod, method, ["storeId", "type"]);
  return after;
}

/** Counted by a single transaction at a time. */
async function checkLimit({ manager, settings }: Tx): Promise<void> {
  await lockNodeCount(manager);
  const existing = await manager.countBy(LightningNode, { state: "active", storeId: Not(IsNull()) });
  if (existing >= settings.maxLightningNodes)
    throw new DomainError(
      "limit-reached",
      `This server takes at most ${settings.maxLightningNodes} Lightning nodes of stores. Ask its operator for more.`,
    );
}

/** Each is watched until nothing can be paid there. */
async function checkFormer({ manager }: Tx, storeId: string): Promise<void> {
  const former = await manager.countBy(LightningNode, { storeId, state: "retired", macaroon: Not(IsNull()) });
  if (former >= FORMER_MAX)
    throw new DomainError(
      "limit-reached",
      `${former} former nodes of this store are still watched for payments. Wait until they have ended, or forget them.`,
    );
}

type Shown = Pick<LightningNode, "id" | "address" | "nodeKey">;
const shown = (node: LightningNode | null): Shown | null =>
  node && { id: node.id, address: node.address, nodeKey: node.nodeKey };

const nameOf = (node: LightningNode | null): string =>
  node === null ? "none of its own" : (node.nodeKey ?? node.id);

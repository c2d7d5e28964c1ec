import { NodeUnavailableError, type NodeFault } from "../domain/errors";
import { assertLease } from "./lease";
import { cannotBeUsed } from "./lightning-away";
import type { LightningInfo } from "./ports";
import { raiseAlert, resolveAlert } from "./raise-alert";
import { alertCannotReceive, endCannotReceive } from "./warn-of-receiving";
import type { LightningWatch } from "./watch";
import { alertNode, endNodeAlerts, writeRail, type NodeTrouble } from "./write-rail";

const RAIL = "BTC-LN";
/** A restart of LND is nothing to wake somebody for. */
const ALERT_AFTER_MS = 60_000;

/** What a leader remembers of the node. All of it may be lost. */
export interface LightningView {
  /** What the node last said of itself. */
  info: LightningInfo | null;
  receivableSats: bigint | null;
  /** Start of the last complete sweep since there is a connection; null before it. */
  sweptFrom: Date | null;
  /** Since when LND could not be used; null while it can. */
  troubledSince: Date | null;
  /** An alert may be open. */
  alerted: { trouble: boolean; cannotReceive: boolean; otherNode: boolean };
}

export function newLightningView(): LightningView {
  return {
    info: null,
    receivableSats: null,
    sweptFrom: null,
    troubledSince: null,
    alerted: { trouble: true, cannotReceive: true, otherNode: true }, // by the leader before us
  };
}

/**
 * Asks the node for all that health tells of it.
 * @throws NodeUnavailableError also where it is of another network.
 */
export async function lookAtNode({ ctx, lightning }: LightningWatch, view: LightningView): Promise<void> {
  const info = await lightning.info();
  const { network } = ctx.settings;
  if (info.network !== null && info.network !== network)
    throw new NodeUnavailableError(
      `LND is on the network "${info.network}", but this installation is for "${network}"`,
      "malformed",
    );
  view.receivableSats = await lightning.receivableSats();
  view.info = info;
}

/** The node's public key; where the macaroon hides it, that of a BOLT11 of ours which the node knows. */
export async function identifyNode(
  { ctx, lightning }: LightningWatch,
  view: LightningView,
): Promise<string | null> {
  if (view.info?.nodeKey) return view.info.nodeKey;
  const latest = await ctx.db.query<{ nodeKey: string; paymentHash: string }[]>(
    `SELECT DISTINCT ON (node_key) node_key AS "nodeKey", payment_hash AS "paymentHash" FROM bolt11s
      WHERE node_key IS NOT NULL AND bolt11 IS NOT NULL ORDER BY node_key, created_at DESC`,
  );
  for (const { nodeKey, paymentHash } of latest)
    if ((await lightning.lookUpInvoice(paymentHash)) !== null) return nodeKey;
  return null;
}

/** Writes that LND answers, and how far it was looked at. @throws LeaseLostError */
export async function reportAnswering(watch: LightningWatch, view: LightningView): Promise<void> {
  const { info, sweptFrom, receivableSats } = view;
  // Payments come through all the same, but those that need a channel of today may not.
  if (sweptFrom !== null && info?.synchronized === false)
    return troubled(watch, view, "lightning-away", "LND is still synchronising with the chain.");
  await writeRail(watch, {
    type: RAIL,
    synchronized: sweptFrom !== null,
    nodeHeight: null,
    problem: sweptFrom === null ? "The BOLT11s are being looked up." : blindSpots(info),
    caughtUpTo: sweptFrom,
    receivableSats,
  });
  if (sweptFrom === null) return;
  view.troubledSince = null;
  if (view.alerted.trouble) await endNodeAlerts(watch, RAIL);
  view.alerted.trouble = false;
  await watchReceiving(watch, view);
}

/** Payments work without them; health says what it does not see. */
function blindSpots(info: LightningInfo | null): string | null {
  if (info === null || info.missingRights.length === 0) return null;
  const hidden = info.missingRights.map((right) =>
    right === "offchain:read" ? "what the node can receive" : "the node's key, network and synchronisation",
  );
  return `The macaroon lacks ${info.missingRights.join(" and ")}: not seen are ${hidden.join(" and ")}.`;
}

const TROUBLE_OF: Record<NodeFault, NodeTrouble> = {
  locked: "lightning-locked",
  forbidden: "lightning-forbidden",
  away: "lightning-away",
  starting: "lightning-away",
  malformed: "lightning-away",
};

/** Tells the rail that LND cannot be used, and after a minute the operator. @throws LeaseLostError */
export async function reportTrouble(
  watch: LightningWatch,
  view: LightningView,
  { fault, message }: Pick<NodeUnavailableError, "fault" | "message">,
): Promise<void> {
  view.sweptFrom = null;
  await troubled(watch, view, TROUBLE_OF[fault], cannotBeUsed(message));
}

async function troubled(
  watch: LightningWatch,
  view: LightningView,
  kind: NodeTrouble,
  problem: string,
): Promise<void> {
  const now = await watch.ctx.now(watch.ctx.db.manager);
  view.troubledSince ??= now;
  await writeRail(watch, {
    type: RAIL,
    synchronized: false,
    nodeHeight: null,
    problem,
    caughtUpTo: view.sweptFrom,
    receivableSats: view.receivableSats,
  });
  if (now.getTime() - view.troubledSince.getTime() < ALERT_AFTER_MS) return;
  if (view.alerted.trouble) await endNodeAlerts(watch, RAIL, kind);
  await alertNode(watch, RAIL, kind, problem);
  view.alerted.trouble = true;
}

async function watchReceiving(watch: LightningWatch, view: LightningView): Promise<void> {
  const { ctx, lease } = watch;
  const cannot = view.receivableSats === 0n && (await isOffered(watch));
  if (cannot === view.alerted.cannotReceive) return;
  await ctx.db.transaction(async (manager) => {
    await assertLease(manager, lease);
    await (cannot ? alertCannotReceive : endCannotReceive)(manager, ctx);
  });
  view.alerted.cannotReceive = cannot;
}

async function isOffered({ ctx }: LightningWatch): Promise<boolean> {
  const [row] = await ctx.db.query<{ offered: boolean }[]>(
    `SELECT EXISTS (SELECT FROM store_payment_methods WHERE type = 'BTC-LN') AS offered`,
  );
  return row?.offered ?? false;
}

/** BOLT11s that another node made, and that were to be paid within the last day or may still be. @throws LeaseLostError */
export async function watchOtherNodes(
  { ctx, lease }: LightningWatch,
  view: LightningView,
  nodeKey: string | null,
): Promise<void> {
  const count = nodeKey === null ? 0 : await countOfOthers({ ctx }, nodeKey);
  if (count === 0 && !view.alerted.otherNode) return;
  await ctx.db.transaction(async (manager) => {
    await assertLease(manager, lease);
    if (count === 0) return resolveAlert(manager, ctx, "lightning-other-node", RAIL);
    return raiseAlert(manager, ctx, {
      kind: "lightning-other-node",
      severity: "critical",
      subject: RAIL,
      message: `LND is another node than the one that made ${count} BOLT11s which may be paid: whether they are is not seen, and their invoices' expiry waits.`,
    });
  });
  view.alerted.otherNode = count > 0;
}

async function countOfOthers({ ctx }: Pick<LightningWatch, "ctx">, nodeKey: string): Promise<number> {
  const [row] = await ctx.db.query<{ count: number }[]>(
    `SELECT count(*)::integer AS count FROM bolt11s b JOIN invoices i ON i.id = b.invoice_id
      WHERE b.state IN ('wanted', 'open') AND b.node_key <> $1 AND b.expires_at > $2::timestamptz - interval '1 day'`,
    [nodeKey, await ctx.now(ctx.db.manager)],
  );
  return row?.count ?? 0;
}

import { NodeUnavailableError, type NodeFault } from "../../domain/errors";
import type { AlertKind, AlertSeverity } from "../../entities/alert";
import type { LightningFacts, LightningInfo } from "../ports";
import { raiseAlert, resolveAlert } from "../server/raise-alert";
import { beginReading, passHole, type SettledReading, wasSetBack, writeCursor } from "./lightning-cursor";
import { CHECK_ADDRESS } from "../lightning/check-steps";
import { identifyNode } from "../lightning/identify-node";
import { subjectOf, type WatchedNode } from "../lightning/lightning-node";
import { endRetiredNode } from "../lightning/retire-node";
import { type Reported, writeNodeReport } from "./node-report";
import { checkPinnedKey } from "./pinned-key";
import { readOpenAlerts, readLatestOfNodes, readStoresOf } from "../lightning/queries";
import { readUnfinished } from "./shared-reads";
import { sweepLightning, type SweepPosition } from "./sweep-lightning";
import type { LightningWatch } from "../lightning/lightning-node";
import { endTrouble, newTroubleView, recordTrouble, type TroubleView } from "../server/trouble";
import { inTransaction } from "../transaction";

/** In a leader's memory. All of it may be lost. */
export interface LightningView {
  info: LightningFacts | null;
  /** On this connection; null before the first, which looks up everything. */
  sweptFrom: Date | null;
  sweptTo: SweepPosition;
  /** While the cursor is at `after`, a stream begins after `last`: one that is too long for it lies before. */
  skipped: { after: bigint; last: bigint } | null;
  trouble: TroubleView;
  reported: Reported | null;
  /** Open; null: not read. */
  alerted: Set<AlertKind> | null;
}

type Reporting = Omit<LightningWatch, "lightning">;

const TROUBLE_KINDS = [
  "lightning-away",
  "lightning-locked",
  "lightning-forbidden",
  "lightning-node-changed",
] as const;
const ALERT_KINDS = [
  ...TROUBLE_KINDS,
  "cannot-receive",
  "lightning-other-node",
  "lightning-unfinished",
] as const;
type WatchedKind = Exclude<(typeof ALERT_KINDS)[number], (typeof TROUBLE_KINDS)[number]>;
const CANNOT_RECEIVE =
  "LND has no active channel with capacity to receive: nobody can pay by Lightning, and invoices show exceeds-receivable. Open a channel with inbound capacity, or wait for its peers.";

export function newLightningView({ id, storeId }: WatchedNode): LightningView {
  return {
    info: null,
    sweptFrom: null,
    sweptTo: null,
    skipped: null,
    trouble: newTroubleView({ kinds: TROUBLE_KINDS, subject: subjectOf(id), storeId }),
    reported: null,
    alerted: null,
  };
}

interface LightningCheckHooks {
  signal: AbortSignal;
  pageSize?: number;
  /** Everything settled before the check is recorded, and its report written. */
  onUsable(): void;
}

/**
 * Returns where the stream of settled invoices begins.
 * @throws NodeUnavailableError also when the node is on another network.
 */
export async function beginSession(watch: LightningWatch, view: LightningView): Promise<SettledReading> {
  view.sweptFrom = null;
  await refreshFacts(watch, view);
  if (view.alerted === null) await readAlerted(watch, view);
  return beginReading(watch, await keyOf(watch, view));
}

/**
 * Lightning is caught up to the check's beginning. The first on a connection looks up all open BOLT11s; later ones the
 * next thousand, because a stream may lose events, and all while a settle index is missing. Returns whether the stream
 * has to begin elsewhere. Stops where `signal` is aborted.
 * @throws NodeUnavailableError, LeaseLostError
 */
export async function checkLightning(
  watch: LightningWatch,
  view: LightningView,
  reading: SettledReading,
  { signal, onUsable, pageSize }: LightningCheckHooks,
): Promise<boolean> {
  const { ctx } = watch;
  const { nodeKey } = reading;
  await writeCursor(watch, reading);
  const from = await ctx.now(ctx.db.manager);
  const all = view.sweptFrom === null || reading.ahead.size > reading.unwritten;
  const lookUp = { after: all ? null : view.sweptTo, pages: all ? Infinity : 1, pageSize };
  view.sweptTo = await sweepLightning(watch, { nodeKey, lookUp, signal });
  if (signal.aborted) return false;
  view.sweptFrom = from;
  await reportAnswering(watch, view);
  onUsable();
  if (all && (await passHole(watch, reading, from)))
    ctx.log.warn({ settleIndex: String(reading.reached) }, "lightning: missing settle indexes skipped");
  await watchUnfinished(watch, view, nodeKey);
  await endRetiredNode(watch);
  if (nodeKey === null) return (await keyOf(watch, view)) !== null;
  return wasSetBack(watch, reading);
}

/** Opened by a former leader. */
async function readAlerted({ ctx, node }: LightningWatch, view: LightningView): Promise<void> {
  const { rows } = await readOpenAlerts(ctx.db.manager, ALERT_KINDS, [subjectOf(node.id)]);
  const open = new Set<AlertKind>(rows.map(({ kind }) => kind));
  view.trouble.alerted = TROUBLE_KINDS.some((kind) => open.has(kind));
  view.alerted = open;
}

/** Urgent ones, between two checks. The first check looks up everything. */
export async function checkPressing(
  watch: LightningWatch,
  view: LightningView,
  { nodeKey }: SettledReading,
  signal: AbortSignal,
): Promise<void> {
  if (view.sweptFrom !== null) await sweepLightning(watch, { nodeKey, signal });
}

/** @throws NodeUnavailableError also when the node is on another network. */
export async function refreshFacts(watch: LightningWatch, view: LightningView): Promise<void> {
  const facts = await watch.lightning.facts();
  await checkInfo(watch, facts);
  view.info = facts;
}

/** And its capacity while it has none: peers come back, and customers wait. @throws NodeUnavailableError */
export async function refreshInfo(watch: LightningWatch, view: LightningView): Promise<void> {
  if (view.info?.receivableSats === 0n) return refreshFacts(watch, view);
  const info = await watch.lightning.info();
  await checkInfo(watch, info);
  if (view.info !== null) view.info = { ...view.info, ...info };
}

async function checkInfo(watch: LightningWatch, info: LightningInfo): Promise<void> {
  const { network } = watch.ctx.settings;
  if (info.network !== null && info.network !== network)
    throw new NodeUnavailableError(
      `LND is on the network "${info.network}", but this installation is for "${network}"`,
      "malformed",
    );
  await checkPinnedKey(watch, info);
}

async function keyOf(
  { ctx, lightning, node }: LightningWatch,
  { info }: LightningView,
): Promise<string | null> {
  return info && identifyNode(lightning, info, () => readLatestOfNodes(ctx.db.manager, node.id));
}

/** Returns whether payments are recorded: after this connection's first complete check. @throws LeaseLostError */
export async function reportAnswering(watch: LightningWatch, view: LightningView): Promise<boolean> {
  const { info, sweptFrom } = view;
  // Payments still arrive, except those that need a channel opened since.
  if (sweptFrom !== null && info?.synchronized === false) {
    const problem = "LND is still syncing with the chain.";
    await troubled(watch, view, { kind: "lightning-away", problem, fault: null });
    return true;
  }
  const problem = sweptFrom === null ? "BOLT11s are being looked up." : blindSpots(info);
  const report = {
    synchronized: sweptFrom !== null,
    problem,
    fault: null,
    caughtUpTo: sweptFrom,
    receivableSats: info?.receivableSats ?? null,
  };
  view.reported = await writeNodeReport(watch, report, view.reported);
  if (sweptFrom === null) return false;
  await endTrouble(watch.ctx, view.trouble);
  await watchReceiving(watch, view);
  return true;
}

/** Health cannot see it with this macaroon. Payments work without it. */
function blindSpots(info: LightningFacts | null): string | null {
  if (info === null || info.missingRights.length === 0) return null;
  const hidden = info.missingRights.map((right) =>
    right === "offchain:read"
      ? "the node's capacity to receive"
      : "the node's key, network and synchronisation",
  );
  return `The macaroon lacks ${info.missingRights.join(" and ")}. Unknown: ${hidden.join(" and ")}.`;
}

type NodeTrouble = (typeof TROUBLE_KINDS)[number];
const TROUBLE_OF: Record<NodeFault, NodeTrouble> = {
  locked: "lightning-locked",
  forbidden: "lightning-forbidden",
  changed: "lightning-node-changed",
  away: "lightning-away",
  starting: "lightning-away",
  malformed: "lightning-away",
};

/** @throws LeaseLostError */
export async function reportTrouble(
  watch: Reporting,
  view: LightningView,
  { fault, message }: Pick<NodeUnavailableError, "fault" | "message">,
): Promise<void> {
  view.sweptFrom = null;
  const problem = `Lightning is unusable: ${message}.${fault === "away" ? ` ${CHECK_ADDRESS}` : ""}`;
  await troubled(watch, view, { kind: TROUBLE_OF[fault], problem, fault });
}

async function troubled(
  watch: Reporting,
  view: LightningView,
  { kind, problem, fault }: { kind: NodeTrouble; problem: string; fault: NodeFault | null },
): Promise<void> {
  const now = await watch.ctx.now(watch.ctx.db.manager);
  const { sweptFrom: caughtUpTo, info } = view;
  await recordTrouble(watch.ctx, view.trouble, {
    kind,
    problem,
    report: async () => {
      const known = { caughtUpTo, receivableSats: info?.receivableSats ?? null };
      const report = { synchronized: false, problem, fault, ...known };
      view.reported = await writeNodeReport(watch, report, view.reported);
    },
    now,
    endsOtherKinds: true,
  });
}

/** While a store offers it. */
async function watchReceiving(watch: LightningWatch, view: LightningView): Promise<void> {
  const { ctx, node } = watch;
  const cannot =
    view.info?.receivableSats === 0n && (await readStoresOf(ctx.db.manager, node.id)).rows.length > 0;
  if (cannot && view.alerted?.has("cannot-receive")) return;
  await setAlert(watch, view, "cannot-receive", cannot ? ["warning", CANNOT_RECEIVE] : null);
}

/**
 * Alerts about another node's BOLT11s that expired within a day or can still be paid, and about ended ones without
 * LND's answer for a day.
 * @throws LeaseLostError
 */
async function watchUnfinished(
  watch: LightningWatch,
  view: LightningView,
  nodeKey: string | null,
): Promise<void> {
  const { others, unfinished } = await readUnfinished(watch.ctx, { nodeId: watch.node.id, nodeKey });
  const alertOf = async (kind: WatchedKind, count: number, message: string): Promise<void> =>
    setAlert(watch, view, kind, count === 0 ? null : ["critical", message]);
  await alertOf(
    "lightning-other-node",
    others,
    `LND is not the node that made ${others} BOLT11s which may still be paid. Their payments are not seen, and their invoices' expiry is held.`,
  );
  await alertOf(
    "lightning-unfinished",
    unfinished,
    `LND has not said what became of ${unfinished} BOLT11s that ended more than a day ago. If they were paid, that is not seen.`,
  );
}

/** Null: ends it. @throws LeaseLostError */
async function setAlert(
  { ctx, node: { id, storeId } }: LightningWatch,
  { alerted }: LightningView,
  kind: WatchedKind,
  alert: [severity: AlertSeverity, message: string] | null,
): Promise<void> {
  if (alert === null && alerted?.has(kind) === false) return;
  const subject = subjectOf(id);
  await inTransaction(ctx, async (tx) => {
    if (alert === null) return resolveAlert(tx, kind, subject);
    const [severity, message] = alert;
    return raiseAlert(tx, { kind, severity, subject, message, ...(storeId === null ? {} : { storeId }) });
  });
  if (alert === null) alerted?.delete(kind);
  else alerted?.add(kind);
}

import type { PaymentMethodType } from "../../domain/invoice/status";
import { assertLease } from "./lease";
import { raiseAlert, resolveAlert } from "./raise-alert";
import type { Watch } from "./watch";
import { type SyncReport, writeSync } from "./write-sync";

// A node that cannot be used: reported at once, and alerted when it lasts.

const TROUBLES = {
  "BTC-CHAIN": ["node-away", "node-behind", "node-blind", "other-chain"],
  "BTC-LN": ["lightning-away", "lightning-locked", "lightning-forbidden"],
} as const;

/** Why a payment method's node cannot be used. */
export type NodeTrouble = (typeof TROUBLES)[PaymentMethodType][number];

/** A restart of a node takes less, and needs no alert. */
const ALERT_AFTER_MS = 60_000;

/** What a leader remembers of the trouble with its node. It may be lost. */
export interface TroubleView {
  /** Since when the node could not be used; null while it can. */
  since: Date | null;
  /** Alerts about it may be open. */
  alerted: boolean;
}

/** The former leader's alerts may be open. */
export const newTroubleView = (): TroubleView => ({ since: null, alerted: true });

interface Trouble {
  kind: NodeTrouble;
  /** Says that the node cannot be used, and why. */
  report: SyncReport & { problem: string };
  now: Date;
  /** It does not pass by itself: the alert does not wait until it has lasted a minute. */
  atOnce?: boolean;
  /** Only one kind of trouble is open at a time. */
  endsOtherKinds?: boolean;
}

/** Records that a node cannot be used, and after a minute of it alerts the operator. @throws LeaseLostError */
export async function reportNodeTrouble(
  watch: Watch,
  view: TroubleView,
  { kind, report, now, atOnce = false, endsOtherKinds = false }: Trouble,
): Promise<void> {
  view.since ??= now;
  await writeSync(watch, report);
  if (!atOnce && now.getTime() - view.since.getTime() < ALERT_AFTER_MS) return;
  if (endsOtherKinds && view.alerted) await endNodeAlerts(watch, report.type, kind);
  await alertNode(watch, report.type, kind, report.problem);
  view.alerted = true;
}

/** Ends the trouble with a node, and the alerts about it. @throws LeaseLostError */
export async function endNodeTrouble(
  watch: Watch,
  view: TroubleView,
  type: PaymentMethodType,
): Promise<void> {
  view.since = null;
  if (view.alerted) await endNodeAlerts(watch, type);
  view.alerted = false;
}

async function alertNode(
  { ctx, lease }: Watch,
  type: PaymentMethodType,
  kind: NodeTrouble,
  message: string,
): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    await assertLease(manager, lease);
    await raiseAlert(manager, ctx, { kind, severity: "critical", subject: type, message });
  });
}

/** Except for the present trouble, if there is one. */
async function endNodeAlerts(
  { ctx, lease }: Watch,
  type: PaymentMethodType,
  goesOn?: NodeTrouble,
): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    await assertLease(manager, lease);
    for (const kind of TROUBLES[type]) if (kind !== goesOn) await resolveAlert(manager, ctx, kind, type);
  });
}

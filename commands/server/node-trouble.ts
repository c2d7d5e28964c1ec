import type { PaymentMethodType } from "../../domain/invoice/status";
import { raiseAlert, resolveAlert } from "./raise-alert";
import type { Watch } from "./watch";
import { type SyncReport, writeSync } from "./write-sync";
import { inTransaction } from "../transaction";

// Reported at once, alerted when it lasts.

const TROUBLES = {
  "BTC-CHAIN": ["node-away", "node-behind", "node-blind", "other-chain"],
  "BTC-LN": ["lightning-away", "lightning-locked", "lightning-forbidden"],
} as const;

export type NodeTrouble = (typeof TROUBLES)[PaymentMethodType][number];

/** A restart of a node takes less. */
const ALERT_AFTER_MS = 60_000;

/** A leader's memory. It may be lost. */
export interface TroubleView {
  /** Null while the node can be used. */
  since: Date | null;
  alerted: boolean;
}

/** The former leader's may be open. */
export const newTroubleView = (): TroubleView => ({ since: null, alerted: true });

interface Trouble {
  kind: NodeTrouble;
  report: SyncReport & { problem: string };
  now: Date;
  /** It does not pass by itself: no minute's wait. */
  atOnce?: boolean;
  /** Only one kind of trouble at a time. */
  endsOtherKinds?: boolean;
}

/** Alerts after a minute. @throws LeaseLostError */
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

/** @throws LeaseLostError */
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
  { ctx }: Watch,
  type: PaymentMethodType,
  kind: NodeTrouble,
  message: string,
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await raiseAlert(tx, { kind, severity: "critical", subject: type, message });
  });
}

async function endNodeAlerts({ ctx }: Watch, type: PaymentMethodType, goesOn?: NodeTrouble): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    for (const kind of TROUBLES[type]) if (kind !== goesOn) await resolveAlert(tx, kind, type);
  });
}

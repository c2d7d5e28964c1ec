import type { AlertKind } from "../../entities/alert";
import { inTransaction } from "../transaction";
import { raiseAlert, resolveAlert } from "./raise-alert";
import type { CommandContext } from "../context";

// Reported at once, alerted when it lasts.

/** Whose trouble it is. */
export interface Troubled {
  kinds: readonly AlertKind[];
  /** The alerts' subject. */
  subject: string;
  /** Null: the operator's alone. */
  storeId: string | null;
}

/** A restart of a node, or of the queue's store, takes less. */
const ALERT_AFTER_MS = 60_000;

/** A store's owners get a mail. */
const STORE_ALERT_AFTER_MS = 5 * ALERT_AFTER_MS;

/** A leader's memory. It may be lost. */
export interface TroubleView {
  of: Troubled;
  /** Null while it can be used. */
  since: Date | null;
  alerted: boolean;
}

/** The former leader's may be open. */
export const newTroubleView = (of: Troubled): TroubleView => ({ of, since: null, alerted: true });

interface Trouble {
  kind: AlertKind;
  problem: string;
  /** Writes it to the node's row. */
  report?: () => Promise<void>;
  now: Date;
  /** It does not pass by itself: no minute's wait. */
  atOnce?: boolean;
  /** Only one kind of trouble at a time. */
  endsOtherKinds?: boolean;
}

/** Alerts after a minute, about a store's node after five. @throws LeaseLostError */
export async function recordTrouble(
  ctx: CommandContext,
  view: TroubleView,
  { kind, problem, report, now, atOnce = false, endsOtherKinds = false }: Trouble,
): Promise<void> {
  view.since ??= now;
  await report?.();
  const afterMs = view.of.storeId === null ? ALERT_AFTER_MS : STORE_ALERT_AFTER_MS;
  if (!atOnce && now.getTime() - view.since.getTime() < afterMs) return;
  const { kinds, subject, storeId } = view.of;
  const others = endsOtherKinds && view.alerted ? kinds.filter((other) => other !== kind) : [];
  const alert = { kind, severity: "critical", subject, message: problem } as const;
  await inTransaction(ctx, async (tx) => {
    for (const other of others) await resolveAlert(tx, other, subject);
    await raiseAlert(tx, storeId === null ? alert : { ...alert, storeId });
  });
  view.alerted = true;
}

/** @throws LeaseLostError */
export async function endTrouble(ctx: CommandContext, view: TroubleView): Promise<void> {
  const { kinds, subject } = view.of;
  view.since = null;
  if (view.alerted)
    await inTransaction(ctx, async (tx) => {
      for (const kind of kinds) await resolveAlert(tx, kind, subject);
    });
  view.alerted = false;
}

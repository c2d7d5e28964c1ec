import { IsNull } from "typeorm";
import { Alert, type AlertDetails, type AlertKind, type AlertSeverity } from "../../entities/alert";
import type { CommandContext } from "../context";
import type { AlertMessage } from "../ports";
import { notifyChanges } from "./notify-changes";
import { inTransaction, type Tx } from "../transaction";

export interface AlertText {
  kind: AlertKind;
  severity: AlertSeverity;
  /** While an alert of this kind and subject is open, it is not raised again. */
  subject: string;
  storeId?: string;
  invoiceId?: string;
  /** For somebody who was woken up, without hosts or secrets. */
  message: string;
  details?: AlertDetails;
  /** For one that is sent and asks for nothing: it is never open. */
  resolvedAt?: Date;
}

/** In the caller's transaction; the sweep sends it. */
export async function raiseAlert(tx: Tx, alert: AlertText): Promise<void> {
  await writeAlert(tx, alert);
}

/** For `sendAtOnce` after the commit. */
export async function writeAlert(tx: Tx, alert: AlertText): Promise<AlertMessage> {
  const { kind, severity, message, storeId = null, invoiceId = null, resolvedAt = null } = alert;
  const [id, at] = [tx.newId("alr"), await tx.now()];
  const written = await tx.manager
    .createQueryBuilder()
    .insert()
    .into(Alert)
    .values({ ...alert, id, at })
    .orIgnore()
    .returning(["id", "storeId"])
    .execute();
  notifyAlerts(tx, written.raw as AlertRow[]);
  return { alertId: id, kind, severity, storeId, invoiceId, message, at, resolvedAt };
}

/**
 * Each occurrence has to be known: an open alert gets the new text, and is sent again. The caller has locked its
 * subject.
 * @param textAfter the text, after the details of the open alert, if there is one.
 */
export async function repeatAlert(
  tx: Tx,
  { kind, subject }: Pick<AlertText, "kind" | "subject">,
  textAfter: (known: AlertDetails | null) => Omit<AlertText, "kind" | "subject">,
): Promise<void> {
  const open = await tx.manager.findOne(Alert, {
    where: { kind, subject, resolvedAt: IsNull() },
    lock: { mode: "pessimistic_write" },
  });
  if (open === null) return raiseAlert(tx, { kind, subject, ...textAfter(null) });
  const again = { at: await tx.now(), sentAt: null, acceptedBy: [] };
  await tx.manager.update(Alert, { id: open.id }, { ...textAfter(open.details), ...again });
  notifyAlerts(tx, [{ id: open.id, store_id: open.storeId }]);
}

export async function resolveAlert(tx: Tx, kind: AlertKind, subject: string): Promise<void> {
  await resolveAlerts(tx, kind, [subject]);
}

export async function resolveAlerts(tx: Tx, kind: AlertKind, subjects: readonly string[]): Promise<void> {
  if (subjects.length > 0) await resolveThose(tx, kind, subjects, "subject = ANY(:subjects)");
}

export async function resolveAlertsExcept(
  tx: Tx,
  kind: AlertKind,
  subjects: readonly string[],
): Promise<void> {
  await resolveThose(tx, kind, subjects, "subject <> ALL(:subjects)");
}

async function resolveThose(
  tx: Tx,
  kind: AlertKind,
  subjects: readonly string[],
  which: string,
): Promise<void> {
  const written = await tx.manager
    .createQueryBuilder()
    .update(Alert)
    .set({ resolvedAt: await tx.now() })
    .where(`kind = :kind AND ${which} AND resolved_at IS NULL`, { kind, subjects })
    .returning(["id", "storeId"])
    .execute();
  notifyAlerts(tx, written.raw as AlertRow[]);
}

interface AlertRow {
  id: string;
  store_id: string | null;
}

function notifyAlerts(tx: Tx, rows: readonly AlertRow[]): void {
  tx.after(
    notifyChanges,
    rows.map(({ id, store_id }) => ({ topic: "alerts" as const, storeId: store_id, alertId: id })),
  );
}

const failingInvoice = (invoiceId: string): string => `invoice ${invoiceId}`;

/** Alerts that an invoice fails for a reason of its own. Whoever calls this tries it again by itself. */
export async function alertFailingInvoice(
  ctx: CommandContext,
  invoiceId: string,
  reason: unknown,
): Promise<void> {
  ctx.log.error({ err: reason, invoiceId }, "invoice: not processed, retrying");
  await inTransaction(ctx, (tx) =>
    raiseAlert(tx, {
      kind: "set-aside",
      severity: "critical",
      subject: failingInvoice(invoiceId),
      invoiceId,
      message: `The invoice ${invoiceId} could not be processed: ${String(reason).slice(0, 500)}. Its payments are not recorded or not decided; all others continue. It is retried by itself.`,
    }),
  );
}

/** For invoices that did not fail. */
export async function endFailingInvoices(ctx: CommandContext, invoiceIds: readonly string[]): Promise<void> {
  const subjects = invoiceIds.map(failingInvoice);
  await inTransaction(ctx, (tx) => resolveAlerts(tx, "set-aside", subjects));
}

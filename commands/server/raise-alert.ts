import { IsNull, type EntityManager } from "typeorm";
import { Alert, type AlertDetails, type AlertKind, type AlertSeverity } from "../../entities/alert";
import type { CommandContext } from "../context";
import type { AlertMessage } from "../ports";
import { notifyChanges } from "./notify-changes";

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
}

/** In the caller's transaction; the sweep sends it. */
export async function raiseAlert(
  manager: EntityManager,
  ctx: CommandContext,
  alert: AlertText,
): Promise<void> {
  await writeAlert(manager, ctx, alert);
}

/** For `sendAtOnce` after the commit. */
export async function writeAlert(
  manager: EntityManager,
  ctx: CommandContext,
  alert: AlertText,
): Promise<AlertMessage> {
  const { kind, severity, message, storeId = null, invoiceId = null } = alert;
  const [id, at] = [ctx.newId("alr"), await ctx.now(manager)];
  const written = await manager
    .createQueryBuilder()
    .insert()
    .into(Alert)
    .values({ ...alert, id, at })
    .orIgnore()
    .returning(["id", "storeId"])
    .execute();
  await notifyAlerts(manager, written.raw as AlertRow[]);
  return { alertId: id, kind, severity, storeId, invoiceId, message, at, resolvedAt: null };
}

/**
 * Each occurrence has to be known: an open alert gets the new text, and is sent again. The caller has locked its
 * subject.
 * @param textAfter the text, after the details of the open alert, if there is one.
 */
export async function repeatAlert(
  manager: EntityManager,
  ctx: CommandContext,
  { kind, subject }: Pick<AlertText, "kind" | "subject">,
  textAfter: (known: AlertDetails | null) => Omit<AlertText, "kind" | "subject">,
): Promise<void> {
  const open = await manager.findOne(Alert, {
    where: { kind, subject, resolvedAt: IsNull() },
    lock: { mode: "pessimistic_write" },
  });
  if (open === null) return raiseAlert(manager, ctx, { kind, subject, ...textAfter(null) });
  const again = { at: await ctx.now(manager), sentAt: null, acceptedBy: [] };
  await manager.update(Alert, { id: open.id }, { ...textAfter(open.details), ...again });
  await notifyAlerts(manager, [{ id: open.id, store_id: open.storeId }]);
}

export async function resolveAlert(
  manager: EntityManager,
  ctx: CommandContext,
  kind: AlertKind,
  subject: string,
): Promise<void> {
  await resolveAlerts(manager, ctx, kind, [subject]);
}

export async function resolveAlerts(
  manager: EntityManager,
  ctx: CommandContext,
  kind: AlertKind,
  subjects: readonly string[],
): Promise<void> {
  if (subjects.length > 0) await resolveThose(manager, ctx, kind, subjects, "subject = ANY(:subjects)");
}

export async function resolveAlertsExcept(
  manager: EntityManager,
  ctx: CommandContext,
  kind: AlertKind,
  subjects: readonly string[],
): Promise<void> {
  await resolveThose(manager, ctx, kind, subjects, "subject <> ALL(:subjects)");
}

async function resolveThose(
  manager: EntityManager,
  ctx: CommandContext,
  kind: AlertKind,
  subjects: readonly string[],
  which: string,
): Promise<void> {
  const written = await manager
    .createQueryBuilder()
    .update(Alert)
    .set({ resolvedAt: await ctx.now(manager) })
    .where(`kind = :kind AND ${which} AND resolved_at IS NULL`, { kind, subjects })
    .returning(["id", "storeId"])
    .execute();
  await notifyAlerts(manager, written.raw as AlertRow[]);
}

interface AlertRow {
  id: string;
  store_id: string | null;
}

async function notifyAlerts(manager: EntityManager, rows: readonly AlertRow[]): Promise<void> {
  await notifyChanges(
    manager,
    rows.map(({ id, store_id }) => ({ topic: "alerts", storeId: store_id, alertId: id })),
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
  await ctx.db.transaction((manager) =>
    raiseAlert(manager, ctx, {
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
  await resolveAlerts(ctx.db.manager, ctx, "set-aside", invoiceIds.map(failingInvoice));
}

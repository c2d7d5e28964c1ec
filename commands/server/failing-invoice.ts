import type { CommandContext } from "../context";
import { raiseAlert, resolveAlerts } from "./raise-alert";

const subjectOf = (invoiceId: string): string => `invoice ${invoiceId}`;

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
      subject: subjectOf(invoiceId),
      invoiceId,
      message: `The invoice ${invoiceId} could not be processed: ${String(reason).slice(0, 500)}. Its payments are not recorded or not decided; all others continue. It is retried by itself.`,
    }),
  );
}

/** For invoices that did not fail. */
export async function endFailingInvoices(ctx: CommandContext, invoiceIds: readonly string[]): Promise<void> {
  await resolveAlerts(ctx.db.manager, ctx, "set-aside", invoiceIds.map(subjectOf));
}

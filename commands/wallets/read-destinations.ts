import { groupBy } from "../../domain/group-by";
import type { PaymentMethodType } from "../../domain/invoice/status";
import type { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import type { CommandContext } from "../context";
import { alertNotAuthentic } from "../server/alert-not-authentic";
import { isAuthentic } from "./destination-macs";
import { readDestinations, type StoredMethod } from "./queries";

/** Its destination was stored by this service, or is null. */
export type ShownMethod = Omit<InvoicePaymentMethod, "mac">;

/** For each method also the row that proves it authentic, if there is one. */
export async function readStoredMethods(
  { db, secrets }: Pick<CommandContext, "db" | "secrets">,
  invoiceIds: readonly string[],
): Promise<(StoredMethod & { authentic: boolean })[]> {
  const { rows } = await readDestinations(db.manager, invoiceIds);
  const chosen = new Map<string, StoredMethod & { authentic: boolean }>();
  for (const row of rows) {
    const name = `${row.invoiceId} ${row.type}`;
    if (chosen.get(name)?.authentic !== true)
      chosen.set(name, { ...row, authentic: isAuthentic(secrets, row) });
  }
  return [...chosen.values()];
}

/** By type. A destination that is not authentic is not shown, and an alert is raised. */
export async function readShownMethods(
  ctx: CommandContext,
  invoices: readonly { id: string; storeId: string }[],
): Promise<ShownMethod[]> {
  const stored = await readStoredMethods(
    ctx,
    invoices.map(({ id }) => id),
  );
  const storeOf = new Map(invoices.map(({ id, storeId }) => [id, storeId]));
  const shown = stored.map(({ invoiceId, type, destination, available, reason, authentic }) =>
    authentic ? { invoiceId, type, destination, available, reason } : hidden(invoiceId, type),
  );
  const wrong = stored.filter(({ authentic }) => !authentic);
  await alertOfWrong(
    ctx,
    wrong.map(({ invoiceId, type }) => ({ invoiceId, type, storeId: storeOf.get(invoiceId) ?? "" })),
  );
  return shown;
}

function hidden(invoiceId: string, type: PaymentMethodType): ShownMethod {
  return { invoiceId, type, destination: null, available: false, reason: "not-authentic" };
}

export interface WrongDestination extends Pick<StoredMethod, "invoiceId" | "type"> {
  storeId: string;
}

/** For each store, about all of its destinations. */
export async function alertOfWrong(ctx: CommandContext, wrong: readonly WrongDestination[]): Promise<void> {
  for (const [storeId, [first]] of groupBy(wrong, (one) => one.storeId))
    if (first) await alertNotAuthentic(ctx, [{ storeId, what: { id: first.invoiceId, type: first.type } }]);
}

import type { EntityManager } from "typeorm";
import { dustLimitSats } from "../domain/chain/dust";
import { DomainError } from "../domain/errors";
import { Derivation } from "../entities/derivation";
import type { Invoice } from "../entities/invoice";
import { InvoiceHistory } from "../entities/invoice-history";
import { InvoicePaymentMethod } from "../entities/invoice-payment-method";
import { StorePaymentMethod } from "../entities/store-payment-method";
import { lockInvoice } from "./change-invoice";
import type { CommandContext } from "./context";
import { takeFreeAddress, type FreshAddress } from "./fresh-address";
import type { InvoiceView } from "./read-invoice";
import { tellChanges } from "./tell-change";

/** Whether the invoice would get its address now. */
export function awaitsAddress(
  { invoice, methods }: Pick<InvoiceView, "invoice" | "methods">,
  now: Date,
): boolean {
  return isOpen(invoice, now) && methods.some(({ reason }) => reason === "not-activated");
}

const isOpen = ({ status, expiresAt }: Invoice, now: Date): boolean => status === "New" && now < expiresAt;

/**
 * Gives an invoice the address that it was created without, from the wallet that its store has now. All in one
 * transaction under the invoice's row lock: of many who ask at once the first takes an address and the others find it,
 * whatever dies takes none, and nobody sees an address before its script is watched.
 * @throws DomainError `invoice-not-found`; `payment-method-not-found` where it offers no on-chain payment;
 * `invalid-transition` where it is no longer open; `payment-method-unavailable` where the store's wallet cannot be paid.
 */
export async function giveAddress(ctx: CommandContext, storeId: string, invoiceId: string): Promise<void> {
  await ctx.db.transaction(async (manager) => {
    const invoice = await lockInvoice(manager, invoiceId, storeId);
    const type = "BTC-CHAIN";
    const method = await manager.findOneBy(InvoicePaymentMethod, { invoiceId, type });
    if (method === null) throw new DomainError("payment-method-not-found", `${type} is not set up here.`);
    if (method.destination !== null) return;
    const at = await ctx.now(manager);
    if (!isOpen(invoice, at))
      throw new DomainError("invalid-transition", "The invoice is no longer open, so it gets no address.");
    const { address } = await takeAddress(manager, ctx, invoice);
    const given = { destination: address, available: true, reason: null };
    await manager.update(InvoicePaymentMethod, { invoiceId, type }, given);
    await manager.insert(InvoiceHistory, { invoiceId, at, kind: "activated", details: { type, address } });
    await tellChanges(manager, [{ topic: "invoices", storeId, invoiceId }]);
  });
}

async function takeAddress(
  manager: EntityManager,
  ctx: CommandContext,
  { id, storeId, dueSats }: Invoice,
): Promise<FreshAddress> {
  const method = await manager.findOneBy(StorePaymentMethod, { storeId, type: "BTC-CHAIN" });
  const derivation =
    method?.derivationId && (await manager.findOneBy(Derivation, { id: method.derivationId }));
  if (!derivation)
    throw new DomainError("payment-method-unavailable", "The store has no wallet for on-chain payments now.");
  const taken = await takeFreeAddress(manager, ctx, derivation, id);
  // The wallet may give another kind of addresses than at creation. To throw gives the index back.
  const dust = dustLimitSats(taken.scriptPubKey);
  if (dueSats < dust)
    throw new DomainError("payment-method-unavailable", `The price is below ${dust} sats, the dust limit.`);
  return taken;
}

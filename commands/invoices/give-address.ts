import { dustLimitSats } from "../../domain/chain/dust";
import { DomainError, WalletNotAuthenticError } from "../../domain/errors";
import { isPayable } from "../../domain/invoice/is-payable";
import type { WITHOUT_ADDRESS } from "../../domain/invoice/method-reason";
import { WITHOUT_BITCOIN_NODE } from "../../domain/invoice/payable-methods";
import type { Invoice } from "../../entities/invoice";
import { InvoiceHistory } from "../../entities/invoice-history";
import { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { alertNotAuthentic } from "../server/alert-not-authentic";
import { lockInvoice } from "../../database/rows";
import { allocateAddresses } from "../wallets/allocate-address";
import type { CommandContext } from "../context";
import { addressFields, type StoredAddress } from "../wallets/destination-macs";
import { type InvoiceView, readInvoice } from "./read-invoice";
import { notifyChanges } from "../server/notify-changes";
import { openWallet, readWalletLink } from "../wallets/wallet-link";
import { inTransaction, type Tx } from "../transaction";

type Awaiting = (view: Pick<InvoiceView, "invoice" | "methods">, now: Date) => boolean;

const awaiting =
  (until: (typeof WITHOUT_ADDRESS)[number]): Awaiting =>
  ({ invoice, methods }, now) =>
    isPayable(invoice, now) && methods.some(({ reason }) => reason === until);

/** It is given when the page is opened. */
export const awaitsAddress = awaiting("not-activated");
/** It is given when the customer chooses to pay on-chain. */
export const awaitsChoice = awaiting("not-chosen");

/**
 * From the store's present wallet, in one transaction under the invoice's lock: simultaneous callers find the first's
 * address, and none is visible before its script is watched.
 * @throws DomainError `invoice-not-found`; `payment-method-not-found` when it offers no on-chain payment;
 * `invalid-transition` when it is no longer open; `payment-method-unavailable` when the store's wallet cannot be paid,
 * is not authentic, or this server has no Bitcoin node.
 */
export async function giveAddress(ctx: CommandContext, storeId: string, invoiceId: string): Promise<void> {
  try {
    await giveOne(ctx, storeId, invoiceId);
  } catch (error) {
    if (error instanceof WalletNotAuthenticError) await alertNotAuthentic(ctx, [{ storeId, what: "wallet" }]);
    throw error;
  }
}

/**
 * An invoice of a store with lazy addresses has none until then.
 * @throws DomainError `invoice-not-found`, `payment-method-not-found`, `invalid-transition`,
 * `payment-method-unavailable`.
 */
export async function activateOnchain(
  ctx: CommandContext,
  storeId: string,
  invoiceId: string,
): Promise<InvoiceView> {
  await giveAddress(ctx, storeId, invoiceId);
  return readInvoice(ctx, storeId, invoiceId);
}

async function giveOne(ctx: CommandContext, storeId: string, invoiceId: string): Promise<void> {
  const hasChain = ctx.chain !== null;
  await inTransaction(ctx, async (tx) => {
    const invoice = await lockInvoice(tx.manager, invoiceId, storeId);
    const type = "BTC-CHAIN";
    const method = await tx.manager.findOneBy(InvoicePaymentMethod, { invoiceId, type });
    if (method === null)
      throw new DomainError("payment-method-not-found", `${type} is not set up in this store.`);
    if (method.destination !== null) return;
    const at = await tx.now();
    if (!isPayable(invoice, at))
      throw new DomainError("invalid-transition", "The invoice is no longer open, so it gets no address.");
    if (!hasChain) throw new DomainError("payment-method-unavailable", WITHOUT_BITCOIN_NODE);
    const taken = await takeAddress(tx, invoice);
    const { address } = taken;
    const mac = tx.secrets.mac(addressFields(taken));
    const given = { destination: address, mac, available: true, reason: null };
    await tx.manager.update(InvoicePaymentMethod, { invoiceId, type }, given);
    await tx.manager.insert(InvoiceHistory, { invoiceId, at, kind: "activated", details: { type, address } });
    tx.after(notifyChanges, [{ topic: "invoices", storeId, invoiceId }]);
  });
}

async function takeAddress(tx: Tx, { id, storeId, dueSats }: Invoice): Promise<StoredAddress> {
  const link = await readWalletLink(tx.manager, storeId);
  if (link === null)
    throw new DomainError(
      "payment-method-unavailable",
      "The store has no wallet for on-chain payments. Set one up first.",
    );
  const wallet = openWallet(tx.secrets, link);
  if (wallet === null) throw new WalletNotAuthenticError();
  const taken = (await allocateAddresses(tx, [{ invoiceId: id, wallet }])).get(id);
  if (taken === undefined) throw new Error("no address was allocated");
  // The script type may have changed since the creation. Throwing returns the index.
  const dust = dustLimitSats(taken.scriptPubKey);
  if (dueSats < dust)
    throw new DomainError("payment-method-unavailable", `The price is below ${dust} sats, the dust limit.`);
  return taken;
}

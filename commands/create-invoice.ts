import { DomainError } from "../domain/errors";
import { requiredConfirmations } from "../domain/invoice/confirmations-required";
import { withOrderId } from "../domain/invoice/metadata";
import { dueSats, minDueSats } from "../domain/invoice/pricing";
import type { PaymentMethodType } from "../domain/invoice/status";
import { isFiat } from "../domain/currencies";
import { parseAmount } from "../domain/money";
import type { Invoice, InvoiceRate } from "../entities/invoice";
import { Store } from "../entities/store";
import type { CommandContext } from "./context";
import { type FirstBolt11Request, firstBolt11, refuseWithoutBolt11 } from "./first-bolt11";
import { type FreshAddress, withFreshAddress } from "./fresh-address";
import type { Draft, InsertedInvoice } from "./insert-invoice";
import { enqueueNew } from "./next-deliveries";
import { offeredMethods, payableMethods } from "./payable-methods";
import type { InvoiceView } from "./read-invoice";
import { rowsByKey } from "./read-together";
import { storeRate } from "./store-rate";
import { type AlsoWrite, writeInvoice } from "./write-invoice";

/** What a merchant asks for. What is left out comes from the store. */
export interface CreateInvoiceInput {
  /** Decimal string in `currency`. */
  amount: string;
  /** `BTC`, `SATS` or ISO 4217. */
  currency?: string;
  /** JSON text of an object, exactly as sent; `orderId` in it is a string. */
  metadataJson?: string;
  redirectUrl?: string;
  redirectAutomatically?: boolean;
  description?: string;
  expiresInSeconds?: number;
  monitoringSeconds?: number;
  requiredConfirmations?: number;
  /** Percent, decimal string. */
  paymentTolerance?: string;
  paymentMethods?: readonly PaymentMethodType[];
  language?: string;
}

interface Price {
  amount: string;
  currency: string;
  rate: InvoiceRate | null;
  dueSats: bigint;
}

const storesOf = rowsByKey(Store);

/**
 * Creates an invoice with a fresh address (where the store takes it at once), a BOLT11 and its `New` event, in one
 * transaction; the address is taken while the node makes the BOLT11. A Lightning node that is away holds up no invoice
 * that can be paid on-chain: its BOLT11 comes later.
 * @throws DomainError `store-not-found`; `validation-failed` at the field that is wrong; `rate-unavailable`;
 * `payment-method-unavailable` where Lightning is the only way and there is no BOLT11 now.
 */
export async function createInvoice(
  ctx: CommandContext,
  storeId: string,
  input: CreateInvoiceInput,
  alsoWrite?: AlsoWrite,
): Promise<InvoiceView> {
  const [store, methods] = await Promise.all([storesOf(ctx.db)(storeId), offeredMethods(ctx, storeId)]);
  if (store === undefined) throw new DomainError("store-not-found", "There is no such store.");
  const price = await priceOf(ctx, store, input);
  const { derivation, lightning } = payableMethods(ctx, methods, price.dueSats, input.paymentMethods);
  const draft = draftOf(ctx, store, input, price);
  const asked = { ...bolt11RequestOf(draft, store), alone: derivation === null };
  const asking = lightning && firstBolt11(ctx, lightning, asked);
  asking?.catch(() => undefined); // whoever waits for it is told
  const alone = derivation === null ? await asking : null;
  if (alone?.reason) return refuseWithoutBolt11(ctx, alone);
  const insert = async (address: FreshAddress | null): Promise<InsertedInvoice> => {
    const destinations = { onchain: derivation !== null, address, bolt11: await asking };
    return writeInvoice(ctx, { draft, destinations, alsoWrite });
  };
  const { view, deliveries } =
    derivation && !store.lazyAddresses ? await withFreshAddress(ctx, derivation, insert) : await insert(null);
  // Nobody waits for that: it is far off, and the sweep finds what the queue does not know.
  void enqueueExpiry(ctx, view.invoice);
  await enqueueNew(ctx, deliveries);
  return view;
}

/** One job for all that expire in the same second. It counts from the database's clock, which is not ours. */
async function enqueueExpiry(ctx: CommandContext, { createdAt, expiresAt }: Invoice): Promise<void> {
  const endOfSecond = Math.ceil(expiresAt.getTime() / 1_000);
  const delayMs = endOfSecond * 1_000 - createdAt.getTime();
  await ctx.enqueue("invoice-expiry", [{ endOfSecond }], { delayMs });
}

async function priceOf(ctx: CommandContext, store: Store, input: CreateInvoiceInput): Promise<Price> {
  const { amount, currency = store.defaultCurrency } = input;
  parseAmount(amount, currency); // a wrong amount is told even while rates are away
  if (!isFiat(currency)) return { amount, currency, rate: null, dueSats: dueSats(amount, currency, null) };
  const { value, sources, at, spread } = await storeRate(ctx, store, currency);
  return {
    amount,
    currency,
    rate: { value, sources, at, spread },
    dueSats: dueSats(amount, currency, value),
  };
}

function draftOf(ctx: CommandContext, store: Store, input: CreateInvoiceInput, price: Price): Draft {
  const id = ctx.newId("inv");
  const metadata = withOrderId(input.metadataJson ?? "{}", id);
  const paymentTolerance = input.paymentTolerance ?? store.paymentTolerance;
  return {
    id,
    storeId: store.id,
    status: "New",
    additionalStatus: "None",
    markedByHand: null,
    markNote: null,
    amount: price.amount,
    currency: price.currency,
    rate: price.rate,
    dueSats: price.dueSats,
    minDueSats: minDueSats(price.dueSats, paymentTolerance),
    paidSats: 0n,
    confirmedSats: 0n,
    metadata,
    orderId: (JSON.parse(metadata) as { orderId: string }).orderId,
    redirectUrl: input.redirectUrl ?? null,
    redirectAutomatically: input.redirectAutomatically ?? store.redirectAutomatically,
    description: input.description ?? null,
    language: input.language ?? null,
    paymentTolerance,
    requiredConfirmations: requiredConfirmations(input.requiredConfirmations ?? null, store, price.dueSats),
    archivedAt: null,
    refundAddress: null,
    refundAddressAt: null,
    expiresInSeconds: input.expiresInSeconds ?? store.expiresInSeconds,
    monitoringSeconds: input.monitoringSeconds ?? store.monitoringSeconds,
  };
}

function bolt11RequestOf(
  draft: Draft,
  { name, privateRouteHints }: Store,
): Omit<FirstBolt11Request, "alone"> {
  const { id, dueSats, description, expiresInSeconds } = draft;
  return {
    invoiceId: id,
    amountSats: dueSats,
    description: description ?? name,
    expiresInSeconds,
    privateRouteHints,
  };
}

import { requiredConfirmations } from "../../domain/invoice/confirmations-required";
import { withOrderId } from "../../domain/invoice/metadata";
import { payableMethods, wantedMethods } from "../../domain/invoice/payable-methods";
import { checkLargest, dueSats, minDueSats } from "../../domain/invoice/pricing";
import type { PaymentMethodType } from "../../domain/invoice/status";
import { isFiat } from "../../domain/money/currencies";
import { parseAmount, roundAmount } from "../../domain/money/money";
import type { Invoice, InvoiceRate } from "../../entities/invoice";
import type { CommandContext } from "../context";
import { type FirstBolt11Request, firstBolt11, refuseWithoutBolt11 } from "../lightning/first-bolt11";
import { callableNode } from "../lightning/lightning-node";
import type { Draft } from "./insert-invoice";
import type { InvoiceView } from "./read-invoice";
import { readOffer, type StoreTerms } from "../wallets/read-offer";
import { storeRate } from "../stores/store-rate";
import { type AlsoWrite, type TakeNumber, writeInvoice } from "./write-invoice";

export interface CreateInvoiceInput {
  /** Decimal string in `currency`. */
  amount: string;
  /** `BTC`, `SATS` or ISO 4217. */
  currency?: string;
  /** An object, exactly as sent; `orderId` in it is a string. */
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
  /**
   * For callers that would lose the sale by a refusal: decimals are rounded, missing methods left out, and zero
   * confirmations may become one.
   */
  lenient?: boolean;
  /** Created by a customer at a payment link. `check` throws before anything is derived, `takeNumber` decides. */
  link?: { id: string; check: () => void; takeNumber: TakeNumber };
}

interface Price {
  amount: string;
  currency: string;
  rate: InvoiceRate | null;
  dueSats: bigint;
}

/**
 * In one transaction with its address (unless allocated later), BOLT11 and `New` event. If it can be paid on-chain it
 * does not wait for a Lightning node that is away.
 * @throws DomainError `store-not-found`; `validation-failed` at the field that is wrong; `rate-unavailable`;
 * `payment-method-unavailable` if Lightning is the only method and there is no BOLT11 now.
 */
export async function createInvoice(
  ctx: CommandContext,
  storeId: string,
  input: CreateInvoiceInput,
  alsoWrite?: AlsoWrite,
): Promise<InvoiceView> {
  input.link?.check();
  const { store, methods, nodeId } = await readOffer(ctx, storeId);
  const node = nodeId === null ? null : await callableNode(ctx, nodeId, storeId);
  const price = await priceOf(ctx, store, input);
  checkLargest(price.dueSats, store.maxInvoiceSats);
  const wanted = wantedMethods(methods, input);
  const nodes = { bitcoin: ctx.chain !== null, lightning: node !== null };
  const { wallet, lightning: byLightning } = payableMethods(methods, price.dueSats, wanted, nodes);
  const draft = draftOf(ctx, store, input, price);
  const alone = wallet === null;
  const request = { ...bolt11RequestOf(draft, store), alone };
  const bolt11 = byLightning && node !== null ? await firstBolt11(ctx, node, request) : null;
  if (alone && bolt11?.reason) return refuseWithoutBolt11(ctx, bolt11);
  const view = await writeInvoice(ctx, {
    draft,
    onchain: !alone,
    wallet: store.lazyAddresses || input.link !== undefined ? null : wallet,
    bolt11,
    takeNumber: input.link?.takeNumber,
    alsoWrite,
  });
  // Not awaited: the sweep finds what the queue lost.
  void enqueueExpiry(ctx, view.invoice);
  return view;
}

/** By the database's clock, which may differ from ours. */
async function enqueueExpiry(
  ctx: CommandContext,
  { id: invoiceId, createdAt, expiresAt }: Invoice,
): Promise<void> {
  const delayMs = expiresAt.getTime() - createdAt.getTime();
  await ctx.enqueue("invoice-expiry", [{ invoiceId }], { delayMs });
}

async function priceOf(ctx: CommandContext, store: StoreTerms, input: CreateInvoiceInput): Promise<Price> {
  const { currency = store.defaultCurrency, lenient = false } = input;
  const amount = lenient ? roundAmount(input.amount, currency) : input.amount;
  parseAmount(amount, currency); // a wrong amount is reported even while rates are away
  if (!isFiat(currency)) return { amount, currency, rate: null, dueSats: dueSats(amount, currency, null) };
  const { value, sources, at, spread } = await storeRate(ctx, store, currency);
  return {
    amount,
    currency,
    rate: { value, sources, at, spread },
    dueSats: dueSats(amount, currency, value),
  };
}

function draftOf(ctx: CommandContext, store: StoreTerms, input: CreateInvoiceInput, price: Price): Draft {
  const id = ctx.newId("inv");
  const metadata = withOrderId(input.metadataJson ?? "{}", id);
  const paymentTolerance = input.paymentTolerance ?? store.paymentTolerance;
  const { requiredConfirmations: wished = null } = input;
  return {
    id,
    storeId: store.id,
    status: "New",
    additionalStatus: "None",
    markedByHand: null,
    amount: price.amount,
    currency: price.currency,
    rate: price.rate,
    dueSats: price.dueSats,
    minDueSats: minDueSats(price.dueSats, paymentTolerance),
    paidSats: 0n,
    confirmedSats: 0n,
    metadata,
    orderId: (JSON.parse(metadata) as { orderId: string }).orderId,
    paymentLinkId: input.link?.id ?? null,
    redirectUrl: input.redirectUrl ?? null,
    redirectAutomatically: input.redirectAutomatically ?? store.redirectAutomatically,
    description: input.description ?? null,
    language: input.language ?? null,
    paymentTolerance,
    requestedMethods: input.paymentMethods === undefined ? null : [...input.paymentMethods],
    requiredConfirmations: requiredConfirmations(wished, store, price.dueSats, input.lenient),
    archivedAt: null,
    refundAddress: null,
    refundAddressAt: null,
    expiresInSeconds: input.expiresInSeconds ?? store.expiresInSeconds,
    monitoringSeconds: input.monitoringSeconds ?? store.monitoringSeconds,
  };
}

function bolt11RequestOf(
  draft: Draft,
  { name, privateRouteHints }: StoreTerms,
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

import { excessSats, paidSats } from "../../domain/invoice/sums";
import { after, mark, type Move, decideUntilStable } from "../../domain/invoice/decide";
import { isDoubleSpent } from "../../domain/chain/onchain-payment";
import {
  gapSince,
  notAhead,
  holdExpiryUntil,
  type HoldLimits,
  type UnreadChain,
} from "../../domain/invoice/expiry-hold";
import type {
  EmittedEvent,
  InvoiceFacts,
  LatestEvent,
  PaymentFact,
  SyncFacts,
} from "../../domain/invoice/facts";
import type { Mark } from "../../domain/invoice/status";
import { countsByRow } from "../../domain/invoice/vanished";
import type { EventCircumstances } from "../../domain/webhook/dialect";
import { groupBy } from "../../domain/group-by";
import type { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import type { Bolt11 } from "../../entities/bolt11";
import type { Payment } from "../../entities/payment";
import { pipelined } from "../../database/pipelined";
import {
  type LockedInvoice,
  readLatestEvents,
  readMethods,
  readPaymentsToDecide,
  readStanding,
} from "./decision-queries";
import { type LightningState, lightningStates } from "../lightning/plan-bolt11s";
import { unfinishedBolt11s } from "../lightning/queries";
import { readPaidBolt11s } from "../lightning/read-paid-bolt11s";
import type { CommandContext } from "../context";
import type { Tx } from "../transaction";
import { alertNotAuthentic } from "../server/alert-not-authentic";
import type { EntityManager } from "typeorm";

export interface HandMark {
  to: Mark;
  note: string | null;
}

export interface InvoiceDecision {
  invoice: LockedInvoice;
  methods: readonly InvoicePaymentMethod[];
  payments: readonly Payment[];
  /** Before the moves. */
  emitted: InvoiceFacts["emitted"];
  lightning: LightningState | null;
  sync: SyncFacts;
  now: Date;
  moves: readonly Move[];
  /** After the moves. */
  facts: InvoiceFacts;
}

export interface DecisionFacts {
  payments: readonly Payment[];
  events: readonly (LatestEvent & { invoiceId: string })[];
  methods: readonly InvoicePaymentMethod[];
  bolt11s: readonly Bolt11[];
  chain: ChainStanding;
}

/** Behind the lock of the invoices on the connection. */
export async function readFacts(manager: EntityManager, ids: readonly string[]): Promise<DecisionFacts> {
  const [payments, { rows: events }, methods, bolt11s, chain] = await pipelined(
    readPaymentsToDecide(manager, ids),
    readLatestEvents(manager, ids),
    readMethods(manager, ids),
    unfinishedBolt11s(manager, ids),
    readChainStanding(manager),
  );
  return { payments, events, methods, bolt11s, chain };
}

/** The caller has locked them. */
export function decisionsOf(
  tx: Pick<Tx, "settings">,
  invoices: readonly LockedInvoice[],
  { payments, events, methods, bolt11s, chain }: DecisionFacts,
  now: Date,
  byHand: HandMark | null,
): InvoiceDecision[] {
  const paymentsOf = groupBy(payments, ({ invoiceId }) => invoiceId);
  const eventsOf = groupBy(events, ({ invoiceId }) => invoiceId);
  const methodsOf = groupBy(methods, ({ invoiceId }) => invoiceId);
  const lightningOf = lightningStates(methods, bolt11s);
  return invoices.map((invoice) => {
    const paid = paymentsOf.get(invoice.id) ?? [];
    const own = methodsOf.get(invoice.id) ?? [];
    const lightning = lightningOf.get(invoice.id) ?? null;
    const sync = syncFactsOf(tx, invoice, { methods: own, lightning, chain, now });
    const before = factsOf(invoice, paid, eventsOf.get(invoice.id) ?? []);
    return {
      invoice,
      methods: own,
      payments: paid,
      emitted: before.emitted,
      lightning,
      sync,
      now,
      ...movesOf(before, now, sync, byHand),
    };
  });
}

function movesOf(
  facts: InvoiceFacts,
  now: Date,
  sync: SyncFacts,
  byHand: HandMark | null,
): { moves: Move[]; facts: InvoiceFacts } {
  const due = decideUntilStable(facts, now, sync); // a decision that was due before the mark is published before it
  if (byHand === null) return due;
  const marked = mark(due.facts, byHand.to);
  const rest = decideUntilStable(after(due.facts, marked), now, sync);
  return { moves: [...due.moves, marked, ...rest.moves], facts: rest.facts };
}

/** A shop plugin is sent this beside the event's name. */
export async function circumstancesOf(
  tx: Tx,
  { invoice, facts, emitted, moves, methods, payments }: InvoiceDecision,
  event: EmittedEvent,
): Promise<EventCircumstances> {
  const { texts, authentic } = await readPaidBolt11s(tx, payments);
  if (!authentic)
    tx.after(alertNotAuthentic, [{ storeId: invoice.storeId, what: { id: invoice.id, type: "BTC-LN" } }]);
  const address = methods.find(({ type }) => type === "BTC-CHAIN")?.destination ?? null;
  const events = moves.flatMap((move) => move.event ?? []);
  return {
    earlier: [...emitted, ...events.slice(0, events.indexOf(event))],
    overPaid: excessSats({ paidSats: paidSats(facts), dueSats: facts.dueSats }) > 0n,
    minDueSats: facts.minDueSats,
    payments: payments.filter(countsByRow).map(({ id, type, amountSats, state, firstSeenAt }) => ({
      id,
      type,
      amountSats,
      state,
      firstSeenAt,
      inWindow: firstSeenAt <= facts.monitoringUntil,
      destination: type === "BTC-CHAIN" ? address : (texts.get(id) ?? null),
    })),
  };
}

/** The caller has locked the invoice. */
function factsOf(
  invoice: LockedInvoice,
  payments: readonly Payment[],
  emitted: readonly LatestEvent[],
): InvoiceFacts {
  const { status, additionalStatus, markedByHand, dueSats, minDueSats, expiresAt, monitoringUntil } = invoice;
  return {
    status,
    additionalStatus,
    markedByHand,
    dueSats,
    minDueSats,
    expiresAt,
    monitoringUntil,
    payments: payments.map(paymentFact),
    emitted,
  };
}

function paymentFact(payment: Payment): PaymentFact {
  const { type, amountSats, state, firstSeenAt, blockHeight, leftBlockAt, neverCounts } = payment;
  return {
    type,
    amountSats,
    state,
    firstSeenAt,
    inBlock: blockHeight !== null,
    leftBlockAt,
    contested: payment.conflictTxid !== null && blockHeight === null,
    neverCounts,
    doubleSpent: isDoubleSpent(payment),
  };
}

export function syncFactsOf(
  ctx: Pick<CommandContext, "settings">,
  invoice: Pick<LockedInvoice, "id" | "createdAt" | "expiresAt">,
  seen: {
    methods: readonly InvoicePaymentMethod[];
    lightning: LightningState | null;
    chain: ChainStanding;
    now: Date;
  },
): SyncFacts {
  const { methods, lightning, chain, now } = seen;
  const onchain = methods.some(({ type, destination }) => type === "BTC-CHAIN" && destination !== null);
  // Final in LND, or never shown: it can no longer be paid.
  const mayBePaid = lightning?.unfinished.some(({ bolt11 }) => bolt11 !== null) ?? false;
  return {
    readUntil: mayBePaid ? null : onchain ? notAhead(chain.caughtUpTo, now) : now,
    gapSince: onchain ? gapSince(invoice, chain) : null,
    lossAt: onchain ? chain.lossAt : null,
    holdExpiryUntil: holdUntil(ctx, invoice.expiresAt, chain),
  };
}

/** How far the chain has been checked, and what may have been missed: the reasons that hold an expiry. */
export interface ChainStanding extends UnreadChain {
  /** Start of the last complete check; null before the first. */
  caughtUpTo: Date | null;
  /** The last start of chain-watch after at least a minute without it. Now, while the whole service is just starting. */
  watchStartedAt: Date | null;
  /** A payment was lost or a block undone, and no check has been completed since. */
  lossAt: Date | null;
}

export async function readChainStanding(manager: EntityManager): Promise<ChainStanding> {
  const [row] = (await readStanding(manager)).rows;
  return {
    caughtUpTo: row?.caughtUpTo ?? null,
    watchStartedAt: row?.watchStartedAt ?? null,
    lossAt: row?.lossAt ?? null,
    paidBySetAside: new Set(row?.paidBySetAside),
    gaps: (row?.gaps ?? []).map(({ beganAt, endedAt }) => ({
      beganAt: new Date(beganAt),
      endedAt: endedAt === null ? null : new Date(endedAt),
    })),
  };
}

/** From when an invoice's expiry no longer waits, by the rule in domain/invoice/expiry-hold. */
export function holdUntil(
  ctx: Pick<CommandContext, "settings">,
  expiresAt: Date,
  { watchStartedAt }: Pick<HoldLimits, "watchStartedAt">,
): Date {
  return holdExpiryUntil(expiresAt, {
    holdMinutes: ctx.settings.expiryHoldMinutes,
    watchStartedAt,
  });
}

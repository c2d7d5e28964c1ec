import { createHash } from "node:crypto";
import { In, type EntityManager } from "typeorm";
import { jsonRows } from "../../database/insert-rows";
import { pipelined } from "../../database/pipelined";
import { groupBy } from "../../domain/group-by";
import type { InvoiceFacts } from "../../domain/invoice/facts";
import {
  lightningPlan,
  type LightningPlan,
  shownOf,
  stepsOf,
  withoutNode,
} from "../../domain/invoice/lightning-plan";
import { Bolt11 } from "../../entities/bolt11";
import type { InvoicePaymentMethod } from "../../entities/invoice-payment-method";
import { SERVER_NODE_ID } from "../../entities/lightning-node";
import type { CommandContext } from "../context";
import type { Invoice } from "../../entities/invoice";
import { readNodesOf, type ShownMethod, showMethods } from "./queries";
import type { Tx } from "../transaction";

const PREIMAGE_BYTES = 32;
const UNFINISHED = ["wanted", "open"] as const;

export interface LightningState {
  method: InvoicePaymentMethod;
  unfinished: readonly Bolt11[];
}

interface DecidedLightning {
  invoice: Pick<Invoice, "id" | "expiresAt">;
  lightning: LightningState | null;
  facts: InvoiceFacts;
  now: Date;
}

export interface Bolt11sPlanned {
  asksLightning: boolean;
  shown: boolean;
}

/** With a new preimage, to be requested from LND. */
export function newBolt11(
  ctx: Pick<CommandContext, "randomBytes">,
  asked: Pick<Bolt11, "nodeId" | "invoiceId" | "amountSats" | "createdAt" | "expiresAt">,
): Bolt11 {
  const preimage = ctx.randomBytes(PREIMAGE_BYTES);
  return Object.assign(new Bolt11(), {
    ...asked,
    paymentHash: createHash("sha256").update(preimage).digest("hex"),
    preimage,
    state: "wanted",
    bolt11: null,
    mac: null,
    nodeKey: null,
    cancelWanted: false,
  });
}

/** By invoice; those that do not accept Lightning are left out. */
export function lightningStates(
  methods: readonly InvoicePaymentMethod[],
  unfinished: readonly Bolt11[],
): Map<string, LightningState> {
  const of = groupBy(unfinished, ({ invoiceId }) => invoiceId);
  const taking = methods.filter(({ type }) => type === "BTC-LN");
  return new Map(
    taking.map((method) => [method.invoiceId, { method, unfinished: of.get(method.invoiceId) ?? [] }]),
  );
}

/**
 * In the transaction that decided the invoices, under their locks: a cancelled BOLT11 is hidden from then on. LND is
 * called afterwards (sync-lightning-invoices), by any process. Returns them by invoice.
 */
export async function planBolt11s(
  tx: Tx,
  decided: readonly DecidedLightning[],
): Promise<Map<string, Bolt11sPlanned>> {
  const { manager } = tx;
  const planned = new Map<string, Bolt11sPlanned>();
  const unshown: Bolt11[] = [];
  const toCancel: Bolt11[] = [];
  const wanted: Bolt11[] = [];
  const shown: ShownMethod[] = [];
  const plans = decided.flatMap(({ lightning, invoice, facts, now }) =>
    lightning === null
      ? []
      : [{ lightning, invoice, now, plan: lightningPlan(facts, lightning.unfinished, now) }],
  );
  const nodeOf = await nodesToIssue(tx, plans);
  for (const { lightning, invoice, plan: wished, now } of plans) {
    const nodeId = nodeOf.get(invoice.id);
    const plan = nodeId === undefined ? withoutNode(wished) : wished;
    const { cancelNow, cancelByNode, issueSats, callsNode } = stepsOf(plan);
    unshown.push(...cancelNow);
    toCancel.push(...cancelByNode);
    const method = changeOfShown(lightning.method, plan);
    if (method !== null) shown.push(method);
    if (issueSats !== null && nodeId !== undefined) {
      const asked = { nodeId, amountSats: issueSats, createdAt: now, expiresAt: invoice.expiresAt };
      wanted.push(newBolt11(tx, { invoiceId: invoice.id, ...asked }));
    }
    planned.set(invoice.id, { asksLightning: callsNode, shown: method !== null });
  }
  await pipelined(
    writeWhere(manager, unshown, { state: "canceled", cancelWanted: true }),
    writeWhere(manager, toCancel, { cancelWanted: true }),
    shown.length > 0 ? showMethods(manager, jsonRows(shown)) : Promise.resolve(),
  );
  if (wanted.length > 0) await manager.insert(Bolt11, wanted);
  return planned;
}

/** By invoice, of those that want another BOLT11. */
async function nodesToIssue(
  { manager, hasLightning }: Tx,
  plans: readonly { invoice: Pick<Invoice, "id">; plan: LightningPlan<Bolt11> }[],
): Promise<Map<string, string>> {
  const wanting = plans.filter(({ plan }) => plan.keep === null && plan.wantedSats !== null);
  if (wanting.length === 0) return new Map();
  const { rows } = await readNodesOf(
    manager,
    wanting.map(({ invoice }) => invoice.id),
  );
  return new Map(
    rows
      .filter(({ nodeId }) => hasLightning || nodeId !== SERVER_NODE_ID)
      .map(({ id, nodeId }) => [id, nodeId]),
  );
}

async function writeWhere(
  manager: EntityManager,
  rows: readonly Bolt11[],
  values: Partial<Bolt11>,
): Promise<void> {
  if (rows.length === 0) return;
  const paymentHash = In(rows.map((row) => row.paymentHash));
  await manager.update(Bolt11, { paymentHash, state: In(UNFINISHED) }, values);
}

/** Null: unchanged. */
function changeOfShown(
  { invoiceId, ...before }: InvoicePaymentMethod,
  plan: LightningPlan<Bolt11>,
): ShownMethod | null {
  const { destination, reason } = shownOf(plan, before.reason);
  if (destination === before.destination && reason === before.reason) return null;
  // Readers refuse a text that was changed in the database.
  return { invoiceId, destination, mac: plan.keep?.mac ?? null, reason };
}

import type { EntityManager } from "typeorm";
import { confirmationsAt } from "../domain/chain/confirmations";
import { Payment } from "../entities/payment";
import type { CommandContext } from "./context";
import { readCursor } from "./process-block";
import { lockPaidInvoices } from "./record-transactions";
import { writePayments } from "./write-payments";

const INVOICES_A_TRANSACTION = 200;

/**
 * Confirms the payments that have reached their depth below the last processed block, and has their invoices decided
 * again. Safe to run at any time, by several at once. Answers how many payments there were.
 */
export async function advanceConfirmations(ctx: CommandContext): Promise<number> {
  let confirmed = 0;
  let after = "";
  for (;;) {
    const candidates = await deepEnough(ctx, after);
    const last = candidates.at(-1);
    if (last === undefined) return confirmed;
    after = last;
    const { invoiceIds, payments } = await ctx.db.transaction((manager) => confirm(manager, ctx, candidates));
    confirmed += payments;
    await ctx.enqueue(
      "invoices",
      invoiceIds.map((invoiceId) => ({ invoiceId })),
    );
  }
}

/** Invoices, in the order of their ids, with a payment that seems to have reached its depth. */
async function deepEnough(ctx: CommandContext, after: string): Promise<string[]> {
  const rows = await ctx.db.query<{ id: string }[]>(
    `SELECT DISTINCT invoice_id AS id FROM payments
      WHERE state = 'pending' AND type = 'BTC-CHAIN' AND invoice_id > $1
        AND block_height + required_confirmations - 1 <= (SELECT max(height) FROM chain_blocks)
      ORDER BY invoice_id LIMIT ${INVOICES_A_TRANSACTION}`,
    [after],
  );
  return rows.map(({ id }) => id);
}

async function confirm(
  manager: EntityManager,
  ctx: CommandContext,
  candidates: readonly string[],
): Promise<{ invoiceIds: string[]; payments: number }> {
  await lockPaidInvoices(manager, candidates);
  // Under the locks: a reorganisation may have come in between.
  const tip = await readCursor(manager);
  const pending = await manager
    .createQueryBuilder(Payment, "payment")
    .where("payment.invoiceId = ANY(:candidates) AND payment.state = 'pending'", { candidates })
    .andWhere("payment.type = 'BTC-CHAIN' AND payment.blockHeight IS NOT NULL")
    .getMany();
  const deep = pending.filter(
    ({ blockHeight, requiredConfirmations }) =>
      confirmationsAt(blockHeight, tip?.height ?? 0) >= requiredConfirmations,
  );
  const now = await ctx.now(manager);
  const lines = deep.map((before) => ({
    kind: "confirmed",
    before,
    payment: { ...before, state: "confirmed" as const, confirmedAt: now },
  }));
  return { invoiceIds: await writePayments(manager, lines, now), payments: lines.length };
}

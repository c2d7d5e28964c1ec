import type { EntityManager } from "typeorm";
import { type Gap, holdExpiryUntil, type HoldLimits } from "../../domain/invoice/expiry-hold";
import type { CommandContext } from "../context";
import { readStanding } from "./queries";

/** How far the chain was looked at, and what may have been missed: what holds an expiry. */
export interface ChainStanding {
  /** Start of the last complete check; null before the first. */
  caughtUpTo: Date | null;
  watchStartedAt: Date | null;
  /** Blocks were taken back or passed over, and have not all been read. */
  unread: boolean;
  /** Invoices paid by transactions that were set aside: their payments are not recorded as they are in the chain. */
  paidBySetAside: ReadonlySet<string>;
  /** Those that are not closed. */
  gaps: readonly Gap[];
}

export async function readChainStanding(manager: EntityManager): Promise<ChainStanding> {
  const [row] = (await readStanding(manager)).rows;
  return {
    caughtUpTo: row?.caughtUpTo ?? null,
    watchStartedAt: row?.watchStartedAt ?? null,
    unread: row?.unread ?? false,
    paidBySetAside: new Set(row?.paidBySetAside),
    gaps: (row?.gaps ?? []).map(({ beganAt, endedAt }) => ({
      beganAt: new Date(beganAt),
      endedAt: endedAt === null ? null : new Date(endedAt),
    })),
  };
}

/** From when an invoice's expiry no longer waits, by the one rule of domain/invoice/expiry-hold. */
export function holdUntil(
  ctx: CommandContext,
  expiresAt: Date,
  { watchStartedAt }: Pick<HoldLimits, "watchStartedAt">,
): Date {
  return holdExpiryUntil(expiresAt, {
    holdMinutes: ctx.settings.expiryHoldMinutes,
    watchStartedAt,
    processStartedAt: ctx.startedAt,
  });
}

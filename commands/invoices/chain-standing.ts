import type { EntityManager } from "typeorm";
import { holdExpiryUntil, type HoldLimits, type UnreadChain } from "../../domain/invoice/expiry-hold";
import type { CommandContext } from "../context";
import { readStanding } from "./decision-queries";

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

import { setTimeout as sleep } from "node:timers/promises";
import { DomainError } from "../../domain/errors";
import type { CommandContext } from "../context";
import { createInvoice, type CreateInvoiceInput } from "./create-invoice";
import { type Claim, claimRequest, ClaimLostError, keepAnswer, releaseClaim } from "./idempotency";
import type { InvoiceView } from "./read-invoice";

export type { TakeNumber } from "./write-invoice";

export interface CreateOnce {
  key: string;
  /** SHA-256 of the raw body. */
  requestHash: Buffer;
  render(view: InvoiceView): string;
}

export interface OnceAnswer {
  text: string;
  replayed: boolean;
}

const FIRST_DELAY_MS = 20;
const LONGEST_DELAY_MS = 250;
/** Longer than a claim is valid: a waiting request takes over from a process that died. */
const PATIENCE_MS = 20_000;

/**
 * The answer is stored in the invoice's own transaction for 24 h, and returned for the same body; a simultaneous
 * request waits. Refusals and failures are not stored.
 * @throws DomainError `idempotency-conflict` for another body; `unavailable` when the first request does not end; and
 * the errors of createInvoice.
 */
export async function createInvoiceOnce(
  ctx: CommandContext,
  storeId: string,
  input: CreateInvoiceInput,
  once: CreateOnce,
): Promise<OnceAnswer> {
  const { key, requestHash, render } = once;
  let delayMs = FIRST_DELAY_MS;
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += delayMs) {
    const standing = await claimRequest(ctx, { storeId, key, requestHash });
    if (standing.kind === "answered") return { text: standing.answer.toString(), replayed: true };
    if (standing.kind === "claimed") {
      const text = await createClaimed(ctx, input, standing.claim, render);
      if (text !== null) return { text, replayed: false };
    }
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
    await sleep(delayMs);
  }
  throw new DomainError(
    "unavailable",
    "The first request with this Idempotency-Key is still in progress. Send it again in a moment.",
  );
}

/** Null: the claim was lost, and nothing was created. */
async function createClaimed(
  ctx: CommandContext,
  input: CreateInvoiceInput,
  claim: Claim,
  render: CreateOnce["render"],
): Promise<string | null> {
  let text: string | null = null;
  try {
    await createInvoice(ctx, claim.storeId, input, async (tx, view) => {
      text = render(view);
      await keepAnswer(tx, claim, Buffer.from(text));
    });
    return text;
  } catch (error) {
    if (error instanceof ClaimLostError) return null;
    await releaseClaim(ctx, claim);
    throw error;
  }
}

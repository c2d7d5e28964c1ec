import type { EntityManager } from "typeorm";
import { DomainError } from "../domain/errors";
import type { CommandContext } from "./context";

/** What makes two requests the same. */
export interface IdempotentRequest {
  storeId: string;
  key: string;
  /** SHA-256 of the raw body. */
  requestHash: Buffer;
}

/** The right to answer a request. A second one is given when its holder did not answer in time, and ends the first. */
export interface Claim extends IdempotentRequest {
  id: string;
}

type Standing =
  { kind: "claimed"; claim: Claim } | { kind: "answered"; answer: Buffer } | { kind: "running" };

/** Another took the claim over, because we were too slow. Nothing of what we did may be committed. */
export class ClaimLostError extends Error {
  override readonly name = "ClaimLostError";
}

/** Much longer than an invoice takes, and shorter than those who wait for it do. */
const CLAIM_SECONDS = 10;
const KEPT_HOURS = 24;

/**
 * Claims a request, in a statement of its own: who waits for the answer holds neither a lock nor a connection.
 * @throws DomainError `idempotency-conflict` when the key belongs to another body.
 */
export async function claimRequest(ctx: CommandContext, request: IdempotentRequest): Promise<Standing> {
  const { storeId, key, requestHash } = request;
  const now = await ctx.now(ctx.db.manager);
  const [known] = await ctx.db.query<{ requestHash: Buffer; answer: Buffer | null }[]>(
    `SELECT request_hash AS "requestHash", answer FROM idempotency_keys
      WHERE store_id = $1 AND key = $2 AND expires_at > $3 AND (answer IS NOT NULL OR claimed_until > $3)`,
    [storeId, key, now],
  );
  if (known !== undefined) {
    if (!known.requestHash.equals(requestHash)) throw conflict();
    return known.answer === null ? { kind: "running" } : { kind: "answered", answer: known.answer };
  }
  const claim: Claim = { ...request, id: ctx.newId("clm") };
  const taken = await ctx.db.query<unknown[]>(
    `INSERT INTO idempotency_keys AS known (store_id, key, request_hash, claim, claimed_until, expires_at)
     VALUES ($1, $2, $3, $4, $5::timestamptz + interval '${CLAIM_SECONDS} seconds', $5::timestamptz + interval '${KEPT_HOURS} hours')
     ON CONFLICT (store_id, key) DO UPDATE
        SET request_hash = excluded.request_hash, claim = excluded.claim, claimed_until = excluded.claimed_until,
            expires_at = excluded.expires_at, answer = NULL
      WHERE known.expires_at <= $5 OR (known.answer IS NULL AND known.claimed_until <= $5)
     RETURNING 1`,
    [storeId, key, requestHash, claim.id, now],
  );
  return taken.length > 0 ? { kind: "claimed", claim } : { kind: "running" };
}

function conflict(): DomainError {
  return new DomainError(
    "idempotency-conflict",
    "This Idempotency-Key was sent with another body. Use a new key for a new request.",
  );
}

/** Keeps the answer, in the transaction of what it tells. @throws ClaimLostError */
export async function keepAnswer(manager: EntityManager, claim: Claim, answer: Buffer): Promise<void> {
  const [, kept] = await manager.query<[unknown[], number]>(
    "UPDATE idempotency_keys SET answer = $4 WHERE store_id = $1 AND key = $2 AND claim = $3 AND answer IS NULL",
    [claim.storeId, claim.key, claim.id, answer],
  );
  if (kept === 0) throw new ClaimLostError("another process took the request over");
}

/** Gives a claim back after a refusal or a failure, so that the next try need not wait until it runs out. */
export async function releaseClaim(ctx: CommandContext, claim: Claim): Promise<void> {
  try {
    // Where a commit went through although its answer was lost, the answer stands, and stays.
    await ctx.db.query(
      "DELETE FROM idempotency_keys WHERE store_id = $1 AND key = $2 AND claim = $3 AND answer IS NULL",
      [claim.storeId, claim.key, claim.id],
    );
  } catch (error) {
    ctx.log.warn(
      { err: error, storeId: claim.storeId },
      "an idempotency key could not be released: it runs out",
    );
  }
}

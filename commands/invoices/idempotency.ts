import { IsNull } from "typeorm";
import { DomainError } from "../../domain/errors";
import { IdempotencyKey } from "../../entities/idempotency-key";
import { alertNotAuthentic } from "../server/alert-not-authentic";
import type { CommandContext } from "../context";
import { answerKey, claimKey, readKey } from "./queries";
import type { Tx } from "../transaction";

export interface IdempotentRequest {
  storeId: string;
  key: string;
  /** SHA-256 of the raw body. */
  requestHash: Buffer;
}

/** If its holder does not answer in time, another claim ends this one. */
export interface Claim extends IdempotentRequest {
  id: string;
}

type KeptAnswer =
  { kind: "claimed"; claim: Claim } | { kind: "answered"; answer: Buffer } | { kind: "running" };

/** Another request took over: none of this one's work may be committed. */
export class ClaimLostError extends Error {
  override readonly name = "ClaimLostError";
}

/**
 * In a statement of its own: waiting requests hold neither a lock nor a connection.
 * @throws DomainError `idempotency-conflict` when the key belongs to another body.
 */
export async function claimRequest(ctx: CommandContext, request: IdempotentRequest): Promise<KeptAnswer> {
  const { storeId, key, requestHash } = request;
  const { manager } = ctx.db;
  const now = await ctx.now(manager);
  const [known] = (await readKey(manager, storeId, key, now)).rows;
  if (known !== undefined) {
    if (!known.requestHash.equals(requestHash)) throw conflict();
    if (known.answer === null) return { kind: "running" };
    if (ctx.secrets.macMatches(known.mac, answerFields(request, known.answer)))
      return { kind: "answered", answer: known.answer };
    await alertNotAuthentic(ctx, [{ storeId, what: "answer" }]);
    throw new DomainError(
      "unavailable",
      "The response stored for this Idempotency-Key was changed in the database. Find the invoice by its order ID instead.",
    );
  }
  const claim: Claim = { ...request, id: ctx.newId("clm") };
  const { count } = await claimKey(manager, storeId, key, requestHash, claim.id, now);
  return count > 0 ? { kind: "claimed", claim } : { kind: "running" };
}

function conflict(): DomainError {
  return new DomainError(
    "idempotency-conflict",
    "This Idempotency-Key was sent with another body. Use a new key for a new request.",
  );
}

/** The answer contains the destination: it is replayed only unchanged, to the same request. */
export function answerFields({ storeId, key, requestHash }: IdempotentRequest, answer: Buffer): string[] {
  return ["idempotent-answer", storeId, key, requestHash.toString("hex"), answer.toString("hex")];
}

/** In the transaction that it reports. @throws ClaimLostError */
export async function keepAnswer({ manager, secrets }: Tx, claim: Claim, answer: Buffer): Promise<void> {
  const mac = secrets.mac(answerFields(claim, answer));
  const { count } = await answerKey(manager, claim.storeId, claim.key, claim.id, answer, mac);
  if (count === 0) throw new ClaimLostError("another process took the request over");
}

/** After a refusal or a failure: the next attempt need not wait for its end. */
export async function releaseClaim(ctx: CommandContext, claim: Claim): Promise<void> {
  try {
    // A commit may have succeeded although its answer was lost: the stored answer stays.
    const { storeId, key, id } = claim;
    await ctx.db.manager.delete(IdempotencyKey, { storeId, key, claim: id, answer: IsNull() });
  } catch (error) {
    ctx.log.warn({ err: error, storeId: claim.storeId }, "idempotency: key not released, left to expire");
  }
}

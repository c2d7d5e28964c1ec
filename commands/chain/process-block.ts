import type { EntityManager } from "typeorm";
import { decodeBlock, type DecodedBlock } from "../../domain/chain/decode-block";
import { type DecodedTx, MalformedChainData } from "../../domain/chain/decode-tx";
import { NodeUnavailableError } from "../../domain/errors";
import { ChainBlock } from "../../entities/chain-block";
import { decideInvoices } from "../invoices/change-invoice";
import { isItemFailure } from "../../database/item-failure";
import { type ChainTip, insertBlock, readTip } from "./queries";
import { findMatches, type RecordBlock, togetherOrEach } from "./record-transactions";
import { placeSetAside, readSetAside } from "./set-aside";
import { notifyChanges } from "../server/notify-changes";
import type { ChainWatch } from "./chain-watch";
import { inTransaction } from "../transaction";

/** The block does not follow the last processed one: the chain moved, or another process did the work. Walk again. */
export class CursorMovedError extends Error {
  override readonly name = "CursorMovedError";
}

/** The block cannot be processed, whatever its transactions: the chain waits here, with an alert. */
export class BlockFailedError extends Error {
  override readonly name = "BlockFailedError";
}

/**
 * Processes one block in one transaction: its payments, the conflicts that it settles, the decisions about their
 * invoices, and the cursor. So a crash leaves either all of it or none. A transaction that cannot be recorded is set
 * aside.
 * @throws BlockFailedError, CursorMovedError, LeaseLostError
 */
export async function processBlock(
  watch: ChainWatch,
  decoded: DecodedBlock,
  height: number,
): Promise<ChainBlock> {
  try {
    return await togetherOrEach((record) => processAll(watch, decoded, height, record));
  } catch (error) {
    if (!isItemFailure(error)) throw error;
    watch.ctx.log.error({ err: error, height }, "chain: block not processed");
    throw new BlockFailedError(`Block ${height} cannot be processed; the log says why. It is retried.`);
  }
}

async function processAll(
  watch: ChainWatch,
  decoded: DecodedBlock,
  height: number,
  record: RecordBlock,
): Promise<ChainBlock> {
  const { ctx, known } = watch;
  const { hash } = decoded;
  return inTransaction(ctx, async (tx) => {
    const { manager } = tx;
    const [tip] = (await readTip(manager)).rows;
    const last = assertNext(tip, { height, previousHash: decoded.previousHash });
    const minedAt = new Date(decoded.timeSeconds * 1_000);
    const sighting = { where: "block", minedAt, height, hash } as const;
    const txs = await withoutSetAside(manager, decoded, last, { height, hash });
    const hits = await findMatches(manager, txs);
    const touched = await record(tx, hits, sighting, known);
    const next = { height, hash, previousHash: decoded.previousHash };
    const block = await moveCursor(manager, next, touched === null);
    tx.after(notifyChanges, [{ topic: "chain", storeId: null, height }]);
    await decideInvoices(tx, touched?.invoiceIds ?? []);
    return block;
  });
}

/** Leaves out transactions that were set aside; a retry of them finds them in this block. */
async function withoutSetAside(
  manager: EntityManager,
  { txs }: DecodedBlock,
  { somethingSetAside }: ChainTip,
  block: { height: number; hash: string },
): Promise<readonly DecodedTx[]> {
  if (!somethingSetAside) return txs;
  const setAside = await readSetAside(
    manager,
    txs.map(({ txid }) => txid),
  );
  await placeSetAside(manager, [...setAside], block);
  return txs.filter(({ txid }) => !setAside.has(txid));
}

/** @throws CursorMovedError */
function assertNext(
  last: ChainTip | undefined,
  { height, previousHash }: { height: number; previousHash: string },
): ChainTip {
  if (last?.hash !== previousHash || last.height !== height - 1)
    throw new CursorMovedError(`block ${height} does not follow block ${last?.height ?? "none"}`);
  return last;
}

type NewBlock = Pick<ChainBlock, "height" | "hash" | "previousHash">;

/**
 * The commit of a block without payments of ours does not wait for the disk (docs/adr/0060): a crash of Postgres
 * may lose it, and it is processed again.
 */
async function moveCursor(
  manager: EntityManager,
  { height, hash, previousHash }: NewBlock,
  mayBeLost: boolean,
): Promise<ChainBlock> {
  const [written] = (await insertBlock(manager, height, hash, previousHash, mayBeLost)).rows;
  if (written === undefined) throw new Error(`block ${height} was not written`);
  const { processedAt } = written;
  return manager.create(ChainBlock, { height, hash, previousHash, processedAt });
}

/** The last block that was processed; null before the first. */
export async function readCursor(manager: EntityManager, { lock = false } = {}): Promise<ChainBlock | null> {
  const [last] = await manager.find(ChainBlock, {
    order: { height: "DESC" },
    take: 1,
    ...(lock ? { lock: { mode: "pessimistic_write" } } : {}),
  });
  return last ?? null;
}

/** @throws NodeUnavailableError when the bytes are not the requested block. */
export function decode(raw: Buffer, hash: string): DecodedBlock {
  try {
    const decoded = decodeBlock(raw);
    if (decoded.hash === hash) return decoded;
  } catch (error) {
    if (!(error instanceof MalformedChainData)) throw error;
  }
  throw new NodeUnavailableError(
    "the node answered with bytes that are not the block asked for",
    "malformed",
  );
}

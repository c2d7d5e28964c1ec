import { IsNull, LessThanOrEqual, Not } from "typeorm";
import { DomainError, NodeUnavailableError } from "../../domain/errors";
import { ChainBlock } from "../../entities/chain-block";
import { OtherChain } from "../../entities/other-chain";
import type { CommandContext } from "../context";
import { readCursor } from "./process-block";
import { BURIED_DEPTH, readBlocksUpTo } from "./queries";
import type { ChainWatch } from "./chain-watch";
import { writeAudit } from "../server/write-audit";
import { inTransaction } from "../transaction";

/** The node's chain leaves ours below a buried block: that is more likely another chain than a reorganisation. */
export class OtherChainError extends Error {
  override readonly name = "OtherChainError";
}

/** The range of heights to be walked back. */
export interface AcceptedChain {
  fromHeight: number;
  toHeight: number;
}

type OwnBlock = Pick<ChainBlock, "height" | "hash">;

/**
 * Prevents undoing a buried block, unless the operator has accepted the chain that the node follows.
 * @throws OtherChainError, NodeUnavailableError, LeaseLostError
 */
export async function refuseOtherChain(watch: ChainWatch, cursor: OwnBlock): Promise<void> {
  const { ctx, chain } = watch;
  const buried = await ctx.db.manager.findOne(ChainBlock, {
    where: { height: LessThanOrEqual(cursor.height - BURIED_DEPTH) },
    order: { height: "DESC" },
  });
  if (buried === null || (await chain.blockHash(buried.height)) === buried.hash) return;
  const first = await firstForeign(watch, buried.height);
  // Identified by its own first block: a chain that leaves ours above one that was accepted before is another
  // chain.
  if (await ctx.db.manager.existsBy(OtherChain, { hash: first.hash, acceptedAt: Not(IsNull()) })) return;
  await inTransaction(ctx, async (tx) => {
    const row = { ...first, foundAt: await tx.now() };
    await tx.manager.createQueryBuilder().insert().into(OtherChain).values(row).orIgnore().execute();
  });
  throw new OtherChainError(
    `The Bitcoin node follows a chain that leaves ours at block ${first.height}, ${cursor.height - first.height + 1} blocks deep: probably another chain and not a reorganisation. Nothing is processed. Point BITCOIND_RPC_URL to the right node, or, if this chain is the right one, run: cli chain accept --hash ${first.hash}`,
  );
}

/** The node's first block that is not ours, as far back as our blocks are kept; by bisection. */
async function firstForeign({ ctx, chain }: ChainWatch, upTo: number): Promise<OwnBlock> {
  const { rows: own } = await readBlocksUpTo(ctx.db.manager, upTo);
  let [low, high] = [0, own.length - 1]; // the last one differs
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const block = own[middle];
    if (block !== undefined && (await chain.blockHash(block.height)) === block.hash) low = middle + 1;
    else high = middle;
  }
  const height = own[low]?.height ?? upTo;
  const hash = await chain.blockHash(height);
  if (hash === null)
    throw new NodeUnavailableError(`the node has no block ${height}, which was processed before`);
  return { height, hash };
}

/**
 * Allows chain-watch to walk back to a chain at which it stopped. Harmless to repeat.
 * @throws DomainError `validation-failed` for a block that no such chain begins with.
 */
export async function acceptChain(ctx: CommandContext, hash: string): Promise<AcceptedChain> {
  return inTransaction(ctx, async (tx) => {
    const found = await tx.manager.findOneBy(OtherChain, { hash });
    if (found === null)
      throw new DomainError(
        "validation-failed",
        "chain-watch has not stopped at a chain with this block. Use the hash from the alert other-chain.",
      );
    const { height, acceptedAt } = found;
    if (acceptedAt === null) {
      await tx.manager.update(OtherChain, { hash }, { acceptedAt: await tx.now() });
      await writeAudit(tx, {
        action: "chain.accepted",
        storeId: null,
        subject: hash,
        details: { height },
      });
    }
    const cursor = await readCursor(tx.manager);
    return { fromHeight: height, toHeight: Math.max(height, cursor?.height ?? height) };
  });
}

import { decodeTx } from "../../domain/chain/decode-tx";
import { NodeUnavailableError } from "../../domain/errors";
import type { RefundState } from "../../domain/invoice/review";
import { scriptOfAddress } from "../../domain/wallet/address";
import type { Review } from "../../entities/review";
import type { CommandContext } from "../context";

export type RefundFound = { refundState: RefundState; refundToAddress: boolean | null };

const UNCHECKED: RefundFound = { refundState: "unchecked", refundToAddress: null };

/**
 * Outside of any transaction. Of a transaction in a block only unspent outputs are known, without an index of the node:
 * it can be said that it pays the address, but not that it does not.
 */
export async function lookUpRefund(
  ctx: CommandContext,
  { type, reference }: { type: Review["refundType"]; reference: string },
  address: string | null,
): Promise<RefundFound> {
  const { chain } = ctx;
  if (type !== "BTC-CHAIN" || chain === null) return UNCHECKED;
  const script = address === null ? null : scriptOfAddress(address, ctx.settings.network);
  const pays = (scripts: readonly Buffer[]): boolean | null =>
    script && scripts.some((one) => one.equals(script));
  try {
    const raw = (await chain.mempoolTransactions([reference])).get(reference);
    if (raw !== undefined) {
      const scripts = decodeTx(raw).outputs.map(({ scriptPubKey }) => scriptPubKey);
      return { refundState: "unconfirmed", refundToAddress: pays(scripts) };
    }
    const scripts = await chain.unspentScripts(reference);
    return scripts.length === 0
      ? { refundState: "not-found", refundToAddress: null }
      : { refundState: "confirmed", refundToAddress: pays(scripts) || null };
  } catch (error) {
    if (error instanceof NodeUnavailableError) return UNCHECKED;
    throw error;
  }
}

import { decodeTx } from "../../domain/chain/decode-tx";
import { NodeUnavailableError } from "../../domain/errors";
import { type RefundOutput, refundPaid } from "../../domain/invoice/refund";
import type { PaymentMethodType } from "../../domain/invoice/status";
import { scriptOfAddress } from "../../domain/wallet/address";
import type { Review } from "../../entities/review";
import type { CommandContext } from "../context";

export interface Refund {
  type: PaymentMethodType;
  /** Txid or payment hash. */
  reference: string;
  amountSats: bigint;
}

export interface RefundFound {
  seen: Pick<Review, "refundState" | "refundToAddress" | "refundPaidSats">;
  /** Null: not known. */
  outputs: readonly RefundOutput[] | null;
}

/** Outside of any transaction. `address`: the customer's, if one was left. */
export async function lookUpRefund(
  ctx: CommandContext,
  { type, reference, amountSats }: Refund,
  address: string | null,
): Promise<RefundFound> {
  const { state, raw } = type === "BTC-CHAIN" ? await askNode(ctx, reference) : UNCHECKED;
  if (raw === null)
    return { seen: { refundState: state, refundToAddress: null, refundPaidSats: null }, outputs: null };
  const { outputs } = decodeTx(raw);
  const script = refundScript(ctx, address);
  const { toAddress, sats } = refundPaid(outputs, { script, amountSats });
  return { seen: { refundState: state, refundToAddress: toAddress, refundPaidSats: sats }, outputs };
}

export const refundScript = (
  { settings }: Pick<CommandContext, "settings">,
  address: string | null,
): Buffer | null => (address === null ? null : scriptOfAddress(address, settings.network));

const UNCHECKED = { state: "unchecked", raw: null } as const;

async function askNode(
  { chain }: CommandContext,
  txid: string,
): Promise<{ state: NonNullable<Review["refundState"]>; raw: Buffer | null }> {
  if (chain === null) return UNCHECKED;
  try {
    const raw = (await chain.mempoolTransactions([txid])).get(txid);
    if (raw !== undefined) return { state: "unconfirmed", raw };
    const mined = await chain.minedTransaction(txid);
    return mined === null ? { state: "not-found", raw: null } : { state: "confirmed", raw: mined.raw };
  } catch (error) {
    if (error instanceof NodeUnavailableError) return UNCHECKED;
    throw error;
  }
}

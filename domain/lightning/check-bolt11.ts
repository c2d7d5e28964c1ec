import { NodeUnavailableError } from "../errors";
import type { Network } from "../network";
import { Bolt11Error, type DecodedBolt11, decodeBolt11 } from "./decode-bolt11";

export interface AskedBolt11 {
  /** Hex. */
  paymentHash: string;
  amountSats: bigint;
  network: Network;
  /** Hex; null: any node's. */
  payeeKey?: string | null;
}

/**
 * A customer gets a BOLT11 only if it requests our hash, our amount and our network.
 * @throws NodeUnavailableError (`malformed`) otherwise.
 */
export function checkBolt11(text: string, asked: AskedBolt11): DecodedBolt11 {
  const decoded = decode(text);
  const wrong = differenceOf(decoded, asked);
  if (wrong !== null)
    throw new NodeUnavailableError(`The Lightning node returned a BOLT11 ${wrong}.`, "malformed");
  return decoded;
}

/** Between clocks set by NTP, and for seconds that are cut off. */
const CLOCK_SLACK_MS = 60_000;

/**
 * Wallets refuse a BOLT11 that is over by their clock: unusable when the node is wrong by more than half of
 * its time, or when that is up.
 */
export function clockOf(
  { timestampSeconds, expirySeconds }: DecodedBolt11,
  { from, to }: { from: Date; to: Date },
): { right: boolean; usable: boolean } {
  const made = timestampSeconds * 1_000;
  const offMs = Math.max(from.getTime() - made, made - to.getTime());
  const timeMs = expirySeconds * 1_000;
  return { right: offMs <= CLOCK_SLACK_MS, usable: offMs <= timeMs / 2 && made + timeMs > to.getTime() };
}

function decode(text: string): DecodedBolt11 {
  try {
    return decodeBolt11(text);
  } catch (error) {
    if (!(error instanceof Bolt11Error)) throw error;
    throw new NodeUnavailableError("The Lightning node returned an invalid BOLT11.", "malformed");
  }
}

function differenceOf(
  decoded: DecodedBolt11,
  { paymentHash, amountSats, network, payeeKey = null }: AskedBolt11,
): string | null {
  if (decoded.paymentHash !== paymentHash) return "with another payment hash";
  if (decoded.amountMsat !== amountSats * 1_000n) return "with another amount";
  if (decoded.network !== network)
    return `of ${decoded.network}, but this server takes payments on ${network}: connect a node of ${network}`;
  if (payeeKey !== null && decoded.payeeKey !== payeeKey) return "with another payee";
  return null;
}

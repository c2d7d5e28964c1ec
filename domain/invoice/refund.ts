/** An output of a refund's transaction. */
export interface RefundOutput {
  scriptPubKey: Buffer;
  valueSats: bigint;
}

/** `script`: of the address that the customer left. */
interface Refund {
  script: Buffer | null;
  amountSats: bigint;
}

export interface RefundPaid {
  /** Null: the customer left no address. */
  toAddress: boolean | null;
  /** To that address together, or else the outputs that may be meant. The refund's amount is among them, or differs. */
  sats: bigint[];
}

/** A refund to many customers at once has more. */
const SHOWN_MAX = 16;

/** For a person, to be compared with the amount that was entered. */
export function refundPaid(outputs: readonly RefundOutput[], { script, amountSats }: Refund): RefundPaid {
  const own = paying(outputs, script);
  if (own.length > 0) return { toAddress: true, sats: [sumOf(own)] };
  const meant = outputs.find(({ valueSats }) => valueSats === amountSats);
  const shown = meant === undefined ? outputs.slice(0, SHOWN_MAX) : [meant];
  return { toAddress: script && false, sats: shown.map(({ valueSats }) => valueSats) };
}

/**
 * Whether one transaction is each of these refunds: those to one address are paid there together, and every other has
 * an output of its own, of just its amount.
 */
export function paysEach(outputs: readonly RefundOutput[], refunds: readonly Refund[]): boolean {
  let rest = [...outputs];
  for (const { script } of refunds) {
    const own = paying(rest, script);
    if (script === null || own.length === 0) continue;
    const owed = refunds.filter((one) => one.script?.equals(script));
    if (sumOf(own) < owed.reduce((sum, { amountSats }) => sum + amountSats, 0n)) return false;
    rest = rest.filter((output) => !own.includes(output));
  }
  const elsewhere = refunds.filter(({ script }) => paying(outputs, script).length === 0);
  return elsewhere.every(({ amountSats }) => {
    const at = rest.findIndex(({ valueSats }) => valueSats === amountSats);
    return at >= 0 && rest.splice(at, 1).length === 1;
  });
}

const paying = (outputs: readonly RefundOutput[], script: Buffer | null): RefundOutput[] =>
  script === null ? [] : outputs.filter(({ scriptPubKey }) => scriptPubKey.equals(script));

const sumOf = (outputs: readonly RefundOutput[]): bigint =>
  outputs.reduce((sum, { valueSats }) => sum + valueSats, 0n);

import { Text } from "@mantine/core";
import { formatAmount, formatBtc, formatSats } from "./format-money";

/** Satoshi in numerals of one width; the same in BTC is its tooltip. */
export function Sats({ value, fw }: { value: number; fw?: number }) {
  return (
    <Text span inherit title={formatBtc(value)} {...(fw === undefined ? {} : { fw })} className="numeral">
      {formatSats(value)}
    </Text>
  );
}

/** An invoice's price in its own currency. */
export function Amount({ amount, currency }: { amount: string; currency: string }) {
  return <span className="numeral">{formatAmount(amount, currency)}</span>;
}

import { Text } from "@mantine/core";
import { formatAmount, formatBtc, formatSats } from "./format-money";

export function Sats({ value, fw }: { value: number; fw?: number }) {
  return (
    <Text span inherit title={formatBtc(value)} {...(fw === undefined ? {} : { fw })} className="numeral">
      {formatSats(value)}
    </Text>
  );
}

export function Amount({ amount, currency }: { amount: string; currency: string }) {
  return <span className="numeral">{formatAmount(amount, currency)}</span>;
}

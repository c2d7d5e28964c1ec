import { countsByRow } from "./vanished";
import type { PaymentMethodType } from "./status";
import { isFiat } from "../money/currencies";
import { fullAmount, satsToFiat } from "../money/money";

/** Sent to every open page at each change. */
const PAYMENTS_MAX = 20;

/** `fiat`: in the invoice's currency; null if the price is in bitcoin. */
export interface Amount {
  sats: bigint;
  fiat: string | null;
}

interface Price {
  rate: { value: string } | null;
  currency: string;
  amount: string;
}

/** For customers, by the invoice's rate. */
export function amountsOf({ rate, currency, amount }: Price) {
  if (rate === null || !isFiat(currency))
    return {
      currency: null,
      rate: null,
      priceFiat: null,
      of: (sats: bigint): Amount => ({ sats, fiat: null }),
    };
  return {
    currency,
    rate: rate.value,
    priceFiat: fullAmount(amount, currency),
    of: (sats: bigint): Amount => ({ sats, fiat: satsToFiat(sats, rate.value, currency) }),
  };
}

type Row = Parameters<typeof countsByRow>[0] & {
  id: string;
  txid: string | null;
  type: PaymentMethodType;
  amountSats: bigint;
  firstSeenAt: Date;
  confirmedAt: Date | null;
};

/** Without the preimage, which proves who paid: everybody with the link sees the page. */
export interface Receipt {
  type: PaymentMethodType;
  amount: Amount;
  firstSeenAt: Date;
  confirmedAt: Date | null;
  /** A txid or payment hash. */
  reference: string;
}

/** In their order; the largest of those that count, if there are many. */
export function receiptsOf(payments: readonly Row[], amountOf: (sats: bigint) => Amount): Receipt[] {
  const counted = payments.filter(countsByRow);
  const bySize = [...counted].sort((a, b) => Number(b.amountSats - a.amountSats));
  const shown = new Set(bySize.slice(0, PAYMENTS_MAX));
  return counted
    .filter((payment) => shown.has(payment))
    .map(({ type, amountSats, firstSeenAt, confirmedAt, txid, id, state }) => ({
      type,
      amount: amountOf(amountSats),
      firstSeenAt,
      confirmedAt: state === "confirmed" ? confirmedAt : null,
      reference: txid ?? id,
    }));
}

export interface LinkValues {
  description: string;
  currency: string;
  kind: "amounts" | "own";
  amounts: string;
  minAmount: string;
  maxAmount: string;
  maxUses: string | number;
  maxPerDay: string | number;
  endsAt: string;
  orderPrefix: string;
}

const decimal = (typed: string): string => typed.trim().replace(/^(\d+),(\d+)$/, "$1.$2");

/** Named as the API's, without empty fields. */
export function bodyOf(values: LinkValues): Record<string, unknown> {
  const { description, currency, kind, maxUses, maxPerDay, endsAt, orderPrefix } = values;
  const amounts = values.amounts.split(/,\s+|[\s;]+/).filter((one) => one !== "");
  return {
    description: description.trim(),
    currency: currency.trim(),
    ...(kind === "amounts"
      ? { amounts: amounts.map(decimal) }
      : { minAmount: decimal(values.minAmount), maxAmount: decimal(values.maxAmount) }),
    ...(maxUses === "" ? {} : { maxUses: Number(maxUses) }),
    maxPerDay: Number(maxPerDay),
    ...(endsAt === "" ? {} : { endsAt: new Date(endsAt).toISOString() }),
    ...(orderPrefix.trim() === "" ? {} : { orderPrefix: orderPrefix.trim() }),
  };
}

import type { ValueTransformer } from "typeorm";

/** Sats are `bigint` on both sides; the driver speaks text, so that nothing above 2^53 is rounded. */
export const sats: ValueTransformer = {
  to: (value: bigint | null | undefined) => value?.toString() ?? value,
  from: (value: string | null) => (value === null ? null : BigInt(value)),
};

export const satsList: ValueTransformer = {
  to: (values: readonly bigint[] | null | undefined) => values?.map(String) ?? values,
  from: (values: readonly string[] | null) => values?.map(BigInt) ?? null,
};

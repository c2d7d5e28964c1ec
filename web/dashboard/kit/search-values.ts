/** The router reads `12` as a number. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** `2026-03-01`. */
export function dayOf(value: unknown): string | undefined {
  const day = textOf(value);
  return day !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day))
    ? day
    : undefined;
}

export const wordOf = <W extends string>(value: unknown, words: readonly W[]): W | undefined =>
  words.find((word) => word === value);

export const onlySet = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

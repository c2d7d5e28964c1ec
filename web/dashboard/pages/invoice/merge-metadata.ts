type Metadata = Readonly<Record<string, unknown>>;

/**
 * Changed fields, and null for those that are gone; the others stay as the shop wrote them. (A field cannot become
 * null: that takes it away.)
 */
export function mergeOf(before: Metadata, after: Metadata): Record<string, unknown> {
  const same = (name: string): boolean => JSON.stringify(before[name]) === JSON.stringify(after[name]);
  const changed = Object.entries(after).filter(([name]) => !(Object.hasOwn(before, name) && same(name)));
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return Object.fromEntries([...changed, ...gone.map((name) => [name, null] as const)]);
}

export function readMetadata(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

import type { Page } from "../../database/pagination";

export function presentPage<T, P>({ items, nextCursor }: Page<T>, present: (item: T) => P) {
  return { data: items.map(present), nextCursor };
}

import type { Page } from "../../commands/page";

export function presentPage<T, P>({ items, nextCursor }: Page<T>, present: (item: T) => P) {
  return { data: items.map(present), nextCursor };
}
